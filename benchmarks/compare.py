"""Measures the engine side by side with its peers, in one run and in turn.

Each round goes through all runners, so that a busy minute of the machine falls on all
of them; figures are medians of the rounds with the lowest and the highest. What peers
need is installed into environments of their own, the first time. A peer that cannot be
installed or fails is a row that says why. After each round, and after Ctrl-C, the
tables are in `figures.md` and `figures.json`, the chart in `figures.svg`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks import chart, environments, questions
from benchmarks.catalogue import ROOT, RUNNERS, TABLES, Runner, table_of
from benchmarks.environments import NotMeasured
from benchmarks.peers.protocol import Output
from benchmarks.report import Report, agreement_lines, write

FOLDER: Final = ROOT / ".bench"
INTERRUPTED: Final = 130
SLACK: Final = 20
"""How many times longer than asked for a figure may take; greedy play needs ten."""


class Options(argparse.Namespace):
    """What the command line says.

    Attributes:
        only: Names of runners; all where it is empty.
        repeats: Rounds.
        seconds: For each figure in each round.
        questions: To the solver, of each kind in each round.
        output: Where the report goes.
        environments: Where the peers' environments are kept.
    """

    only: list[str]
    repeats: int
    seconds: float
    questions: int
    output: Path
    environments: Path


def parse(words: Sequence[str] | None = None) -> Options:
    """Reads a command line."""
    names = [runner.name for runner in RUNNERS]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_list_of_runners(),
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=names,
        default=[],
        metavar="RUNNER",
        help="measure these alone; they are listed below",
    )
    parser.add_argument(
        "--repeats", type=_whole, default=5, help="rounds (%(default)s)"
    )
    parser.add_argument(
        "--seconds",
        type=_positive,
        default=2.0,
        help="for each figure in each round (%(default)s)",
    )
    parser.add_argument(
        "--questions",
        type=_whole,
        default=40,
        help="to the solver, of each kind in each round (%(default)s)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=FOLDER / "results",
        help="folder for tables and chart (.bench/results)",
    )
    parser.add_argument(
        "--environments",
        type=Path,
        default=FOLDER,
        help="folder for the peers' environments (.bench)",
    )
    return parser.parse_args(words, namespace=Options())


def _whole(text: str) -> int:
    """Returns a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1, not {text!r}")
    return int(text)


def _positive(text: str) -> float:
    """Returns a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"a number of seconds above 0, not {text!r}")
    return number


def _list_of_runners() -> str:
    """Returns the runners and what they measure, for the help."""
    lines = ["runners:"]
    for runner in RUNNERS:
        first, count = runner.rows[0].label, len(runner.rows)
        more = f" and {count - 1} more" if count > 1 else ""
        lines.append(f"  {runner.name:<11} {first}{more}")
    return "\n".join(lines)


def chosen(options: Options) -> tuple[Runner, ...]:
    """Returns the runners asked for, in the order of the catalogue."""
    only = options.only or [runner.name for runner in RUNNERS]
    return tuple(runner for runner in RUNNERS if runner.name in only)


class Run:
    """A run through all rounds.

    Args:
        options: What was asked for.

    Attributes:
        report: What was measured so far.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.report = Report(
            settings={
                "repeats": options.repeats,
                "seconds": options.seconds,
                "questions": options.questions,
                "only": options.only,
            },
            runners=chosen(options),
        )
        self._pythons: dict[str, Path] = {}
        self._begun = time.monotonic()

    def measure(self) -> None:
        """Makes environments and questions, then goes round."""
        for runner in self.report.runners:
            self._prepare(runner)
        if any(runner.asks for runner in self.report.runners):
            self._write_questions()
        for turn in range(self.options.repeats):
            for runner in self.report.runners:
                if runner.name in self._pythons:
                    self._measure(runner, turn)
            self.report.rounds = turn + 1
            self.save()

    def save(self) -> None:
        """Writes tables and chart, as far as the run has come."""
        self.report.seconds = time.monotonic() - self._begun
        folder = self.options.output
        write(folder / "figures.json", self.report.to_json())
        write(folder / "figures.md", self.report.to_markdown())
        try:
            write(folder / "figures.svg", chart.draw(self.report))
        except chart.NoChart as reason:
            say(f"no chart: {reason}")

    @property
    def _questions(self) -> Path:
        """The file of questions."""
        return self.options.environments / "questions.json"

    def _write_questions(self) -> None:
        """Writes the questions of all rounds."""
        say("playing to positions for the solvers ...")
        found = questions.generate(self.options.questions * self.options.repeats)
        write(self._questions, json.dumps(found))

    def _prepare(self, runner: Runner) -> None:
        """Makes a runner's environment, or notes why there is none."""
        if runner.has_environment:
            say(f"environment of {runner.name} ...")
        try:
            self._pythons[runner.name] = environments.prepare(
                runner, self.options.environments
            )
        except NotMeasured as reason:
            self._give_up(runner, reason)

    def _measure(self, runner: Runner, turn: int) -> None:
        """Runs a runner; one that fails is not tried again."""
        options, start = self.options, time.monotonic()
        order = ["--seconds", str(options.seconds), "--seed", str(turn)]
        order += ["--part", str(turn), "--parts", str(options.repeats)]
        order += ["--questions", str(self._questions.resolve())]
        limit = runner.base_seconds + SLACK * options.seconds * len(runner.rows)
        python = self._pythons[runner.name]
        try:
            output = environments.measure(runner, python, order, limit)
        except NotMeasured as reason:
            self._give_up(runner, reason)
            return
        self.report.add(runner, output, turn)
        spent = time.monotonic() - start
        head = f"{turn + 1}/{options.repeats} {runner.name} ({spent:.0f} s)"
        say(f"{head}: {progress(runner, output)}")

    def _give_up(self, runner: Runner, reason: NotMeasured) -> None:
        """Notes why a runner is left out from here on."""
        self._pythons.pop(runner.name, None)
        self.report.miss(runner, str(reason))
        say(f"{runner.name} is not measured: {reason}")


def progress(runner: Runner, output: Output) -> str:
    """Returns what a runner printed, in one line."""
    shown = []
    for row in runner.rows:
        figure = output["figures"].get(row.key)
        table = TABLES[table_of(runner, row)]
        if figure is not None:
            value = f"{figure['value']:,.{table.digits}f}"
            shown.append(f"{row.key} {value} {table.unit}")
    return ", ".join([*shown, *output["errors"]])


def say(line: str) -> None:
    """Prints a line at once."""
    print(line, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """Measures what the command line asks for; returns the exit status."""
    options = parse(words)
    run = Run(options)
    try:
        run.measure()
    except KeyboardInterrupt:
        run.report.was_stopped = True
        run.save()
        say(f"stopped; what was measured is in {options.output}")
        return INTERRUPTED
    say("\n" + run.report.to_markdown())
    say(f"written to {options.output}")
    agreement = run.report.agreement()
    if any(counts["other"] for counts in agreement.values()):
        say("\n".join(["the solvers disagree:", *agreement_lines(agreement)]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
