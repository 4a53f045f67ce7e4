"""Writes the figures of a run into the README: `python -m benchmarks.readme`.

It reads `benchmarks/results/figures.json`, or the file named, and replaces what stands
between the two marks in README.md. A test holds the README to the figures kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from benchmarks.report import write

_HERE: Final = Path(__file__).parent
FIGURES: Final = _HERE / "results" / "figures.json"
README: Final = _HERE.parent / "README.md"
BEGIN: Final = "<!-- figures: written by python -m benchmarks.readme -->"
END: Final = "<!-- end of figures -->"

_PLAYERS: Final = (2, 3, 5)
_SIZES: Final = {0: "below 20", 20: "20 to 39", 40: "40 to 59", 60: "60 and more"}
_STEPS: Final = (
    *(f"raw_env_{players}" for players in _PLAYERS),
    *(f"env_{players}" for players in _PLAYERS),
    *(f"vector_{players}_{threads}" for threads in (1, 2) for players in _PLAYERS),
    "noop_env",
    "openspiel_python",
    "openspiel_bots",
    "rlcard",
    "pettingzoo_raw_env",
    "pettingzoo_env",
    "pgx_sparrow_mahjong",
    "pgx_connect_four",
)
_SOLVERS: Final = ("solver", "glpk", "scipy")

Rows = dict[str, Any]
"""Rows of figures by key, as `report` writes them."""


def _table(head: list[str], rows: list[list[str]]) -> str:
    """Returns a Markdown table, all columns but the first right-aligned."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _median(rows: Rows, key: str, digits: int = 0) -> str:
    """Returns a median as text, or a dash where there is no figure."""
    summary = rows.get(key, {}).get("summary")
    return f"{summary['median']:,.{digits}f}" if summary else "-"


def steps_table(rows: Rows) -> str:
    """Returns applied actions a second, ours and the peers'."""
    lines = []
    for key in _STEPS:
        row = rows.get(key)
        if row and (summary := row["summary"]):
            game = "ours" if row["is_own"] else row["game"]
            spread = f"{summary['lowest']:,.0f} to {summary['highest']:,.0f}"
            lines.append([row["label"], game, f"{summary['median']:,.0f}", spread])
    return _table(["what", "game", "actions/s", "lowest to highest"], lines)


def decisions_table(rows: Rows) -> str:
    """Returns decisions a second and microseconds for a mask, by players."""
    head = ["players", "one thread", "two threads", "ratio", "greedy play"]
    lines = []
    for players in _PLAYERS:
        one, two = f"decisions_{players}_1", f"decisions_{players}_2"
        best = [max(rows[key]["values"], default=0.0) for key in (one, two)]
        ratio = f"{best[1] / best[0]:.2f}" if all(best) else "-"
        masks = [
            _median(rows, f"mask_{players}_{what}", 1)
            for what in ("mean", "p50", "p99", "max")
        ]
        greedy = _median(rows, f"greedy_decisions_{players}")
        speed = [_median(rows, one), _median(rows, two), ratio, greedy]
        lines.append([str(players), *speed, *masks])
    return _table([*head, "mask, mean", "p50", "p99", "max"], lines)


def sizes_table(rows: Rows) -> str:
    """Returns microseconds for a mask by the cards on the table."""
    lines = []
    for players in _PLAYERS:
        cells = [str(players)]
        for first in _SIZES:
            mean = _median(rows, f"mask_{players}_{first}_mean", 1)
            p99 = _median(rows, f"mask_{players}_{first}_p99")
            cells.append("-" if mean == "-" else f"{mean} ({p99})")
        lines.append(cells)
    return _table(["players", *_SIZES.values()], lines)


def solver_table(rows: Rows) -> str:
    """Returns milliseconds of solvers on the same questions."""
    lines = []
    for key, row in rows.items():
        if key.startswith("solver_"):
            kind = key.removeprefix("solver_")
            label = row["label"].split(":")[0]
            cells = [_question_cell(rows, f"{name}_{kind}") for name in _SOLVERS]
            lines.append([label, *cells])
    return _table(["question", "ours", "GLPK", "SciPy"], lines)


def _question_cell(rows: Rows, key: str) -> str:
    """Returns a mean with its 99th percentile, or a dash."""
    summary = rows.get(key, {}).get("summary")
    return f"{summary['mean']:.2f} ({summary['p99']:.2f})" if summary else "-"


def figures(rows: Rows) -> str:
    """Returns all tables with what they show, as Markdown."""
    best = [_median(rows, f"large_best_{what}") for what in ("mean", "p50", "p99")]
    layout = [_median(rows, f"large_arrange_{what}") for what in ("mean", "p50", "p99")]
    return "\n\n".join(
        [
            "Applied actions a second of random legal play, forced ones included, the "
            "median of five\nrounds with the lowest and the highest:",
            steps_table(rows),
            "Decisions a second, those that a caller gives (ratio of two threads to "
            "one: best of five\nagainst best of five), and microseconds for one exact "
            "mask:",
            decisions_table(rows),
            "Microseconds for a mask by the cards on the table, mean (99th "
            "percentile):",
            sizes_table(rows),
            "The solver and `rummikub-solver` on the same questions, milliseconds, "
            "mean (99th percentile):",
            solver_table(rows),
            "From `import` to the first `reset`, seconds: where the engine is compiled "
            f"for two\nplayers {_median(rows, 'start_cold_2', 1)}, for more "
            f"{_median(rows, 'start_cold', 1)}; afterwards "
            f"{_median(rows, 'start_warm', 2)}.",
            "Microseconds in the kernel on tables of 60 cards and more with a joker in "
            "hand, mean,\nmedian and 99th percentile: a best meld "
            f"{'; '.join(best)}. A layout {'; '.join(layout)}.",
        ]
    )


def replaced(text: str, between: str) -> str:
    """Returns a text with what stands between the two marks replaced.

    Raises:
        ValueError: The marks are not there.
    """
    before, has_begin, rest = text.partition(BEGIN)
    _, has_end, after = rest.partition(END)
    if not (has_begin and has_end):
        raise ValueError(f"the marks {BEGIN!r} and {END!r} are not in the README")
    return f"{before}{BEGIN}\n\n{between}\n\n{END}{after}"


def read_rows(path: Path) -> Rows:
    """Returns the rows of a file that `report` wrote, by key."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return {row["key"]: row for row in found["rows"]}


def main() -> None:
    """Reads the figures and writes them into the README."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FIGURES
    text = README.read_text(encoding="utf-8")
    write(README, replaced(text, figures(read_rows(path))))


if __name__ == "__main__":
    main()
