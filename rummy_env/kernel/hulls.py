"""Hulls: the elements a suit can have at all, whatever the other suits do.

A walk of one suit alone, forward, with any copies to groups that some choice sends
there, meets every element that any node could hold. So a backward set need not tell
apart elements outside this hull: no join misses them. The same the other way round.
Sets that differ only in what cannot matter become equal, so layers are shorter.

**Alone.** Where jokers are free, a hull with them says what a suit can have with as
many as it likes. One without, of a suit that gets none, says more: a suit that misses
it takes a joker of its own. For each joker is placed as a card of one suit; on another
suit's letter it bears only by the choice, a box of more groups, and the widest letter
allows for the groups of all choices, those with jokers among them (`most_groups`). A
card laid besides only narrows the letter. So where more suits miss it than jokers are
to come, nothing comes.
"""

from __future__ import annotations

from typing import Any

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.kernel.answers import is_lay_open
from rummy_env.kernel.automaton import MAX_COPIES
from rummy_env.kernel.choices import letter_between, present_copies
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.subsets import (
    AT_ACCEPT,
    BACK,
    WORDS,
    number_after,
    root_of,
)
from rummy_env.kernel.workspace import BACKWARD

Work = Any
"""A record of `workspace.WORKSPACE`."""


@kernel
def tighten_keep(work: Work) -> None:
    """Takes from `keep` what no walk from the other end meets, the choices prepared."""
    _walk_suits(work, work["jokers_high"])
    keep = work["keep"]
    for rank in range(work["num_ranks"]):
        before, after = rank + 1, BACKWARD + rank + 1
        for suit in range(NUM_SUITS):
            keep[before, suit] &= WORDS[work["hull_after"][rank, suit]]
            keep[after, suit] &= WORDS[work["hull_before"][rank + 1, suit]]


@kernel
def find_alone(work: Work) -> None:
    """Writes the elements with which a suit needs no joker to come, to `alone`.

    Of those that `keep` has: forward, from which it comes to an end without one;
    backward, to which it comes without one. It comes after `tighten_keep`: `widest`
    then has the letters without jokers, as `one_joker` reads them.
    """
    _walk_suits(work, 0)
    keep, alone = work["keep"], work["alone"]
    for rank in range(work["num_ranks"]):
        before, after = rank + 1, BACKWARD + rank + 1
        for suit in range(NUM_SUITS):
            ends = WORDS[work["hull_after"][rank, suit]]
            begins = WORDS[work["hull_before"][rank + 1, suit]]
            alone[before, suit] = keep[before, suit] & ends
            alone[after, suit] = keep[after, suit] & begins


@kernel
def _walk_suits(work: Work, jokers: int) -> None:
    """Writes the sets that each suit by itself can have, from both ends, as numbers.

    Args:
        work: The workspace, the choices prepared.
        jokers: How many may be placed at each rank of each suit.
    """
    num_ranks = work["num_ranks"]
    before, after = work["hull_before"], work["hull_after"]
    last = num_ranks - 1
    for suit in range(NUM_SUITS):
        before[0, suit] = root_of(num_ranks)
        after[last, suit] = AT_ACCEPT
    for rank in range(num_ranks):
        for suit in range(NUM_SUITS):
            letter = _widest_letter(work, rank, suit, jokers)
            turn = work["room"][rank + 1, suit]
            work["widest"][rank, suit] = letter
            number = before[rank, suit]
            before[rank + 1, suit] = number_after(work, number, letter, turn)
    for rank in range(last, 0, -1):
        for suit in range(NUM_SUITS):
            letter, number = work["widest"][rank, suit], after[rank, suit]
            after[rank - 1, suit] = number_after(work, number, letter, BACK)


@kernel
def _widest_letter(work: Work, rank: int, suit: int, jokers: int) -> int:
    """Returns an interval that contains those of a suit in all choices of a rank.

    All those with so many jokers at most that stand for its card, some copies of it
    left out or not (`without`).
    """
    card = suit * NUM_RANKS + rank
    high = min(MAX_COPIES, present_copies(work, card) + jokers)
    fewest = work["must"][card] - work["may_stay"][card]
    low = max(0, fewest - work["most_groups"][rank])
    return letter_between(low, high)


@kernel
def drop_outside_hulls(work: Work) -> None:
    """Forgets cards that cannot be laid whatever the other suits do.

    Only without free jokers, the hulls found.
    """
    for suit in range(NUM_SUITS):
        for rank in range(work["num_ranks"]):
            card = suit * NUM_RANKS + rank
            if is_lay_open(work, card):
                least = work["must"][card] + 1 - work["most_groups"][rank]
                letter = letter_between(max(0, least), present_copies(work, card))
                room = work["room"][rank + 1, suit]
                before = work["hull_before"][rank, suit]
                behind = WORDS[number_after(work, before, letter, room)]
                if behind & WORDS[work["hull_after"][rank, suit]] == 0:
                    work["may"][card] = 0
