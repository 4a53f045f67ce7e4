"""Questions to the solver that a Rummikub solver can be asked as well.

The positions are those of random play with three players, two packs, at the beginning
of a meld. Rummikub has no named jokers, and its ones are never high, so

- melds with a joker are taken off the table, whole, which leaves the others legal;
- a position is kept only if our answer has no high ace in it. What we answer is then
  among what Rummikub allows, and Rummikub allows nothing that we do not, so the most
  cards that can be laid are the same.

One thing stays: Rummikub's solver leaves out sets that would be sets without their
joker. Where a joker is held it may lay one tile less than we do for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.position import Positions, read
from benchmarks.figures import random_actions
from rummy_env import RuleConfig, VectorEnv, solver
from rummy_env.cards import CARD_NAMES, JOKER

LARGE: Final = 60
"""Cards on a large table, at least."""
SMALL: Final = 30
"""Cards on a small table, at most."""
NUM_GAMES: Final = 256
STEPS_APART: Final = 5
WARM_UP: Final = 150
"""Steps after which the games no longer keep step, so that tables of all sizes come."""

Question = dict[str, str]
Questions = dict[str, list[Question]]


@dataclass(frozen=True)
class Kind:
    """What is asked of positions of some kind.

    Attributes:
        label: In words, for the table.
        fewest: Cards on the table, at least.
        most: Cards on the table, at most.
        jokers: Jokers in the hand.
    """

    label: str
    fewest: int
    most: int
    jokers: int = 0


KINDS: Final = {
    "best_small": Kind("best meld, 6 to 30 cards on the table", 6, SMALL),
    "best_large": Kind("best meld, 60 cards and more", LARGE, 104),
    "best_joker": Kind("best meld, 60 and more, a joker in hand", LARGE, 104, 1),
    "arrange_large": Kind("arrange 60 cards and more", LARGE, 104),
}
"""Questions of a kind that begins with `arrange` are about the table and one card of
the hand more, so that the answer may be no."""


def positions(players: int = 3, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Yields tables without jokers and hands without jokers, of random play.

    Each is taken from another row or round than the one before it in that row, or
    after the table has grown by a few cards.
    """
    envs = VectorEnv(NUM_GAMES, RuleConfig(num_players=players), seed, skip_forced=True)
    envs.reset()
    rng = np.random.default_rng(seed)
    last = np.zeros(NUM_GAMES, dtype=np.int64)
    for step in itertools.count():
        envs.step(random_actions(envs.action_mask, rng))
        if step < WARM_UP or step % STEPS_APART:
            continue
        seen = read(envs.observation)
        cards = seen.table.sum(axis=1)
        last = np.minimum(last, cards)
        is_new = begins_meld(seen) & (cards >= last + 6)
        last[is_new] = cards[is_new]
        for row in np.flatnonzero(is_new):
            yield plain_table(seen, int(row)), plain_hand(seen.hand[row])


def begins_meld(seen: Positions) -> NDArray[np.bool_]:
    """Tells which positions have nothing laid or released yet."""
    laid = seen.laid.sum(axis=1) + seen.locked.sum(axis=1)
    return np.asarray((laid == 0) & (seen.old < 0))


def plain_table(seen: Positions, row: int) -> str:
    """Returns the table of a row without the melds that hold jokers."""
    real, named = seen.table[row], seen.named[row]
    words = [CARD_NAMES[card] for card in np.repeat(np.arange(JOKER), real)]
    words += [f"*{CARD_NAMES[card]}" for card in np.repeat(np.arange(JOKER), named)]
    melds = solver.arrange(" ".join(words))
    assert melds is not None, "a table at the beginning of a meld stands"
    return " ".join(meld for meld in melds if "*" not in meld)


def plain_hand(hand: NDArray[np.int64]) -> str:
    """Returns a hand without its jokers."""
    return " ".join(CARD_NAMES[card] for card in np.repeat(np.arange(JOKER), hand[:-1]))


def has_high_ace(layout: list[str]) -> bool:
    """Tells whether a run ends in an ace, of a joker too."""
    runs = [meld.replace("*", "").split() for meld in layout]
    return any(run[-1][0] == "A" and run[-2][0] != "A" for run in runs)


def as_question(kind: str, table: str, hand: str) -> Question | None:
    """Returns a position as a question of a kind, or None if it is none."""
    asked = KINDS[kind]
    words = hand.split()
    if not words or not asked.fewest <= len(table.split()) <= asked.most:
        return None
    if kind.startswith("arrange"):
        table, hand = f"{table} {words[0]}", ""
        layout = solver.arrange(table)
    else:
        hand = " ".join(words + ["*"] * asked.jokers)
        found = solver.best_meld(table, hand, "cards")
        layout = solver.arrange(table) if found is None else found[1]
    if layout is not None and has_high_ace(layout):
        return None
    return {"table": table, "hand": hand}


def generate(count: int, seed: int = 0) -> Questions:
    """Returns `count` questions of every kind; the same seed, the same questions."""
    found: Questions = {kind: [] for kind in KINDS}
    for table, hand in positions(seed=seed):
        wanted = [kind for kind in KINDS if len(found[kind]) < count]
        if not wanted:
            break
        for kind in wanted:
            question = as_question(kind, table, hand)
            if question is not None:
                found[kind].append(question)
    return found
