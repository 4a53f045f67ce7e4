"""Counts the trees of `.perft` files by engine and reference.

Where they differ, from one another or from the file, prints the counts behind each
first action on both sides. Play one that differs, write the position down and count
again at one depth less, until a single position is left.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from agents.checkpoint import write_atomically
from tests.perft import (
    ALL,
    Count,
    Entry,
    count_by_engine,
    count_by_reference,
    divide,
    read,
)


def shown(count: Count | None) -> str:
    """Returns a count as text."""
    return "-" if count is None else f"{count[0]} {count[1]}"


def check(entry: Entry, depth: int) -> bool:
    """Counts one tree on both sides, prints the result; returns whether all agree."""
    engine = count_by_engine(entry.text, depth)
    reference = count_by_reference(entry.text, depth)
    name = f"{entry.place} {'all' if depth == ALL else depth}"
    kept = entry.counts[depth]
    if engine == reference and kept in (None, engine):
        print(f"{name}: {shown(engine)}")
        return True
    print(f"{name}: engine {shown(engine)}, reference {shown(reference)}, ", end="")
    print(f"file {shown(kept)}; {entry.about}")
    for action, ours, theirs in divide(entry.text, depth):
        mark = " " if ours == theirs else "!"
        print(f"{mark} {action:10} engine {shown(ours)}, reference {shown(theirs)}")
    return False


def fill_in(path: Path) -> None:
    """Writes the reference's counts into a file where they are missing."""
    entries = read(path)
    for entry in entries:
        for depth, count in entry.counts.items():
            if count is None:
                entry.counts[depth] = count_by_reference(entry.text, depth)
    text = "\n\n".join("\n".join(entry.lines()) for entry in entries)
    write_atomically(path, f"{text}\n".encode())


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.perft", description=__doc__)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    parser.add_argument(
        "--write", action="store_true", help="fill in counts given as ? first"
    )
    chosen = parser.parse_args(arguments)
    agree = True
    for path in chosen.files:
        if chosen.write:
            fill_in(path)
        for entry in read(path):
            for depth in entry.counts:
                agree = check(entry, depth) and agree
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
