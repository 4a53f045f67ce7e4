"""The strength of the shipped weights, measured anew: `python -m agents.report`."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from agents.checkpoint import write_atomically
from agents.evaluation.estimates import Estimate
from agents.evaluation.tournament import TournamentConfig, evaluate
from agents.registry import WEIGHTS, make_agent, shipped_players
from agents.run import Display
from rummy_env.config import RuleConfig
from rummy_env.errors import RummyError

_FILE: Final = WEIGHTS / "REPORT.md"
_AGENT: Final = "dmc"
_OPPONENTS: Final = ("expert", "hoarder", "greedy", "random")
_INTERRUPTED: Final = 130

Result = dict[str, Any]
"""What a match has found, as it is kept in a file."""


@dataclass(frozen=True)
class Match:
    """One row of the report.

    Attributes:
        players: How many play.
        opponent: Who sits on all seats but one, by name.
        episode: "round" or "game".
        deals: How many deals.
        seed: Seed of the deals.
    """

    players: int
    opponent: str
    episode: str
    deals: int
    seed: int

    @property
    def label(self) -> str:
        """What it is called."""
        return f"{self.players} players, {self.opponent}, {self.episode}s"


def planned(chosen: argparse.Namespace) -> list[Match]:
    """Returns the matches that the arguments ask for.

    The first opponent is the one that counts: it alone plays whole games, and more
    deals of rounds than the others.
    """
    matches = []
    for players in chosen.players:
        first, *others = chosen.against
        few = min(chosen.deals, chosen.other_deals)
        asked = [(first, "round", chosen.deals)]
        asked += [(other, "round", few) for other in others]
        asked += [(first, "game", chosen.games)]
        matches += [Match(players, *match, chosen.seed) for match in asked]
    return matches


def measure(match: Match, workers: int, report: Callable[[float], None]) -> Result:
    """Plays a match.

    Args:
        match: What to play.
        workers: Processes.
        report: Is told now and then which share is played.

    Returns:
        The match, the digest of the weights, and how far they were ahead and what
        share they won, each a mean with its interval: plain data.
    """
    config = _config(match, workers)
    rules = RuleConfig(num_players=match.players)
    found = evaluate([_AGENT, match.opponent], rules, config, report=report)
    ahead = found.payoff[0][1]
    assert ahead is not None
    return {
        **_key(match),
        "ahead": dataclasses.asdict(ahead),
        "won": dataclasses.asdict(found.agents[0].win_rate),
    }


def _config(match: Match, workers: int) -> TournamentConfig:
    """Returns how a match is played."""
    return TournamentConfig(
        deals=match.deals,
        seed=match.seed,
        episode=match.episode,
        workers=workers,
        lineups="first",
    )


def _key(match: Match) -> Result:
    """Returns what tells whether a result is that of a match with these weights."""
    weights = (WEIGHTS / f"{_AGENT}-{match.players}.safetensors").read_bytes()
    digest = hashlib.sha256(weights).hexdigest()
    return {**dataclasses.asdict(match), "weights": digest}


def measure_all(
    matches: Sequence[Match], workers: int, path: Path, known: Sequence[Result]
) -> list[Result]:
    """Plays matches and writes what is known after each, atomically.

    Args:
        matches: What to play.
        workers: Processes.
        path: A JSON file for the results.
        known: Results from before; those of the matches are not played again.

    Returns:
        The results, in the order of the matches.
    """
    found: list[Result] = []
    start = time.monotonic()
    with Display(Console(stderr=True)) as display:
        for number, match in enumerate(matches):

            def show(
                share: float, number: int = number, label: str = match.label
            ) -> None:
                done = (number + share) / len(matches)
                display.say(done, time.monotonic() - start, label)

            show(0.0)
            result = _look_up(match, known) or measure(match, workers, show)
            found.append(result)
            rest = [row for row in known if row not in found]
            write_atomically(path, json.dumps([*found, *rest], indent=1).encode())
            print(_row(result), flush=True)
    return found


def _look_up(match: Match, known: Sequence[Result]) -> Result | None:
    """Returns the result of a match if it is among those known."""
    key = _key(match)
    for row in known:
        if all(row.get(name) == value for name, value in key.items()):
            return row
    return None


def check(matches: Sequence[Match], workers: int, output: Path) -> None:
    """Refuses what would come to nothing, before anything is played.

    Raises:
        ValueError: A number or an agent will not do, or there is nowhere to write.
    """
    if output.suffix != ".md":
        raise ValueError(f"--output: a file that ends in .md, not {str(output)!r}")
    if not os.access(output.parent, os.W_OK | os.X_OK) or output.is_dir():
        raise ValueError(f"--output: {output} cannot be written")
    for match in matches:
        try:
            _config(match, workers)
            rules = RuleConfig(num_players=match.players)
            for name in (_AGENT, match.opponent):
                make_agent(name, rules)
        except (RummyError, ValueError) as error:
            raise ValueError(f"{match.label}: {error}") from error


def _read(path: Path) -> list[Result]:
    """Returns the results in a file, none if there is no such file.

    Raises:
        ValueError: It is no file of results.
    """
    if not path.exists():
        return []
    try:
        rows: list[Result] = json.loads(path.read_text(encoding="utf-8"))
        for row in rows:
            _check_row(**row)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{path} holds no results of this command; remove it"
        ) from error
    return rows


def _check_row(ahead: Any, won: Any, weights: Any, **match: Any) -> None:
    """Refuses what is no result.

    Raises:
        TypeError: It has other fields.
        ValueError: A number is none.
    """
    counted = Match(**match)
    numbers = [counted.players, counted.deals, counted.seed]
    values = dataclasses.astuple(Estimate(**ahead)) + dataclasses.astuple(
        Estimate(**won)
    )
    are_whole = all(type(number) is int for number in numbers)
    are_finite = all(type(value) is float for value in values) and all(
        map(math.isfinite, values)
    )
    if not (are_whole and are_finite and isinstance(weights, str)):
        raise ValueError("a number is none")


def _row(result: Result) -> str:
    """Returns a result as a row of a Markdown table."""
    ahead, won = Estimate(**result["ahead"]), Estimate(**result["won"])
    return (
        f"| {result['players']} | {result['opponent']} | {result['episode']} "
        f"| {result['deals']:,} | {ahead.mean:+.1f} ± {_half(ahead):.1f} "
        f"| {100 * won.mean:.1f} ± {100 * _half(won):.1f} |"
    )


def _half(estimate: Estimate) -> float:
    """Returns half the width of an interval."""
    return (estimate.high - estimate.low) / 2


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
        prog="python -m agents.report",
        description=__doc__.split("\n")[0],
        epilog="One to two hours on two cores as it is; each result is kept at once, "
        "in a JSON file beside the report, and --resume goes on from there.",
    )
    add = parser.add_argument
    add("--deals", type=int, default=10_000, help="deals of rounds (%(default)s)")
    add("--games", type=int, default=500, help="deals of whole games (%(default)s)")
    add(
        "--against",
        nargs="+",
        default=list(_OPPONENTS),
        help="agents by name, the one that counts first (%(default)s)",
    )
    add(
        "--other-deals",
        type=int,
        default=2000,
        help="deals of rounds at most against all but the first (%(default)s)",
    )
    add(
        "--players",
        nargs="+",
        type=int,
        default=shipped_players(_AGENT),
        help="how many play; all that there are weights for by default",
    )
    add("--seed", type=int, default=20_000, help="of the deals (%(default)s)")
    add(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        help="processes (%(default)s)",
    )
    add("--output", type=Path, default=_FILE, help="the file (%(default)s)")
    add("--resume", action="store_true", help="keep the results that are there")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and writes the report; returns the exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if not chosen.players:
        parser.error(f"no weights of {_AGENT} are shipped: there is nothing to measure")
    try:
        matches = planned(chosen)
        check(matches, chosen.workers, chosen.output)
        path = chosen.output.with_suffix(".json")
        known = _read(path) if chosen.resume else []
        found = measure_all(matches, chosen.workers, path, known)
        made = [line for players in chosen.players for line in how_made(players)]
    except (RummyError, ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("interrupted; --resume goes on with what was found", file=sys.stderr)
        return _INTERRUPTED
    rows = [_row(result) for result in found]
    write_atomically(chosen.output, to_markdown(rows, made).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
