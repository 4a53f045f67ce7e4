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
    cards is the smaller number. Its key is that, with its value in the bits above.

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
    keys = work["loose_keys"]
    keys[0] = 0
    for bit in range(count):
        value = value_of(work["loose"][count - 1 - bit], objective)
        for rest in range(1 << bit):
            keys[1 << bit | rest] = keys[rest] + (value << MOST_LOOSE | 1 << bit)
    for stay in range(1, 1 << count):
        if not _is_first_of_equals(work, count, stay):
            keys[stay] = _NO_SET
    return count


@kernel
def next_stay(work: Work, count: int, last: int) -> int:
    """Returns the key of the set after another one.

    Of the sets worth as much, those come first that keep later cards; of equal cards
    the later copies stay first. So a set comes after all that are parts of it.
    """
    best, keys = _NO_SET, work["loose_keys"]
    # without branches, so that the compiler does many sets at once
    for stay in range(1 << count):
        key = keys[stay]
        best = min(best, key if key > last else _NO_SET)
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
