"""Results as tables for people and as JSON for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.table import Table

from agents.checkpoint import write_atomically
from agents.evaluation.estimates import Estimate
from agents.evaluation.match import MatchResult
from agents.evaluation.results import Profile, Report


def _cell(estimate: Estimate, form: str, factor: float = 1.0, digits: int = 1) -> str:
    """Returns a mean and half the width of its interval, as in `+3.1 ± 1.2`."""
    half = (estimate.high - estimate.low) / 2
    return f"{factor * estimate.mean:{form}} ± {factor * half:.{digits}f}"


def result_table(results: Sequence[MatchResult]) -> Table:
    """Returns a table of one row a match that fits 80 columns."""
    table = Table(
        title="Same deals, seats rotated: mean a round ± 95 % confidence",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("agent", "against"):
        table.add_column(name)
    for name in ("rounds", "score", "ahead by", "rounds won, %"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        table.add_row(
            result.candidate,
            f"{result.num_players - 1} x {result.opponent}",
            f"{result.num_deals * result.num_players:,}",
            _cell(result.score, ".1f"),
            _cell(result.difference, "+.1f"),
            _cell(result.win_rate, ".1f", 100),
        )
    return table


def write_json(path: Path, results: Sequence[MatchResult]) -> None:
    """Writes a list of objects with the fields of `MatchResult`."""
    plain = [dataclasses.asdict(result) for result in results]
    write_atomically(path, _json(plain))


def write_report(path: Path, report: Report) -> None:
    """Writes a tournament's report as JSON; equal reports are equal bytes."""
    write_atomically(path, _json(report.to_json()))


def _json(plain: Any) -> bytes:
    """Returns plain data as JSON, with a newline at the end."""
    return (json.dumps(plain, indent=2, allow_nan=False) + "\n").encode()


def report_tables(report: Report) -> list[Table]:
    """Returns a tournament's report as tables: ranking, payoff, how agents play."""
    tables = [_ranking_table(report), _profile_table(report)]
    if len(report.agents) > 1:
        tables.insert(1, _payoff_table(report))
    return tables


def describe(report: Report) -> str:
    """Returns in a line what was played."""
    players, lineups = len(report.lineups[0]), len(report.lineups)
    which = f"{lineups} lineups x " if lineups > 1 else ""
    return (
        f"{players} players, {report.num_deals:,} deals x {which}{report.seatings} "
        f"seatings, a {report.episode} each; mean ± 95 % confidence"
    )


def _table(title: str, texts: Sequence[str], numbers: Sequence[str]) -> Table:
    """Returns an empty table with columns of texts and of numbers."""
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for name in texts:
        table.add_column(name, overflow="fold", min_width=_NAME_WIDTH)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _ranking_table(report: Report) -> Table:
    """Returns the agents, the best first."""
    numbers = ("rating", "score", "ahead by", "won, %")
    table = _table(describe(report), ("agent",), numbers)
    for agent in report.ranking:
        table.add_row(
            agent.name,
            _cell(agent.rating, "+.0f"),
            _cell(agent.score, ".1f"),
            _cell(agent.ahead, "+.2f", digits=2),
            _cell(agent.win_rate, ".1f", 100),
        )
    return table


def _payoff_table(report: Report) -> Table:
    """Returns by how much the agent of a row is ahead of that of a column."""
    names = [agent.name for agent in report.agents]
    table = _table("Score of the row less that of the column", ("agent",), names)
    for name, row in zip(names, report.payoff, strict=True):
        cells = ["" if cell is None else _cell(cell, "+.1f") for cell in row]
        table.add_row(name, *cells)
    return table


_NAME_WIDTH: Final = 12
"""Letters of a name that numbers leave room for, however narrow the terminal."""

PROFILE_COLUMNS: Final = {
    "points_left": ("points\nleft", ".1f", 1),
    "knocks": ("knocks,\n%", ".1f", 100),
    "undercuts": ("undercut,\n%", ".1f", 100),
    "outs": ("out,\n%", ".1f", 100),
    "draws_per_turn": ("draws\na turn", ".2f", 1),
    "cards_per_meld": ("cards\na meld", ".2f", 1),
}
"""Columns of how agents play: by field of `Profile`, heading, format and factor."""


def profile_cells(profile: Profile) -> list[str]:
    """Returns how an agent plays as texts, in the order of `PROFILE_COLUMNS`."""
    found = [(getattr(profile, name), *how) for name, how in PROFILE_COLUMNS.items()]
    return [
        "-" if value is None else f"{value * factor:{form}}"
        for value, _, form, factor in found
    ]


def _profile_table(report: Report) -> Table:
    """Returns how the agents play."""
    headings = [heading for heading, _, _ in PROFILE_COLUMNS.values()]
    table = _table("How they play, a round", ("agent",), headings)
    for agent in report.ranking:
        table.add_row(agent.name, *profile_cells(agent.profile))
    return table
