"""Layouts: one way to split a table into melds, for people to look at.

How a table is laid out matters to nothing (R14). A layout is found by asking: take
the lowest card that is left, try the melds it could belong to, longest first, and
keep the first one after which the rest still splits. So no step is ever retraced. A
run's ace is its first card unless the run is high; the lowest card left is an ace of a
high run only when aces are all that is tried.

**Asking.** What is left has no card below some rank, so it splits iff a walk backward
(`plain`) comes down to that rank with no run open. A meld taken changes that walk from
its highest card on down only; the layers above stand. And of a run from the lowest
card, one walk forward tells every length: with a card of each rank taken it reaches
the rank behind, where the rest, untouched, has its layer of the walk backward. With
one pack, where walks take no time (`single`), and from a layer on that does not fit,
`walk` is asked instead, meld by meld; it uses the same memory, so there is no way back.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS, MAX_CARDS
from rummy_env.kernel.automaton import MAX_COPIES, VIRGIN
from rummy_env.kernel.choices import fill_choices, find_room, letter_of
from rummy_env.kernel.completion import is_completable
from rummy_env.kernel.jit import copy, kernel
from rummy_env.kernel.plain import advance_plain, begin_at, layers_join, meets_layer
from rummy_env.kernel.subsets import (
    AT_ACCEPT,
    AT_NOTHING,
    WORDS,
    number_after,
    root_of,
)
from rummy_env.kernel.support import drop_unsupported
from rummy_env.kernel.workspace import BACKWARD

MAX_MELDS: Final = MAX_CARDS // 3
MAX_MELD: Final = NUM_RANKS
"""The most cards in a meld (R11)."""
NO_CARD: Final = -1

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
    work["stale"] = max(work["stale"], _highest_rank(meld))
    if _splits(work):
        return True
    _put_back(work, meld)
    return False


@kernel
def _highest_rank(meld: Any) -> int:
    """Returns the highest rank in a meld, an ace's being the lowest."""
    highest = 0
    for at in range(MAX_MELD):
        if meld[at] != NO_CARD:
            highest = max(highest, meld[at] % NUM_RANKS)
    return highest


@kernel
def _begin(work: Any) -> None:
    """Prepares walks backward of which nothing is known yet."""
    find_room(work)
    work["may_miss"] = NUM_SUITS
    begin_at(work, BACKWARD + work["num_ranks"], AT_ACCEPT)
    work["stale"] = work["num_ranks"] - 1
    work["is_walked"] = work["packs"] == 2


@kernel
def _splits(work: Any) -> bool:
    """Tells whether what is left splits into melds.

    Walks down from the highest rank that is `stale`; if it splits, none is any more.
    """
    lowest = _lowest(work)
    if lowest == NO_CARD:
        return True
    first = lowest % NUM_RANKS
    if not _walk_down(work, first):
        return drop_unsupported(work) and is_completable(work)
    is_split = _starts_at_ace(work) if first == 0 else _starts_anew(work, first)
    if is_split:
        work["stale"] = -1
    return is_split


@kernel
def _walk_down(work: Any, first: int) -> bool:
    """Fills the outdated layers from a rank on; False if walks do not serve.

    Where nothing comes down to a rank, all layers below are empty.
    """
    for rank in range(work["stale"], first - 1, -1):
        fill_choices(work, rank)
        if rank > 0 and not _step(work, BACKWARD + rank + 1, BACKWARD + rank):
            return False
    return work["is_walked"] == 1


@kernel
def _step(work: Any, source: int, target: int) -> bool:
    """Fills a layer from the one beside it; False if walks do not serve."""
    if work["is_walked"] == 1 and not advance_plain(work, source, target, target):
        work["is_walked"] = 0
    return work["is_walked"] == 1


@kernel
def _starts_anew(work: Any, rank: int) -> bool:
    """Tells whether runs may all begin at a rank or after it."""
    return meets_layer(work, BACKWARD + rank, (VIRGIN, VIRGIN, VIRGIN, VIRGIN))


@kernel
def _starts_at_ace(work: Any) -> bool:
    """Tells whether some choice for the aces meets the layer behind them."""
    root = root_of(work["num_ranks"])
    for at in range(work["num_steps"][0]):
        choice = work["choices"][0, at, 0]
        clubs = number_after(work, root, letter_of(choice, 0, 0), MAX_COPIES)
        diamonds = number_after(work, root, letter_of(choice, 1, 0), MAX_COPIES)
        hearts = number_after(work, root, letter_of(choice, 2, 0), MAX_COPIES)
        spades = number_after(work, root, letter_of(choice, 3, 0), MAX_COPIES)
        words = WORDS[clubs], WORDS[diamonds], WORDS[hearts], WORDS[spades]
        if meets_layer(work, BACKWARD + 1, words):
            return True
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
def _take_lowest(work: Any, meld: Any, suit: int, rank: int) -> bool:
    """Takes a meld of the lowest card left by walks; False if they do not serve."""
    if not _begin_after(work, rank):
        return False
    length = _longest_run(work, suit, rank)
    if work["is_walked"] == 0:
        return False
    if length >= 3:
        _write_run(meld, suit, rank, length, work["num_ranks"])
        return _can_take(work, meld)
    if _find_high_run(work, meld, suit, rank):
        return True
    return _begin_after(work, rank) and _take_group(work, meld, suit, rank)


@kernel
def _begin_after(work: Any, rank: int) -> bool:
    """Prepares a walk forward from the lowest rank left; False if walks do not serve.

    All layers behind the rank are those of what is left then.
    """
    if not _walk_down(work, rank + 1):
        return False
    work["stale"] = min(work["stale"], rank)
    begin_at(work, rank, root_of(work["num_ranks"]) if rank == 0 else AT_NOTHING)
    return True


@kernel
def _longest_run(work: Any, suit: int, rank: int) -> int:
    """Returns how long a run from a card may be for the rest to split; 0 if none may.

    If a layer does not fit, the answer is of no use, as `is_walked` says.
    """
    longest, length = 0, _length_from(work, suit, rank, 1)
    if length < 3:
        return 0
    for at in range(rank, rank + length):
        work["must"][suit * NUM_RANKS + at] -= 1
    for at in range(rank, rank + length):
        fill_choices(work, at)
        if _step(work, at, at + 1) and at >= rank + 2 and layers_join(work, at + 1):
            longest = at + 1 - rank
    for at in range(rank, rank + length):
        work["must"][suit * NUM_RANKS + at] += 1
    return longest


@kernel
def _take_group(work: Any, meld: Any, suit: int, rank: int) -> bool:
    """Takes the largest group with a card after which the rest splits.

    False if there is none, which is so only if a layer does not fit.
    """
    for at in range(len(_SUIT_SETS)):
        if (_SUIT_SETS[at] >> suit) & 1:
            _write_group(meld, rank, _SUIT_SETS[at])
            if _can_take(work, meld):
                fill_choices(work, rank)
                if _step(work, rank, rank + 1) and layers_join(work, rank + 1):
                    return True
                _put_back(work, meld)
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
    _begin(work)
    if not _splits(work):
        return -1
    count = 0
    for at in range(MAX_MELDS):
        if _keep(work, near[at]):
            copy(near[at], melds[count])
            count += 1
    while True:
        card = _lowest(work)
        if card == NO_CARD:
            return count
        suit, rank = card // NUM_RANKS, card % NUM_RANKS
        meld = melds[count]
        if _take_lowest(work, meld, suit, rank):
            work["stale"] = max(work["stale"], _highest_rank(meld))
        elif not _find_lowest(work, meld, suit, rank):
            return -1
        count += 1
