"""Measures an agent: `python -m agents.evaluation runs/quick --deals 1000`."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from rich.console import Console

from agents.checkpoint import CheckpointError
from agents.evaluation.match import EvaluationConfig, evaluate
from agents.evaluation.report import result_table, write_json
from agents.registry import AGENT_NAMES, UnknownAgentError, common_rules
from rummy_env.config import RuleConfig

_RULES: Final = "rules."
_SHORT: Final = {"num_players": ["--players"], "num_ranks": ["--ranks"]}


def _add_rules(parser: argparse.ArgumentParser) -> None:
    """Adds a flag for every rule option, named as for `train.py`."""
    group = parser.add_argument_group(
        "rules",
        "A policy says which game it was trained for, and that is played; without one "
        "among the agents these options say it.",
    )
    for field in dataclasses.fields(RuleConfig):
        group.add_argument(
            f"--{_RULES}{field.name}",
            *_SHORT.get(field.name, []),
            dest=_RULES + field.name,
            type=_value,
            metavar="VALUE",
            help=f"default: {field.default}",
        )


def _value(text: str) -> Any:
    """Returns the value that a text has in a file of `configs/`."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def _rules(chosen: argparse.Namespace) -> dict[str, Any]:
    """Returns the rule options that were given."""
    return {
        key.removeprefix(_RULES): value
        for key, value in vars(chosen).items()
        if key.startswith(_RULES) and value is not None
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.evaluation", description=__doc__, allow_abbrev=False
    )
    names = f"{', '.join(AGENT_NAMES)}, a policy or checkpoint, or the folder of a run"
    parser.add_argument("candidate", help=names)
    parser.add_argument(
        "--opponents", nargs="+", default=["random", "greedy"], help=names
    )
    parser.add_argument("--deals", type=int, default=1000, help="deals (default: 1000)")
    parser.add_argument("--seed", type=int, default=20_000, help="seed of the deals")
    parser.add_argument("--threads", type=int, default=2, help="threads of the games")
    parser.add_argument("--json", type=Path, help="also write the results here")
    _add_rules(parser)
    chosen = parser.parse_args(arguments)
    if chosen.json and not chosen.json.parent.is_dir():
        parser.error(f"there is no folder {chosen.json.parent} for --json")
    try:
        config = EvaluationConfig(
            opponents=tuple(chosen.opponents),
            deals=chosen.deals,
            seed=chosen.seed,
            num_threads=chosen.threads,
        )
        rules = common_rules([chosen.candidate, *chosen.opponents], _rules(chosen))
        results = evaluate(chosen.candidate, rules, config)
    except (CheckpointError, UnknownAgentError, ValueError) as error:
        parser.error(str(error))
    Console().print(result_table(results))
    if chosen.json:
        write_json(chosen.json, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
