"""Tables without a run: each rank for itself, its jokers counted.

A free joker left over can be added to any table that has a run (`walk`, padding). A
table that has none must use exactly as many jokers as it should; how many is a
question of groups alone.
"""

from __future__ import annotations

from typing import Any

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.kernel.answers import set_name
from rummy_env.kernel.automaton import LETTER_LOW
from rummy_env.kernel.choices import letter_of
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.joker_totals import allowed_totals, sums
from rummy_env.kernel.workspace import BACKWARD, NUM_LEVELS

Work = Any
"""A record of `workspace.WORKSPACE`."""


@kernel
def _is_without_run(choice: int, level: int, suit: int) -> bool:
    """Tells whether a suit can send every copy of a rank to groups."""
    return LETTER_LOW[letter_of(choice, suit, level)] == 0


@kernel
def _suit_group_totals(choice: int, suit: int, fewest: int) -> int:
    """Returns with how many jokers a suit sends every copy of a rank to groups."""
    totals = 0
    for level in range(fewest, NUM_LEVELS):
        if _is_without_run(choice, level, suit):
            totals |= 1 << level
    return totals


@kernel
def _rank_group_totals(work: Work, rank: int) -> int:
    """Returns the numbers of jokers a rank may take without any run."""
    totals = 0
    for at in range(work["num_choices"][rank]):
        choice = work["choices"][rank, at, 0]
        of_choice = 1
        for suit in range(NUM_SUITS):
            of_choice = sums(of_choice, _suit_group_totals(choice, suit, 0))
        totals |= of_choice
    return totals


@kernel
def count_groups_only(work: Work) -> bool:
    """Finds how many jokers tables without a run use, from both ends.

    Returns:
        Whether there is such a table, with enough free jokers placed or not.
    """
    totals, last = work["group_totals"], work["num_ranks"]
    totals[0] = 1
    totals[BACKWARD + last] = 1
    for rank in range(last):
        totals[rank + 1] = sums(totals[rank], _rank_group_totals(work, rank))
    for rank in range(last - 1, -1, -1):
        here = _rank_group_totals(work, rank)
        totals[BACKWARD + rank] = sums(totals[BACKWARD + rank + 1], here)
    return totals[last] & ((2 << work["jokers_high"]) - 1) != 0


@kernel
def mark_groups_only(work: Work) -> None:
    """Marks what tables without a run prove; their jokers are counted."""
    for rank in range(work["num_ranks"]):
        before = work["group_totals"][rank]
        rest = sums(before, work["group_totals"][BACKWARD + rank + 1])
        for at in range(work["num_choices"][rank]):
            for suit in range(NUM_SUITS):
                _mark_group(work, rank, at, suit, rest)


@kernel
def _mark_group(work: Work, rank: int, at: int, suit: int, rest: int) -> None:
    """Marks what one choice without a run proves for one suit at its rank."""
    choice, more = work["choices"][rank, at, 0], work["choices"][rank, at, 1]
    card, allowed = suit * NUM_RANKS + rank, allowed_totals(work)
    for other in range(NUM_SUITS):
        if other != suit:
            rest = sums(rest, _suit_group_totals(choice, other, 0))
    if sums(rest, _suit_group_totals(more, suit, 0)) & allowed != 0:
        work["lay"][card] = 1
    named = sums(rest, _suit_group_totals(choice, suit, 1)) & allowed
    if named != 0:
        set_name(work, card, named >> (work["jokers_low"] + 1) != 0)
