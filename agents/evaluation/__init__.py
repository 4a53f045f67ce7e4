"""How strong agents are: games on the same deals with the seats rotated."""

from agents.evaluation.estimates import Estimate, bootstrap_mean
from agents.evaluation.match import (
    EvaluationConfig,
    MatchResult,
    make_opponents,
    measure,
    play_match,
)
from agents.evaluation.report import result_table, write_json
from agents.evaluation.results import AgentResult, Profile, Report
from agents.evaluation.tournament import TournamentConfig, evaluate

__all__ = [
    "AgentResult",
    "Estimate",
    "EvaluationConfig",
    "MatchResult",
    "Profile",
    "Report",
    "TournamentConfig",
    "bootstrap_mean",
    "evaluate",
    "make_opponents",
    "measure",
    "play_match",
    "result_table",
    "write_json",
]
