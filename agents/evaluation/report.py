"""Match results as a table for people and as JSON for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from agents.evaluation.match import Estimate, MatchResult


def _cell(estimate: Estimate, form: str, factor: float = 1.0) -> str:
    """Returns a mean and half the width of its interval, as in `+3.1 ± 1.2`."""
    half = (estimate.high - estimate.low) / 2
    return f"{factor * estimate.mean:{form}} ± {factor * half:.1f}"


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
    path.write_text(json.dumps(plain, indent=2) + "\n", encoding="utf-8")
