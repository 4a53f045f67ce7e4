"""Choices: the ways to divide the copies of a rank between groups and runs.

`automaton` decides one suit's runs, `groups` one rank's groups. The two meet in the
choice, at each rank, of a box of copies that go to groups: given the boxes, the suits
are independent, and each reads a *letter*, the interval of its copies that go to
runs. Cards in the hand widen the interval; a free joker shifts it, so a choice packs
one letter for each suit and number of jokers placed there. A higher lower bound on
the copies of one suit asks for one more card: the second word of a choice.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.kernel.automaton import (
    ALIVE,
    FITS_ACES,
    FITS_ONE,
    FITS_THREE,
    FITS_TWO,
    MAX_COPIES,
    NO_LETTER,
)
from rummy_env.kernel.groups import BOX_HIGH, BOX_LOW, NUM_BOXES
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.workspace import BACKWARD, NUM_LEVELS

Work = Any
"""A record of `workspace.WORKSPACE`."""

_LETTER_BITS: Final = 4
_LETTER_MASK: Final = (1 << _LETTER_BITS) - 1


@kernel
def letter_between(low: int, high: int) -> int:
    """Returns the number of the interval of copies that go to runs."""
    return (high * (high + 1)) // 2 + low


@kernel
def letter_of(choice: int, suit: int, level: int) -> int:
    """Returns the letter of a suit with so many jokers placed there."""
    return (choice >> ((suit * NUM_LEVELS + level) * _LETTER_BITS)) & _LETTER_MASK


@kernel
def present_copies(work: Work, card: int) -> int:
    """Returns how many copies of a card may come to lie, free jokers not counted."""
    return work["must"][card] + work["may"][card]


@kernel
def fill_choices(work: Work, rank: int) -> None:
    """Lists the ways to divide the copies of a rank, as packed letters.

    First the *plain* ones, which need no joker.
    """
    work["most_groups"][rank] = 0
    count = _add_choices(work, rank, 0, 0)
    work["num_plain"][rank] = count
    for missing in range(1, work["jokers_high"] + 1):
        count = _add_choices(work, rank, count, missing)
    work["num_choices"][rank] = count


@kernel
def _add_choices(work: Work, rank: int, count: int, missing: int) -> int:
    """Adds the boxes that need so many jokers; returns how many choices there are."""
    total = work["jokers_high"]
    for suit in range(NUM_SUITS):
        total += present_copies(work, suit * NUM_RANKS + rank)
    for box in range(NUM_BOXES):
        if 3 * BOX_HIGH[box] > total:
            break
        if _missing_jokers(work, rank, box) != missing:
            continue
        choice, more = 0, 0
        for suit in range(NUM_SUITS):
            card = suit * NUM_RANKS + rank
            for level in range(NUM_LEVELS):
                shift = (suit * NUM_LEVELS + level) * _LETTER_BITS
                choice |= _box_letter(work, card, box, level, 0) << shift
                more |= _box_letter(work, card, box, level, 1) << shift
        work["choices"][rank, count, 0] = choice
        work["choices"][rank, count, 1] = more
        work["most_groups"][rank] = max(work["most_groups"][rank], BOX_HIGH[box])
        count += 1
    return count


@kernel
def _missing_jokers(work: Work, rank: int, box: int) -> int:
    """Returns how many free jokers it takes to have a box."""
    missing = 0
    for suit in range(NUM_SUITS):
        present = present_copies(work, suit * NUM_RANKS + rank)
        missing += max(0, BOX_LOW[box, suit] - present)
    return missing


@kernel
def _box_letter(work: Work, card: int, box: int, jokers: int, more: int) -> int:
    """Returns the interval of a card's copies that go to runs in a box.

    Args:
        work: The workspace.
        card: The card.
        box: The box.
        jokers: Free jokers placed as this card.
        more: 1 asks for one more card from the hand, 0 does not.
    """
    may = work["may"][card]
    if jokers > work["jokers_high"] or more > may:
        return NO_LETTER
    low = work["must"][card] + jokers
    high = low + may - BOX_LOW[box, card // NUM_RANKS]
    if high < 0 or low + may > MAX_COPIES:
        return NO_LETTER
    return letter_between(max(0, low + more - BOX_HIGH[box]), high)


@kernel
def find_room(work: Work) -> None:
    """Writes how many copies each card may come to, and what to keep of each set."""
    num_ranks, room, keep = work["num_ranks"], work["room"], work["keep"]
    jokers = work["jokers_high"]
    for suit in range(NUM_SUITS):
        for rank in range(num_ranks):
            present = present_copies(work, suit * NUM_RANKS + rank)
            room[rank, suit] = min(MAX_COPIES, present + jokers)
        # what follows the last rank is the ace again: no look ahead beyond it
        room[num_ranks, suit] = MAX_COPIES
        room[num_ranks + 1, suit] = MAX_COPIES
        aces = FITS_ACES[room[0, suit]]
        for rank in range(1, num_ranks + 1):
            keep[rank, suit] = ALIVE[room[rank, suit], room[rank + 1, suit]]
            two = room[rank - 2, suit] if rank > 1 else 0
            three = room[rank - 3, suit] if rank > 2 else 0
            keep[BACKWARD + rank, suit] = (
                aces
                & FITS_ONE[room[rank - 1, suit]]
                & FITS_TWO[two]
                & FITS_THREE[three]
            )
