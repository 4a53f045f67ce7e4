"""A report as one HTML page with its charts in it; nothing is fetched from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Final

from agents.checkpoint import write_atomically
from agents.evaluation.estimates import Estimate
from agents.evaluation.report import PROFILE_COLUMNS, describe, profile_cells
from agents.evaluation.results import AgentResult, Report

_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem;
  padding: 0 1rem; color: #1c1e21; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse } td, th { padding: .25rem .7rem; text-align: right }
td:first-child, th:first-child { text-align: left }
thead th { border-bottom: 1px solid #888 } svg { max-width: 100%; height: auto }
.note { color: #555 }
"""
_WIDTH: Final = 720
_LABELS: Final = 170
_ROW: Final = 26
_BLUE: Final = (33, 102, 172)
_RED: Final = (178, 24, 43)


def write_html(path: Path, report: Report) -> None:
    """Writes a report as a page, whole or not at all."""
    write_atomically(path, page(report).encode())


def page(report: Report) -> str:
    """Returns a report as a page."""
    title = " · ".join(agent.name for agent in report.ranking)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="note">{escape(describe(report))}; seed {report.seed}</p>',
        "<h2>Ahead of the others, points a game</h2>",
        _intervals(report.ranking, lambda agent: agent.ahead),
        "<h2>Rating (400 more is ten times the chance to win)</h2>",
        _intervals(report.ranking, lambda agent: agent.rating),
        _results(report.ranking),
    ]
    if len(report.agents) > 1:
        parts += ["<h2>Score of the row less that of the column</h2>", _payoff(report)]
    parts += ["<h2>How they play</h2>", _profiles(report.ranking), _rules(report)]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _intervals(
    agents: Sequence[AgentResult], read: Callable[[AgentResult], Estimate]
) -> str:
    """Returns a chart of one estimate of each agent with its interval."""
    estimates = [read(agent) for agent in agents]
    low = min(0.0, *(estimate.low for estimate in estimates))
    high = max(0.0, *(estimate.high for estimate in estimates))
    scale = (_WIDTH - _LABELS - 90) / ((high - low) or 1.0)

    def place(value: float) -> float:
        return _LABELS + 10 + (value - low) * scale

    height = _ROW * len(agents) + 10
    lines = [_line(place(0), 0, place(0), height, "#999")]
    for row, (agent, estimate) in enumerate(zip(agents, estimates, strict=True)):
        y = _ROW * row + _ROW / 2 + 5
        color = _rgb(_BLUE if estimate.mean >= 0 else _RED)
        lines += [
            _text(_LABELS, y + 5, agent.name, "end"),
            _line(place(estimate.low), y, place(estimate.high), y, color, 3),
            f'<circle cx="{place(estimate.mean):.1f}" cy="{y}" r="5" fill="{color}"/>',
            _text(place(estimate.high) + 10, y + 5, f"{estimate.mean:+.1f}", "start"),
        ]
    return _svg(_WIDTH, height, lines)


def _payoff(report: Report) -> str:
    """Returns the payoff matrix as a chart: blue is ahead, red behind."""
    names = [agent.name for agent in report.agents]
    cells = [cell for row in report.payoff for cell in row if cell]
    most = max((abs(cell.mean) for cell in cells), default=0.0) or 1.0
    side = max(60, min(120, (_WIDTH - _LABELS) // len(names)))
    lines = [
        _text(_LABELS + side * (at + 0.5), 20, name, "middle")
        for at, name in enumerate(names)
    ]
    for row, (name, estimates) in enumerate(zip(names, report.payoff, strict=True)):
        y = 30 + 44 * row
        lines.append(_text(_LABELS - 8, y + 27, name, "end"))
        for column, cell in enumerate(estimates):
            if cell is not None:
                lines += _payoff_cell(_LABELS + side * column, y, side, cell, most)
    return _svg(_LABELS + side * len(names), 40 + 44 * len(names), lines)


def _payoff_cell(
    x: float, y: float, side: float, cell: Estimate, most: float
) -> list[str]:
    """Returns one cell of the payoff matrix."""
    share = abs(cell.mean) / most * 0.7
    base = _BLUE if cell.mean >= 0 else _RED
    red, green, blue = (round(255 + (part - 255) * share) for part in base)
    half = (cell.high - cell.low) / 2
    return [
        f'<rect x="{x}" y="{y}" width="{side - 2}" height="42" '
        f'fill="{_rgb((red, green, blue))}"/>',
        _text(x + side / 2, y + 19, f"{cell.mean:+.1f}", "middle"),
        _text(x + side / 2, y + 36, f"± {half:.1f}", "middle", 11),
    ]


def _results(agents: Sequence[AgentResult]) -> str:
    """Returns a table of what the agents scored."""
    rows = [
        [
            agent.name,
            f"{agent.num_games:,}",
            _with_half(agent.score, ".1f"),
            _with_half(agent.ahead, "+.2f"),
            _with_half(agent.win_rate, ".1f", 100),
            _with_half(agent.rating, "+.0f"),
        ]
        for agent in agents
    ]
    return _table(["agent", "games", "score", "ahead by", "won, %", "rating"], rows)


def _with_half(estimate: Estimate, form: str, factor: float = 1) -> str:
    """Returns a mean and half the width of its interval."""
    half = factor * (estimate.high - estimate.low) / 2
    return f"{factor * estimate.mean:{form}} ± {half:{form.lstrip('+')}}"


def _profiles(agents: Sequence[AgentResult]) -> str:
    """Returns a table of how the agents play."""
    headings = [heading for heading, _, _ in PROFILE_COLUMNS.values()]
    rows = [[agent.name, *profile_cells(agent.profile)] for agent in agents]
    return _table(["agent", *headings], rows)


def _rules(report: Report) -> str:
    """Returns the options of the game in a line."""
    options = ", ".join(f"{name} {value}" for name, value in report.rules.items())
    return f'<p class="note">Rules: {escape(options)}</p>'


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    """Returns a chart."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str, size: int = 14) -> str:
    """Returns a text of a chart."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'font-size="{size}">{escape(text)}</text>'
    )


def _line(
    x1: float, y1: float, x2: float, y2: float, color: str, width: int = 1
) -> str:
    """Returns a line of a chart."""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{color}" stroke-width="{width}"/>'
    )


def _rgb(color: tuple[int, int, int]) -> str:
    """Returns a color for SVG."""
    return "#" + "".join(f"{part:02x}" for part in color)
