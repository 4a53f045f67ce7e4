"""Counts of the tree of play from chosen positions, as chess programs are tested.

A `.perft` file holds positions, each with lines of a depth and what is counted there by
the reference game: the leaves of the tree of all legal actions, cut at that depth or
not at all (`all`), and the sum of the scores at leaves that end the round, those of the
second player counted twice and so on::

    # R16: the real card in the hand frees the joker
    rummy1; num_players=2; table=5c 6c *7c; hands=7c 8c / 3d; stock=...
    1 3 0
    2 8 0

`python -m tests.perft FILE` counts on both sides; with `--write` it first fills in a
question mark that stands in place of both numbers.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rummy_env import State
from tests.twins import Twin, twin_of

FOLDER = Path(__file__).parent
ALL = 10_000
"""The depth of a tree that is not cut."""
Count = tuple[int, int]
"""Leaves, and the weighted sum of their scores."""


@dataclass
class Entry:
    """A position and its counts.

    Attributes:
        place: The file and the line of the position.
        about: What it is there for.
        text: The position.
        counts: By depth; None where a count is to be filled in.
    """

    place: str
    about: str
    text: str
    counts: dict[int, Count | None] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Returns the lines of a file."""
        lines = [f"# {self.about}", self.text]
        for depth, count in self.counts.items():
            numbers = "?" if count is None else f"{count[0]} {count[1]}"
            lines.append(f"{'all' if depth == ALL else depth} {numbers}")
        return lines


def read(path: Path) -> list[Entry]:
    """Returns the entries of a file.

    Raises:
        ValueError: A line is out of place; says where.
    """
    entries: list[Entry] = []
    about = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split()
        if line.startswith("#"):
            about = line.lstrip("# ")
        elif line.startswith("rummy1"):
            entries.append(Entry(f"{path.name}:{number}", about, line))
        elif words and entries and len(words) in (2, 3):
            depth = ALL if words[0] == "all" else int(words[0])
            known = words[1] != "?"
            entries[-1].counts[depth] = (
                (int(words[1]), int(words[2])) if known else None
            )
        elif words:
            raise ValueError(f"{path.name}:{number}: {line[:40]!r} is out of place")
    return entries


def ended(scores: list[int]) -> Count:
    """Returns the count of a leaf that ends the round."""
    return 1, sum((player + 1) * score for player, score in enumerate(scores))


def added(counts: Iterator[Count]) -> Count:
    """Returns the sum of counts."""
    leaves = scores = 0
    for count in counts:
        leaves, scores = leaves + count[0], scores + count[1]
    return leaves, scores


# The engine. Trees that are cut are walked whole, so that every order of actions is
# played; of whole trees, positions that were counted are looked up.

_PAST = ("turns_since_meld", "last_draws", "last_laid")


def engine_key(state: State) -> bytes:
    """Returns what decides how a round goes on, without notes on past turns."""
    record = state.record.copy()
    for name in _PAST:
        record[name] = 0
    return record.tobytes()


def engine_children(state: State) -> Iterator[tuple[str, State]]:
    """Yields the actions of a state, each with the state after it."""
    for name in state.legal_action_names():
        child = state.clone()
        child.apply_action(name)
        yield name, child


def engine_count(state: State, depth: int, known: dict[Any, Count]) -> Count:
    """Returns the count of the engine.

    Args:
        state: The position.
        depth: How many actions are played.
        known: Counts of whole trees, which are looked up and added.
    """
    outcome = state.outcome()
    if outcome is not None:
        return ended(outcome["round_scores"])
    if depth == 0:
        return 1, 0
    if depth != ALL:
        return added(
            engine_count(c, depth - 1, known) for _, c in engine_children(state)
        )
    key = engine_key(state)
    if key not in known:
        children = engine_children(state)
        known[key] = added(engine_count(c, ALL, known) for _, c in children)
    return known[key]


# The reference, which is slow, looks up every position that was counted at a depth.


def reference_key(game: Twin) -> tuple[Any, ...]:
    """Returns what decides how a round goes on from a game's position."""
    bags = [game.real, game.named, game.locked, *game.hands]
    facts = (game.player, game.draws, game.laid, game.pending, game.turns_left)
    return (*(tuple(sorted(bag)) for bag in bags), *facts, len(game.stock))


def reference_children(game: Twin) -> Iterator[tuple[str, Twin]]:
    """Yields the actions of a game, each with the game after it."""
    for name in game.legal_actions():
        child = copied(game)
        child.play(name)
        yield name, child


def copied(game: Twin) -> Twin:
    """Returns a copy to be played on; `copy.deepcopy` takes as long as the rules."""
    child = copy.copy(game)
    for name, value in vars(game).items():
        if isinstance(value, list):
            setattr(child, name, value.copy())
    child.hands = [hand.copy() for hand in game.hands]
    return child


def reference_count(game: Twin, depth: int, known: dict[Any, Count]) -> Count:
    """Returns the count of the reference; see `engine_count`."""
    if game.outcome is not None:
        return ended(game.outcome.round_scores)
    if depth == 0:
        return 1, 0
    below = ALL if depth == ALL else depth - 1
    key = (depth, *reference_key(game))
    if key not in known:
        children = reference_children(game)
        known[key] = added(reference_count(c, below, known) for _, c in children)
    return known[key]


def count_by_engine(text: str, depth: int) -> Count:
    """Returns the engine's count of a position."""
    return engine_count(State.from_text(text), depth, {})


def count_by_reference(text: str, depth: int) -> Count:
    """Returns the reference's count of a position."""
    return reference_count(twin_of(State.from_text(text)), depth, {})


def divide(text: str, depth: int) -> Iterator[tuple[str, Count | None, Count | None]]:
    """Yields first actions with the counts of engine and reference behind them.

    None stands for an action that one side does not have.
    """
    state = State.from_text(text)
    below = ALL if depth == ALL else depth - 1
    known: dict[Any, Count] = {}
    engine = {n: engine_count(c, below, known) for n, c in engine_children(state)}
    known = {}
    children = reference_children(twin_of(state))
    reference = {n: reference_count(c, below, known) for n, c in children}
    for name in dict.fromkeys([*engine, *reference]):
        yield name, engine.get(name), reference.get(name)
