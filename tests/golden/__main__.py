"""Writes the golden games and the digest anew: `make golden`."""

from __future__ import annotations

from pathlib import Path

from agents.checkpoint import write_atomically
from tests.golden.digest import PATH, digest_text
from tests.golden.games import GAMES, find


def write(path: Path, text: str) -> None:
    """Writes a file, and says whether it is another one than before."""
    is_same = path.is_file() and path.read_text(encoding="utf-8") == text
    if not is_same:
        write_atomically(path, text.encode())
    print(f"{'as before' if is_same else 'written  '} {path.name}", flush=True)


def main() -> None:
    """Writes every file."""
    for golden in GAMES:
        write(golden.path, find(golden))
    write(PATH, digest_text())


if __name__ == "__main__":
    main()
