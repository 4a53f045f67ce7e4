"""Layouts: one way to split a table into melds, for people to look at.

How a table is laid out matters to nothing (R14). Walks that show that it splits leave
a box of groups for each rank (`witness`), and these say the rest (`melds`). They are
walks of the table alone, whatever is asked besides and in whatever workspace, so a
table has one layout, or one for each that it is to be near to.

**Asking.** While walks of what is left are too wide, its lowest card is taken, the
melds it could belong to are tried, longest first, and the first one is kept after which
the rest still splits. So no step is ever retraced. An ace is tried as the first card of
runs before it is tried as the last.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS, MAX_CARDS
from rummy_env.kernel.completion import splits
from rummy_env.kernel.jit import copy, kernel
from rummy_env.kernel.melds import NO_CARD, write_melds
from rummy_env.kernel.plain import is_plainly_completable
from rummy_env.kernel.witness import take_witness

MAX_MELDS: Final = MAX_CARDS // 3
MAX_MELD: Final = NUM_RANKS
"""The most cards in a meld (R11)."""

_SUIT_SETS: Final = np.array([15, 7, 11, 13, 14], dtype=np.int64)
"""Sets of suits that make a group, bits, the full one first."""


_BLANK: Final = np.full((MAX_MELDS, MAX_MELD), NO_CARD, dtype=np.int64)


def new_melds() -> np.ndarray:
    """Returns room for a layout: card types, int64 `[35, 13]`, blank."""
    return _BLANK.copy()


@kernel
def _can_take(work: Any, meld: Any) -> bool:
    """Takes a meld's cards off what is left, or nothing if one is missing."""
    for at in range(MAX_MELD):
        if meld[at] == NO_CARD:
            break
        work["must"][meld[at]] -= 1
    for at in range(MAX_MELD):
        if meld[at] != NO_CARD and work["must"][meld[at]] < 0:
            _put_back(work, meld)
            return False
    return True


@kernel
def _put_back(work: Any, meld: Any) -> None:
    """Puts a meld's cards back."""
    for at in range(MAX_MELD):
        if meld[at] == NO_CARD:
            break
        work["must"][meld[at]] += 1


@kernel
def _keep(work: Any, meld: Any) -> bool:
    """Takes a meld if it is there and the rest still splits."""
    if meld[0] == NO_CARD or not _can_take(work, meld):
        return False
    if splits(work):
        return True
    _put_back(work, meld)
    return False


@kernel
def _lowest(work: Any) -> int:
    """Returns the lowest card left by rank, then suit, or -1."""
    for rank in range(work["num_ranks"]):
        for suit in range(NUM_SUITS):
            if work["must"][suit * NUM_RANKS + rank] > 0:
                return suit * NUM_RANKS + rank
    return NO_CARD


@kernel
def _write_run(meld: Any, suit: int, first: int, length: int, num_ranks: int) -> None:
    """Writes a run; a rank past the last one kept is the ace."""
    meld[:] = NO_CARD
    for at in range(length):
        meld[at] = suit * NUM_RANKS + (first + at) % num_ranks


@kernel
def _write_group(meld: Any, rank: int, suits: int) -> None:
    """Writes a group of some suits."""
    meld[:] = NO_CARD
    at = 0
    for suit in range(NUM_SUITS):
        if (suits >> suit) & 1:
            meld[at] = suit * NUM_RANKS + rank
            at += 1


@kernel
def _find_run(work: Any, meld: Any, suit: int, rank: int) -> bool:
    """Keeps the longest run that begins at a card."""
    for length in range(_length_from(work, suit, rank, 1), 2, -1):
        _write_run(meld, suit, rank, length, work["num_ranks"])
        if _keep(work, meld):
            return True
    return False


@kernel
def _find_high_run(work: Any, meld: Any, suit: int, rank: int) -> bool:
    """Keeps the longest run that ends at a card, if that is an ace that can be high."""
    num_ranks = work["num_ranks"]
    if rank > 0 or num_ranks < FIRST_HIGH_ACE_RANKS:
        return False
    for length in range(1 + _length_from(work, suit, num_ranks - 1, -1), 2, -1):
        _write_run(meld, suit, num_ranks + 1 - length, length, num_ranks)
        if _keep(work, meld):
            return True
    return False


@kernel
def _length_from(work: Any, suit: int, rank: int, direction: int) -> int:
    """Returns how many cards in a row are left from one on, up (1) or down (-1).

    Down, the ace is not counted. Up, it does not follow the last rank: while an ace is
    left it is the lowest card, from which runs begin.
    """
    length, at, last = 0, rank, work["num_ranks"] if direction > 0 else 0
    while at != last and work["must"][suit * NUM_RANKS + at] > 0:
        length += 1
        at += direction
    return length


@kernel
def _find_group(work: Any, meld: Any, suit: int, rank: int) -> bool:
    """Keeps the largest group that holds a card."""
    for at in range(len(_SUIT_SETS)):
        if (_SUIT_SETS[at] >> suit) & 1:
            _write_group(meld, rank, _SUIT_SETS[at])
            if _keep(work, meld):
                return True
    return False


@kernel
def _find_lowest(work: Any, meld: Any, suit: int, rank: int) -> bool:
    """Takes a meld of the lowest card left, meld by meld."""
    return (
        _find_run(work, meld, suit, rank)
        or _find_high_run(work, meld, suit, rank)
        or _find_group(work, meld, suit, rank)
    )


@kernel
def _keep_near(work: Any, near: Any, melds: Any) -> int:
    """Keeps what it can of an earlier layout; returns how many melds."""
    count = 0
    if near[0, 0] != NO_CARD and splits(work):
        for at in range(MAX_MELDS):
            if _keep(work, near[at]):
                copy(near[at], melds[count])
                count += 1
    return count


@kernel
def _find_rest(work: Any, melds: Any, count: int) -> int:
    """Adds the melds of what is left; returns how many there are then.

    -1 if it does not split.
    """
    work["num_asked"] = 0
    found = is_plainly_completable(work)
    if found < 0 and not splits(work):
        return -1
    while found < 0:
        card, meld = _lowest(work), melds[count]
        if not _find_lowest(work, meld, card // NUM_RANKS, card % NUM_RANKS):
            return -1
        count += 1
        work["num_asked"] += 1
        found = is_plainly_completable(work)
    if found == 0:
        return -1
    take_witness(work)
    return write_melds(work, melds, count)


@kernel
def arrange(work: Any, near: Any, melds: Any) -> int:
    """Splits the table of the question, jokers counted as named, into melds.

    Args:
        work: The workspace: `table`, `named` and `num_ranks` are read.
        near: An earlier layout, int64 `[35, 13]`; its melds are kept in order
            wherever the rest still splits without them.
        melds: Where the layout is written, int64 `[35, 13]`, padded with -1.

    Returns:
        How many melds there are; -1 if the table is not legal.
    """
    for card in range(NUM_CARD_TYPES):
        work["must"][card] = work["table"][card] + work["named"][card]
        work["may"][card] = 0
    work["jokers_low"], work["jokers_high"] = 0, 0
    melds[:] = NO_CARD
    return _find_rest(work, melds, _keep_near(work, near, melds))
