"""Match results as a table for people and as JSON for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from agents.evaluation.match import Estimate, MatchResult


def _cell(estimate: Estimate, factor: float = 1.0, *, signed: bool = False) -> str:
    """Returns a mean and its interval, as in `+3.1 [+2.0, +4.2]`."""
    sign = "+" if signed else ""
    mean, low, high = (
        f"{factor * value:{sign}.1f}"
        for value in (estimate.mean, estimate.low, estimate.high)
    )
    return f"{mean} [{low}, {high}]"


def result_table(results: Sequence[MatchResult]) -> Table:
    """Returns a table with one row a match, means with 95 % confidence intervals."""
    table = Table(
        title="Same deals, seats rotated: mean a round [95 % interval]",
        title_justify="left",
    )
    table.add_column("agent")
    table.add_column("against")
    for name in ("rounds", "score", "ahead of the others", "won, %"):
        table.add_column(name, justify="right")
    for result in results:
        table.add_row(
            result.candidate,
            f"{result.num_players - 1} x {result.opponent}",
            f"{result.num_deals * result.num_players:,}",
            _cell(result.score),
            _cell(result.difference, signed=True),
            _cell(result.win_rate, 100),
        )
    return table


def write_json(path: Path, results: Sequence[MatchResult]) -> None:
    """Writes a list of objects with the fields of `MatchResult`."""
    plain = [dataclasses.asdict(result) for result in results]
    path.write_text(json.dumps(plain, indent=2) + "\n", encoding="utf-8")
