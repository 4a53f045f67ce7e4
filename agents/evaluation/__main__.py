"""Measures an agent: `python -m agents.evaluation runs/quick --deals 1000`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from agents.checkpoint import CheckpointError
from agents.evaluation.match import EvaluationConfig, evaluate
from agents.evaluation.report import result_table, write_json
from agents.registry import AGENT_NAMES, UnknownAgentError
from rummy_env.config import RuleConfig


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.evaluation", description=__doc__, allow_abbrev=False
    )
    names = f"{', '.join(AGENT_NAMES)}, a policy file or the folder of a run"
    parser.add_argument("candidate", help=names)
    parser.add_argument(
        "--opponents", nargs="+", default=["random", "greedy"], help=names
    )
    parser.add_argument("--players", type=int, default=3, help="seats (default: 3)")
    parser.add_argument("--ranks", type=int, default=13, help="ranks (default: 13)")
    parser.add_argument("--deals", type=int, default=1000, help="deals (default: 1000)")
    parser.add_argument("--seed", type=int, default=20_000, help="seed of the deals")
    parser.add_argument("--threads", type=int, default=2, help="threads of the games")
    parser.add_argument("--json", type=Path, help="also write the results here")
    chosen = parser.parse_args(arguments)
    if chosen.json and not chosen.json.parent.is_dir():
        parser.error(f"there is no folder {chosen.json.parent} for --json")
    try:
        rules = RuleConfig(num_players=chosen.players, num_ranks=chosen.ranks)
        config = EvaluationConfig(
            opponents=tuple(chosen.opponents),
            deals=chosen.deals,
            seed=chosen.seed,
            num_threads=chosen.threads,
        )
        results = evaluate(chosen.candidate, rules, config)
    except (CheckpointError, UnknownAgentError, ValueError) as error:
        parser.error(str(error))
    Console().print(result_table(results))
    if chosen.json:
        write_json(chosen.json, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
