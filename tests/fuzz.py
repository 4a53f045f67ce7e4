"""Looks for positions on which the engine and an oracle differ: `make fuzz`.

It draws fresh examples for every oracle of `tests/oracles.py` in turn until the time
is over or Ctrl-C is pressed, writes a summary, and exits with 1 on a disagreement:

    python -m tests.fuzz --minutes 30 --seed 1 --out fuzz.txt
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from tests.oracles import ORACLES, Oracle, Seen

BATCH = 200
"""Examples drawn for an oracle before the next has its turn."""
MOST_FOUND = 3
"""An oracle with so many disagreements is not asked any more."""


@dataclass
class Fuzz:
    """What was compared so far.

    Attributes:
        seed: Draws the examples: the same seed, the same examples.
        until: When to stop, by `time.monotonic`.
        seen: For each oracle what it counted, "examples" and "positions" among it.
        found: Disagreements, as an oracle and a text.
    """

    seed: int
    until: float
    seen: dict[str, Seen] = field(default_factory=dict)
    found: list[tuple[str, str]] = field(default_factory=list)

    def run_batch(self, oracle: Oracle, seed: int) -> None:
        """Compares a batch of examples; the rest is passed over once time is up."""
        seen = self.seen.setdefault(oracle.name, Counter())
        failed = False  # then it is made smaller, whatever the time

        @hypothesis.seed(seed)
        @settings(
            max_examples=BATCH,
            derandomize=False,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
            print_blob=False,
        )
        @given(oracle.examples)
        def compare(example: object) -> None:
            nonlocal failed
            if failed or time.monotonic() < self.until:
                seen["examples"] += 1
                before, failed = failed, True
                oracle.check(example, seen)
                failed = before

        try:
            compare()
        except Exception as error:  # a crash of the engine is a disagreement, too
            self.found.append((oracle.name, f"{type(error).__name__}: {error}"))

    def is_open(self, oracle: Oracle) -> bool:
        """Returns whether an oracle has not yet found enough."""
        return sum(name == oracle.name for name, _ in self.found) < MOST_FOUND

    def run(self, progress: Progress, oracles: Sequence[Oracle]) -> None:
        """Goes round the oracles until the time is over."""
        left = self.until - time.monotonic()
        task = progress.add_task("", total=left)
        seeds, started = random.Random(self.seed), time.monotonic()
        while time.monotonic() < self.until and any(map(self.is_open, oracles)):
            for oracle in oracles:
                seed = seeds.getrandbits(64)
                if time.monotonic() < self.until and self.is_open(oracle):
                    text = f"{self.totals()}; {oracle.name}"
                    done = time.monotonic() - started
                    progress.update(task, description=text, completed=done)
                    self.run_batch(oracle, seed)

    def totals(self) -> str:
        """Returns the counts of all oracles in a line."""
        counts = sum(self.seen.values(), Counter[str]())
        return (
            f"{counts['examples']:,} examples, {counts['positions']:,} positions, "
            f"{len(self.found)} disagreements"
        )

    def summary(self, minutes: float) -> str:
        """Returns what was compared, as Markdown, and every disagreement."""
        lines = [f"Seed {self.seed}, {minutes:.1f} minutes: {self.totals()}.", ""]
        lines += ["| oracle | examples | positions |", "| --- | ---: | ---: |"]
        for name, seen in self.seen.items():
            lines.append(f"| {name} | {seen['examples']:,} | {seen['positions']:,} |")
        for name, text in self.found:
            lines += ["", f"Disagreement with {name}:", "", *_indented(text)]
        return "\n".join(lines) + "\n"


def _indented(text: str) -> list[str]:
    """Returns the lines of a text as code."""
    return [f"    {line}" for line in text.splitlines()]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (30)")
    parser.add_argument("--seed", type=int, help="draws the examples (by the clock)")
    parser.add_argument("--out", type=Path, help="where to write the summary")
    names = [oracle.name for oracle in ORACLES]
    parser.add_argument("--only", choices=names, help="compare with one oracle only")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compares until the time is over; returns the exit code."""
    options = parse(arguments)
    seed = time.time_ns() % 2**32 if options.seed is None else options.seed
    oracles = [o for o in ORACLES if options.only in (None, o.name)]
    started = time.monotonic()
    fuzz = Fuzz(seed, started + 60 * options.minutes)
    columns = (BarColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    try:
        with Progress(*columns, console=Console(stderr=True)) as progress:
            fuzz.run(progress, oracles)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    text = fuzz.summary((time.monotonic() - started) / 60)
    print(text, end="")
    if options.out is not None:
        options.out.write_text(text, encoding="utf-8")
    return 1 if fuzz.found else 0


if __name__ == "__main__":
    sys.exit(main())
