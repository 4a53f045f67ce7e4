"""How strong an agent is: matches on the same deals with the seats rotated."""

from agents.evaluation.match import (
    Estimate,
    EvaluationConfig,
    MatchResult,
    bootstrap_mean,
    evaluate,
    make_opponents,
    play_match,
)
from agents.evaluation.report import result_table, write_json

__all__ = [
    "Estimate",
    "EvaluationConfig",
    "MatchResult",
    "bootstrap_mean",
    "evaluate",
    "make_opponents",
    "play_match",
    "result_table",
    "write_json",
]
