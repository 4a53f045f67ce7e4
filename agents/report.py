"""The strength of the shipped weights, measured anew: `python -m agents.report`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from agents.checkpoint import write_atomically
from agents.evaluation.estimates import Estimate
from agents.evaluation.results import Report
from agents.evaluation.tournament import TournamentConfig, evaluate
from agents.registry import WEIGHTS, shipped_players
from agents.run import Display
from rummy_env.config import RuleConfig
from rummy_env.errors import RummyError

_FILE: Final = WEIGHTS / "REPORT.md"
_AGENT: Final = "dmc"
_OPPONENTS: Final = ("expert", "hoarder", "greedy", "random")
_INTERRUPTED: Final = 130


def measure(
    num_players: int, opponents: Sequence[str], config: TournamentConfig, label: str
) -> Iterator[Report]:
    """Yields the tournaments of the shipped weights with each opponent.

    Args:
        num_players: How many play.
        opponents: Agents by name, each alone with the shipped one.
        config: How many deals, and which.
        label: Said beside the progress.
    """
    rules, start = RuleConfig(num_players=num_players), time.monotonic()
    with Display(Console(stderr=True)) as display:
        for number, opponent in enumerate(opponents):

            def show(share: float, number: int = number, name: str = opponent) -> None:
                done = (number + share) / len(opponents)
                display.say(done, time.monotonic() - start, f"{label}, {name}")

            show(0.0)
            yield evaluate([_AGENT, opponent], rules, config, report=show)


def _half(estimate: Estimate) -> float:
    """Returns half the width of an interval."""
    return (estimate.high - estimate.low) / 2


def _row(num_players: int, opponent: str, report: Report) -> str:
    """Returns a tournament as a row of a Markdown table."""
    ahead = report.payoff[0][1]
    assert ahead is not None
    won = report.agents[0].win_rate
    return (
        f"| {num_players} | {opponent} | {report.episode} | {report.num_deals:,} "
        f"| {ahead.mean:+.1f} ± {_half(ahead):.1f} "
        f"| {100 * won.mean:.1f} ± {100 * _half(won):.1f} |"
    )


def to_markdown(rows: Sequence[str], made: Sequence[str]) -> str:
    """Returns the report.

    Args:
        rows: Rows of the table of strength.
        made: How the weights were made, in lines.
    """
    head = [
        "# How strong the shipped weights are",
        "",
        "Written by `make report`. One seat against the opponent on all others, the",
        "same deals in every seat; points a round or game ahead of an opponent, and",
        "games won in per cent, with 95 % intervals.",
        "",
        "| players | against | episode | deals | ahead by | won, % |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *rows, "", "## How they were made", "", *made, ""])


def how_made(num_players: int) -> list[str]:
    """Returns what the file beside some weights says of their making, in lines."""
    path = WEIGHTS / f"{_AGENT}-{num_players}.json"
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return [f"- {num_players} players, {key}: {value}" for key, value in facts.items()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.report", description=__doc__.split("\n")[0]
    )
    add = parser.add_argument
    add("--deals", type=int, default=10_000, help="deals of rounds (%(default)s)")
    add("--games", type=int, default=500, help="deals of whole games (%(default)s)")
    add("--against", nargs="+", default=list(_OPPONENTS), help="agents by name")
    add("--players", nargs="+", type=int, default=shipped_players(_AGENT))
    add("--seed", type=int, default=20_000)
    add("--workers", type=int, default=os.cpu_count() or 1)
    add("--output", type=Path, default=_FILE, help="the file (%(default)s)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and writes the report; returns the exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    rows, made = [], []
    if not chosen.players:
        parser.error(f"no weights of {_AGENT} are shipped: there is nothing to measure")
    try:
        for players in chosen.players:
            for episode, deals in (("round", chosen.deals), ("game", chosen.games)):
                config = TournamentConfig(
                    deals=deals,
                    seed=chosen.seed,
                    episode=episode,
                    workers=chosen.workers,
                    lineups="first",
                )
                against = chosen.against if episode == "round" else chosen.against[:1]
                label = f"{players} players, {episode}s"
                for opponent, report in zip(
                    against, measure(players, against, config, label), strict=True
                ):
                    rows.append(_row(players, opponent, report))
                    print(rows[-1], flush=True)
            made += how_made(players)
    except (RummyError, ValueError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return _INTERRUPTED
    write_atomically(chosen.output, to_markdown(rows, made).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
