"""Hulls: the elements a suit can have at all, whatever the other suits do.

A walk of one suit alone, forward, with any copies to groups that some choice sends
there, meets every element that any node could hold. So a backward set need not tell
apart elements outside this hull: no join misses them. The same the other way round.
Sets that differ only in what cannot matter become equal, so layers are shorter.
"""

from __future__ import annotations

from typing import Any

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.answers import is_lay_open
from rummy_env.kernel.automaton import MAX_COPIES
from rummy_env.kernel.choices import letter_between, present_copies
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.subsets import (
    AT_ACCEPT,
    AT_ROOT,
    AT_ROOT_LOW,
    BACK,
    WORDS,
    number_after,
)
from rummy_env.kernel.workspace import BACKWARD

Work = Any
"""A record of `workspace.WORKSPACE`."""


@kernel
def tighten_keep(work: Work) -> None:
    """Takes from `keep` what no walk from the other end meets, the choices prepared."""
    for suit in range(NUM_SUITS):
        _tighten_backward(work, suit)
        _tighten_forward(work, suit)


@kernel
def find_alone(work: Work) -> None:
    """Writes the elements with which a suit needs no joker to come, to `alone`.

    Of those that `keep` has: forward, from which it comes to an end without one;
    backward, to which it comes without one. A joker of another suit may make further
    groups, which counts.
    """
    num_ranks, keep, alone = work["num_ranks"], work["keep"], work["alone"]
    has_high_ace = num_ranks >= FIRST_HIGH_ACE_RANKS
    for suit in range(NUM_SUITS):
        number, back = AT_ROOT if has_high_ace else AT_ROOT_LOW, AT_ACCEPT
        for rank in range(num_ranks):
            room = work["room"][rank + 1, suit]
            number = number_after(work, number, _own_letter(work, rank, suit), room)
            place = BACKWARD + rank + 1
            alone[place, suit] = keep[place, suit] & WORDS[number]
        for rank in range(num_ranks - 1, -1, -1):
            alone[rank + 1, suit] = keep[rank + 1, suit] & WORDS[back]
            back = number_after(work, back, _own_letter(work, rank, suit), BACK)


@kernel
def _own_letter(work: Work, rank: int, suit: int) -> int:
    """Returns the interval of a suit without a joker in it, whatever the choice."""
    card = suit * NUM_RANKS + rank
    low = max(0, work["must"][card] - work["most_groups"][rank])
    return letter_between(low, present_copies(work, card))


@kernel
def _widest_letter(work: Work, rank: int, suit: int) -> int:
    """Returns an interval that contains those of a suit in all choices of a rank."""
    return _letter_with(work, rank, suit, 0)


@kernel
def _letter_with(work: Work, rank: int, suit: int, more: int) -> int:
    """Returns the same with so many more cards from the hand asked for."""
    card = suit * NUM_RANKS + rank
    high = min(MAX_COPIES, present_copies(work, card) + work["jokers_high"])
    low = max(0, work["must"][card] + more - work["most_groups"][rank])
    return letter_between(low, high)


@kernel
def _tighten_backward(work: Work, suit: int) -> None:
    """Takes from one suit's backward sets what no walk forward meets."""
    num_ranks, keep = work["num_ranks"], work["keep"]
    number = AT_ROOT if num_ranks >= FIRST_HIGH_ACE_RANKS else AT_ROOT_LOW
    for rank in range(num_ranks):
        work["hull_before"][rank, suit] = number
        letter = _widest_letter(work, rank, suit)
        number = number_after(work, number, letter, work["room"][rank + 1, suit])
        keep[BACKWARD + rank + 1, suit] &= WORDS[number]


@kernel
def _tighten_forward(work: Work, suit: int) -> None:
    """Takes from one suit's forward sets what no walk backward meets."""
    num_ranks, keep = work["num_ranks"], work["keep"]
    number = AT_ACCEPT
    for rank in range(num_ranks - 1, -1, -1):
        work["hull_after"][rank, suit] = WORDS[number]
        keep[rank + 1, suit] &= WORDS[number]
        number = number_after(work, number, _widest_letter(work, rank, suit), BACK)


@kernel
def drop_outside_hulls(work: Work) -> None:
    """Forgets cards that cannot be laid whatever the other suits do.

    Only without free jokers, the hulls found.
    """
    for suit in range(NUM_SUITS):
        for rank in range(work["num_ranks"]):
            card = suit * NUM_RANKS + rank
            if is_lay_open(work, card):
                letter = _letter_with(work, rank, suit, 1)
                room = work["room"][rank + 1, suit]
                before = work["hull_before"][rank, suit]
                after = WORDS[number_after(work, before, letter, room)]
                if after & work["hull_after"][rank, suit] == 0:
                    work["may"][card] = 0
