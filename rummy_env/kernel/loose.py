"""The sets of cards of a small hand, one after the other, the cheapest first."""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_CARD_TYPES
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.leaving import value_of
from rummy_env.kernel.workspace import MOST_LOOSE

Work = Any
"""A record of `workspace.WORKSPACE`."""

_NO_SET: Final = 1 << 40
"""Greater than all sets with their values."""


@kernel
def list_loose(work: Work, objective: int) -> int:
    """Lists the cards of the hand, copy by copy, and what each set of them is worth.

    Bit `count - 1 - i` of a set is for the card `i`, so that a set which keeps later
    cards is the smaller number.

    Returns:
        How many there are; `MOST_LOOSE + 1` if more than are listed.
    """
    count = 0
    for card in range(NUM_CARD_TYPES + 1):
        for _ in range(work["hand"][card]):
            if count == MOST_LOOSE:
                return MOST_LOOSE + 1
            work["loose"][count] = card
            count += 1
    for stay in range(1, 1 << count):
        lowest = 0
        while (stay >> lowest) & 1 == 0:
            lowest += 1
        value = value_of(work["loose"][count - 1 - lowest], objective)
        work["loose_values"][stay] = work["loose_values"][stay & (stay - 1)] + value
    return count


@kernel
def next_stay(work: Work, count: int, last: int) -> int:
    """Returns the set after another one, with its value in the bits above.

    Of the sets worth as much, those come first that keep later cards; of equal cards
    the later copies stay first. So a set comes after all that are parts of it.
    """
    best = _NO_SET
    for stay in range(1, 1 << count):
        key = work["loose_values"][stay] << MOST_LOOSE | stay
        if last < key < best and _is_first_of_equals(work, count, stay):
            best = key
    return best


@kernel
def _is_first_of_equals(work: Work, count: int, stay: int) -> bool:
    """Tells whether no copy of a card stays while a later one is laid."""
    for later in range(1, count):
        is_same = work["loose"][later] == work["loose"][later - 1]
        pair = (stay >> (count - 1 - later)) & 3
        if is_same and pair == 2:
            return False
    return True


@kernel
def leave_out(work: Work, count: int, stay: int) -> None:
    """Writes how many of each card a set has to `left_out`."""
    work["left_out"][:] = 0
    for index in range(count):
        if (stay >> (count - 1 - index)) & 1:
            work["left_out"][work["loose"][index]] += 1
