"""Compares agents: `python -m agents.evaluation expert greedy --deals 1000`."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Final, NoReturn

import yaml
from rich.console import Console

from agents.evaluation.html import write_html
from agents.evaluation.match import EvaluationConfig, measure
from agents.evaluation.report import (
    report_tables,
    result_table,
    write_json,
    write_report,
)
from agents.evaluation.tournament import TournamentConfig, evaluate
from agents.registry import AGENT_NAMES, common_rules
from agents.run import Display
from rummy_env.config import RuleConfig
from rummy_env.errors import RummyError

_DESCRIPTION: Final = """\
Compares agents on the same deals in all seats: with two players both ways, with three
in all six orders, with more in all rotations. With more agents than seats every
combination of them is played (every pair, with two players); with fewer, each agent
on one seat against each other on all the rest. A single agent is measured against
--opponents instead.
"""
_EXAMPLES: Final = """\
examples:
  python -m agents.evaluation expert greedy hoarder --players 2 --html report.html
  python -m agents.evaluation runs/quick expert greedy --deals 100 --json report.json
  python -m agents.evaluation my_module:policy expert --players 2 --episode game
"""
_INTERRUPTED: Final = 130
_SECONDS_TO_INTERRUPT: Final = 0.5

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


class _Parser(argparse.ArgumentParser):
    """One whose errors are not hidden below a page of usage."""

    def error(self, message: str) -> NoReturn:
        """Ends the process with status 2 and one line on stderr."""
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())}\n")


def _parser() -> argparse.ArgumentParser:
    """Returns what reads the command line."""
    parser = _Parser(
        prog="python -m agents.evaluation",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    names = (
        f"{', '.join(AGENT_NAMES)}; a policy or checkpoint, or the folder of a run; "
        "module:callable, a function of observations and action masks"
    )
    add = parser.add_argument
    add("agents", nargs="+", metavar="agent", help=names)
    add(
        "--opponents",
        nargs="+",
        metavar="agent",
        help="whom a single agent is measured against (default: random greedy)",
    )
    add("--deals", type=int, default=1000, help="deals (default: 1000)")
    add("--seed", type=int, default=20_000, help="seed of the deals (default: 20000)")
    add(
        "--episode",
        choices=["round", "game"],
        default="round",
        help="what is played of each deal (default: round)",
    )
    add(
        "--lineups",
        choices=["all", "first"],
        default="all",
        help="who meets whom at more than two seats: all lineups, or only the first "
        "agent alone against each other one on all the rest (default: all)",
    )
    add(
        "--workers",
        "--threads",
        type=int,
        default=_num_cores(),
        help="processes to play with; results do not depend on it "
        "(default: the cores here, %(default)s)",
    )
    add("--json", type=Path, metavar="FILE", help="also write the results here")
    add("--html", type=Path, metavar="FILE", help="also write a page with charts")
    _add_rules(parser)
    return parser


def _num_cores() -> int:
    """Returns how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    _check(parser, chosen)
    try:
        try:
            if len(chosen.agents) == 1:
                return _measure(chosen)
            return _compare(chosen)
        except BrokenProcessPool:
            # Ctrl-C reaches the workers as well, and now and then them first
            time.sleep(_SECONDS_TO_INTERRUPT)
            parser.error("a worker has died; --workers 1 shows why")
    except (RummyError, ValueError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return _INTERRUPTED


def _check(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Refuses at once what would otherwise fail after all is played."""
    for flag, path in (("--json", chosen.json), ("--html", chosen.html)):
        if path and not path.parent.is_dir():
            parser.error(f"there is no folder {path.parent} for {flag}: make it first")
        if path and path.is_dir():
            parser.error(f"{flag} takes a file, and {path} is a folder")
    if len(chosen.agents) > 1 and chosen.opponents:
        parser.error(
            "--opponents is for a single agent; name all agents in one row to compare "
            "them"
        )
    if len(chosen.agents) == 1 and (chosen.html or chosen.episode == "game"):
        parser.error(
            "--html and --episode compare agents: name two or more, as in "
            f"{chosen.agents[0]} greedy"
        )


def _measure(chosen: argparse.Namespace) -> int:
    """Plays a single agent against opponents."""
    (candidate,) = chosen.agents
    config = EvaluationConfig(
        opponents=tuple(chosen.opponents or ("random", "greedy")),
        deals=chosen.deals,
        seed=chosen.seed,
        num_threads=chosen.workers,
    )
    rules = common_rules([candidate, *config.opponents], _rules(chosen))
    results = measure(candidate, rules, config)
    Console().print(result_table(results))
    if chosen.json:
        write_json(chosen.json, results)
    return 0


def _compare(chosen: argparse.Namespace) -> int:
    """Plays several agents against one another."""
    config = TournamentConfig(
        deals=chosen.deals,
        seed=chosen.seed,
        episode=chosen.episode,
        workers=chosen.workers,
        lineups=chosen.lineups,
    )
    rules = common_rules(chosen.agents, _rules(chosen))
    start = time.monotonic()
    with Display(Console(stderr=True)) as display:

        def show(share: float) -> None:
            display.say(share, time.monotonic() - start, "playing")

        show(0.0)  # the first share may be minutes away
        report = evaluate(chosen.agents, rules, config, report=show)
    for table in report_tables(report):
        Console().print(table)
    if chosen.json:
        write_report(chosen.json, report)
    if chosen.html:
        write_html(chosen.html, report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
