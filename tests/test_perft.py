"""The engine's tree of play has just the leaves that the reference counted.

Positions for the hard rules are counted to a depth in every order of actions, small
relatives of the game to the end of the round, hundreds of millions of leaves with it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rummy_env import State
from tests.perft import (
    ALL,
    FOLDER,
    Entry,
    count_by_engine,
    count_by_reference,
    engine_children,
    read,
)
from tests.perft.__main__ import main

FILES = sorted(FOLDER.glob("*.perft"))
LARGE = "large_trees.perft"


def entries(*, large: bool) -> list[Entry]:
    """Returns the entries of all files, or of the one with large trees."""
    return [
        entry for path in FILES if (path.name == LARGE) is large for entry in read(path)
    ]


def by_place(entry: Entry) -> str:
    """Returns file and line, for the names of tests."""
    return entry.place


def test_the_files_hold_what_they_should() -> None:
    positions = [entry for entry in entries(large=False) if "tree" not in entry.place]
    assert len(positions) >= 40
    assert len({entry.text for entry in positions}) == len(positions)
    rules = {word.strip(":,") for entry in positions for word in entry.about.split()}
    for number in (2, 5, 6, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 27):
        assert f"R{number}" in rules
    for entry in entries(large=False) + entries(large=True):
        assert State.from_text(entry.text).to_text() == entry.text
        assert entry.counts
        assert None not in entry.counts.values()
        assert "tree" not in entry.place or list(entry.counts) == [ALL]


@pytest.mark.parametrize("entry", entries(large=False), ids=by_place)
def test_the_engine_counts_what_is_written(entry: Entry) -> None:
    counts = {depth: count_by_engine(entry.text, depth) for depth in entry.counts}
    assert counts == entry.counts, f"{entry.about}: python -m tests.perft FILE"


@pytest.mark.slow
@pytest.mark.parametrize("entry", entries(large=True), ids=by_place)
def test_the_engine_counts_large_trees(entry: Entry) -> None:
    assert {ALL: count_by_engine(entry.text, ALL)} == entry.counts


@pytest.mark.slow
@pytest.mark.parametrize(
    "entry", entries(large=False) + entries(large=True), ids=by_place
)
def test_the_reference_counts_what_is_written(entry: Entry) -> None:
    counts = {depth: count_by_reference(entry.text, depth) for depth in entry.counts}
    assert counts == entry.counts


@pytest.mark.parametrize("place", ["melds", "turns"])
def test_whole_trees_are_those_that_are_walked_leaf_by_leaf(place: str) -> None:
    """That counts are looked up changes none of them."""
    entry = read(FOLDER / f"{place}.perft")[-1]
    state = next(engine_children(State.from_text(entry.text)))[1]
    while state.outcome() is None and state.stock_left > 0:
        state.apply_action(state.legal_actions()[0])
    text = state.to_text()
    assert count_by_engine(text, ALL) == count_by_engine(text, 40)
    assert count_by_reference(text, ALL) == count_by_reference(text, 40)


# The runner


def test_the_runner_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(FOLDER / "aces.perft")]) == 0
    assert "!" not in capsys.readouterr().out


def test_the_runner_divides_what_differs(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A rule changed on one side shows behind the first action that leads to it."""
    text = read(FOLDER / "release.perft")[0].text
    path = tmp_path / "one.perft"
    path.write_text(f"# R16\n{text}\n1 ?\n6 ?\n")
    assert main([str(path), "--write"]) == 0
    written = path.read_text()
    assert "?" not in written
    assert main([str(path)]) == 0
    capsys.readouterr()

    path.write_text(written.replace("\n6 ", "\n6 1"))
    assert main([str(path)]) == 1  # the file is wrong, the sides agree
    assert "!" not in capsys.readouterr().out

    monkeypatch.setattr("tests.reference.completion.can_take", lambda *_: False)
    path.write_text(written)
    assert main([str(path)]) == 1
    assert "! lay 7c" in capsys.readouterr().out


def test_a_line_out_of_place_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.perft"
    for text in ("1 2 3\n", "position\n"):
        path.write_text(f"# one\n{text}")
        with pytest.raises(ValueError, match=r"bad\.perft:2: .* out of place"):
            read(path)
