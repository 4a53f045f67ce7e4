"""The figures of a run, as they come in: collected, as Markdown, as JSON, written."""

from __future__ import annotations

import itertools
import json
import os
import platform
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

import rummy_env
from benchmarks.catalogue import RUNNERS, TABLES, Row, Runner, table_of
from benchmarks.peers.protocol import Output
from benchmarks.questions import KINDS

PERCENTILES: Final = (50, 95, 99)
NOT_RUN: Final = "not run"

Answers = dict[int, list[Any]]


@dataclass
class Result:
    """The figures of a row.

    Attributes:
        values: One for each repetition.
        steps: What was counted, in all.
        seconds: How long the clock ran, in all.
        times: Milliseconds of all questions, where questions were asked.
        answers: The answers to the questions of each round.
        reason: Why there is no figure, if there is none.
    """

    values: list[float] = field(default_factory=list)
    steps: int = 0
    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    answers: Answers = field(default_factory=dict)
    reason: str = NOT_RUN

    def summary(self) -> dict[str, float] | None:
        """Returns the median, the spread and percentiles, or None without figures."""
        if not self.values:
            return None
        shown = {
            "median": statistics.median(self.values),
            "lowest": min(self.values),
            "highest": max(self.values),
        }
        if self.times:
            shown["mean"] = statistics.fmean(self.times)
            for percent in PERCENTILES:
                shown[f"p{percent}"] = float(np.percentile(self.times, percent))
        return shown


@dataclass
class Report:
    """The figures of a run.

    Attributes:
        settings: What the run was asked for.
        runners: What was to be measured.
        results: By the key of their row.
        versions: Of what was measured, by runner.
        rounds: Repetitions that are complete.
        seconds: How long the run took so far.
        was_stopped: Whether it was interrupted.
    """

    settings: dict[str, Any]
    runners: tuple[Runner, ...] = RUNNERS
    results: dict[str, Result] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    rounds: int = 0
    seconds: float = 0.0
    was_stopped: bool = False

    def __post_init__(self) -> None:
        for runner in self.runners:
            for row in runner.rows:
                self.results.setdefault(row.key, Result())

    def add(self, runner: Runner, output: Output, turn: int) -> None:
        """Takes in what a runner printed in a round."""
        self.versions[runner.name] = dict(output["versions"])
        reason = "; ".join(output["errors"]) or "the runner left it out"
        for row in runner.rows:
            result = self.results[row.key]
            figure = output["figures"].get(row.key)
            if figure is None:
                result.reason = reason
                continue
            result.values.append(figure["value"])
            result.steps += figure["steps"]
            result.seconds += figure["seconds"]
            result.times += figure.get("times", [])
            result.answers[turn] = figure.get("answers", [])

    def miss(self, runner: Runner, reason: str) -> None:
        """Notes why a runner has no figures, or no more of them."""
        for row in runner.rows:
            self.results[row.key].reason = reason

    def rows_of(self, name: str) -> list[tuple[Row, Result]]:
        """Returns the rows of a table, for the solvers by what was asked."""
        found = [
            (row, self.results[row.key])
            for runner in self.runners
            for row in runner.rows
            if table_of(runner, row) == name
        ]
        kinds = list(KINDS)
        if name == "solver":
            found.sort(key=lambda pair: kinds.index(pair[0].key.split("_", 1)[1]))
        return found

    def agreement(self) -> dict[str, dict[str, int]]:
        """Returns how the peer's answers compare with ours, by row of the peer.

        Where a joker is held the peer may lay one tile less for it, which is counted
        on its own; see `benchmarks.questions`.
        """
        return {
            f"{name}_{kind}": compare(
                self.results[f"solver_{kind}"].answers,
                self.results[f"{name}_{kind}"].answers,
                asked.jokers,
            )
            for name in ("glpk", "scipy")
            for kind, asked in KINDS.items()
            if f"solver_{kind}" in self.results and f"{name}_{kind}" in self.results
        }

    def to_json(self) -> str:
        """Returns all of it as JSON."""
        rows = [
            {
                "key": row.key,
                "runner": runner.name,
                "table": table_of(runner, row),
                "label": row.label,
                "game": row.game,
                "note": row.note,
                "unit": TABLES[table_of(runner, row)].unit,
                "is_own": row.is_own,
                **_result_as_json(self.results[row.key]),
            }
            for runner in self.runners
            for row in runner.rows
        ]
        whole = {
            "rummy_env": rummy_env.__version__,
            "machine": machine(),
            "settings": self.settings,
            "rounds": self.rounds,
            "seconds": round(self.seconds, 1),
            "was_stopped": self.was_stopped,
            "versions": self.versions,
            "agreement": self.agreement(),
            "rows": rows,
        }
        return json.dumps(whole, indent=1) + "\n"

    def to_markdown(self) -> str:
        """Returns all of it as Markdown."""
        parts = [self._heading()]
        for name in TABLES:
            found = self.rows_of(name)
            if found:
                parts.append(_section(name, found))
        lines = agreement_lines(self.agreement())
        if lines:
            parts.append("\n".join(lines))
        return "\n\n".join(parts) + "\n"

    def _heading(self) -> str:
        """Returns what stands above the tables."""
        found = machine()
        # a package may be there in two versions: ours, and in a peer's environment
        versions = dict.fromkeys(
            f"{name} {version}"
            for packages in self.versions.values()
            for name, version in packages.items()
        )
        named = ", ".join([f"rummy_env {rummy_env.__version__}", *versions])
        stopped = " It was stopped early." if self.was_stopped else ""
        return (
            "# Figures side by side\n\n"
            f"Written by `make bench`: {self.rounds} rounds through all runners in "
            f"turn, {self.settings.get('seconds')} s for each figure in each.{stopped} "
            "Medians of the rounds with the lowest and the highest.\n\n"
            f"On {found['cores']} cores, {found['processor']}, Python "
            f"{found['python']}. {named}."
        )


def compare(ours: Answers, theirs: Answers, jokers: int) -> dict[str, int]:
    """Returns how many answers are equal, less by no more than the jokers, or other.

    Args:
        ours: Our answers by round.
        theirs: The peer's; only rounds that both have count.
        jokers: Jokers in each hand.
    """
    counts = {"asked": 0, "equal": 0, "fewer": 0, "other": 0}
    both = sorted(ours.keys() & theirs.keys())
    pairs = [zip(ours[turn], theirs[turn], strict=True) for turn in both]
    for own, other in itertools.chain.from_iterable(pairs):
        counts["asked"] += 1
        if own == other:
            counts["equal"] += 1
        elif jokers and own - jokers <= other < own:
            counts["fewer"] += 1
        else:
            counts["other"] += 1
    return counts


def agreement_lines(agreement: dict[str, dict[str, int]]) -> list[str]:
    """Returns in words how the answers compare, for what was asked of both."""
    lines = []
    for key, counts in agreement.items():
        if counts["asked"] == 0:
            continue
        name, kind = key.split("_", 1)
        line = (
            f"- {name}, {KINDS[kind].label}: {counts['equal']} of {counts['asked']} "
            "answers equal ours"
        )
        if KINDS[kind].jokers:
            line += f", {counts['fewer']} are one tile less: the joker's, left in hand"
        lines.append(line + (f", {counts['other']} DIFFER" * (counts["other"] > 0)))
    return lines


def machine() -> dict[str, Any]:
    """Returns what the figures were measured on."""
    return {
        "cores": os.cpu_count(),
        "processor": _processor(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    """Returns the name of the processor, as far as it is known."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    names = [line for line in text.splitlines() if line.startswith("model name")]
    if names:
        return names[0].split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _result_as_json(result: Result) -> dict[str, Any]:
    """Returns a result as JSON takes it."""
    summary = result.summary()
    return {
        "values": result.values,
        "summary": summary,
        "steps": result.steps,
        "seconds": result.seconds,
        "not_measured": None if summary is not None else result.reason,
    }


def _section(name: str, found: list[tuple[Row, Result]]) -> str:
    """Returns a table under its heading."""
    table = TABLES[name]
    extra = [f"p{percent}" for percent in PERCENTILES] if name == "solver" else []
    names = [key for key in ("game", "note") if any(getattr(r, key) for r, _ in found)]
    head = ["what", f"{table.unit}, median", "lowest to highest"]
    if extra:
        head = ["what", f"{table.unit}, mean", "lowest to highest", *extra]
    head += names
    lines = [f"## {table.title}", "", table.text, ""]
    lines += [_line(head), _line(["---"] * len(head))]
    for row, result in found:
        cells = _cells(result, table.digits, extra)
        words = [
            getattr(row, key) or ("ours" if key == "game" else "") for key in names
        ]
        lines.append(_line([row.label, *cells, *words]))
    return "\n".join(lines)


def _cells(result: Result, digits: int, extra: list[str]) -> list[str]:
    """Returns the figures of a line, or why there are none."""
    summary = result.summary()
    if summary is None:
        reason = result.reason.replace("|", "/")
        return [f"not measured: {reason}", *[""] * (1 + len(extra))]
    middle = summary["mean" if extra else "median"]
    spread = f"{summary['lowest']:,.{digits}f} to {summary['highest']:,.{digits}f}"
    shown = [f"{summary[name]:,.{digits}f}" for name in extra]
    return [f"{middle:,.{digits}f}", spread, *shown]


def _line(cells: list[str]) -> str:
    """Returns a line of a table."""
    return f"| {' | '.join(cells)} |"


def write(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
