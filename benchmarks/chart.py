"""A chart of a report: applied actions a second, and what a question takes."""

from __future__ import annotations

import io
from typing import Any

from benchmarks.catalogue import TABLES, Row
from benchmarks.report import Report, Result

OURS, THEIRS = "#1f6feb", "#8b949e"
BAR_INCHES = 0.24


class NoChart(Exception):
    """Why there is no chart, in one line."""


def bars(report: Report, name: str) -> list[tuple[Row, Result]]:
    """Returns the rows of a table that have figures."""
    return [(row, result) for row, result in report.rows_of(name) if result.values]


def draw(report: Report) -> str:
    """Returns the chart as SVG.

    Raises:
        NoChart: Matplotlib is not installed, or nothing was measured.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise NoChart("it needs matplotlib: pip install -e '.[bench]'") from None
    panels = [(name, bars(report, name)) for name in ("steps", "solver")]
    panels = [(name, found) for name, found in panels if found]
    if not panels:
        raise NoChart("nothing that it shows was measured")
    heights = [len(found) + 3 for _, found in panels]
    # a fixed salt and no date: the same figures make the same file
    with rc_context({"svg.hashsalt": "rummy_env", "font.size": 8}):
        figure = Figure(figsize=(8, BAR_INCHES * sum(heights)), layout="constrained")
        axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)
        for axis, (name, found) in zip(axes[:, 0], panels, strict=True):
            _draw_panel(axis, name, found)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _draw_panel(axis: Any, name: str, found: list[tuple[Row, Result]]) -> None:
    """Draws a bar with its spread for each row; a logarithmic scale holds them all."""
    key = "mean" if name == "solver" else "median"
    sums = [result.summary() or {} for _, result in found]
    values = [shown[key] for shown in sums]
    low = [max(0.0, shown[key] - shown["lowest"]) for shown in sums]
    high = [max(0.0, shown["highest"] - shown[key]) for shown in sums]
    axis.barh(
        range(len(found)),
        values,
        xerr=[low, high],
        color=[OURS if row.is_own else THEIRS for row, _ in found],
        error_kw={"elinewidth": 0.8},
    )
    axis.set_yticks(range(len(found)), [_label(row) for row, _ in found])
    axis.set_xscale("log")
    axis.set_xlim(left=min(values) / 3)
    axis.invert_yaxis()
    title = f"{TABLES[name].title}, {TABLES[name].unit}, {key} (blue: rummy_env)"
    axis.set_title(title, loc="left")
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def _label(row: Row) -> str:
    """Returns what stands beside a bar."""
    return f"{row.label}: {row.game}" if row.game else row.label
