"""Moves at a rank where cards of the hand may stay: a box of groups, and which stay.

A walk of `leaving` chooses at each rank what goes to groups, as all walks do
(`choices`), and suit by suit how many of the cards that might be laid stay; all others
lie.

**Options.** Where more cards of a suit stay and it comes to nothing that it does not
come to with fewer, all other suits the same, that is covered and not even tried.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.kernel.automaton import MAX_COPIES
from rummy_env.kernel.choices import letters_in_box, level_letter, present_copies
from rummy_env.kernel.groups import BOX_HIGH, BOX_LOW, NUM_BOXES
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.nodes import forget_unaffordable, level_image
from rummy_env.kernel.workspace import MOST_STAY, NUM_LEVELS, NUM_STAYS

Work = Any
"""A record of `workspace.WORKSPACE`."""

_STAYS: Final = sorted(product(range(MOST_STAY + 1), repeat=NUM_SUITS), key=sum)
assert len(_STAYS) == NUM_STAYS
STAYS: Final = np.array(_STAYS, dtype=np.int64)
"""How many cards of each suit stay, int64 `[81, 4]`; the fewest cards first."""
STAYS_TOTAL: Final = STAYS.sum(axis=1)


@kernel
def fill_boxes(work: Work, rank: int) -> None:
    """Lists the boxes of a rank, and the letters of each suit in them.

    Without jokers those of more groups than any suit has cards are left out (`choices`,
    `_num_needed`).
    """
    jokers, most, count = work["jokers_high"], 0, 0
    for suit in range(NUM_SUITS):
        most = max(most, present_copies(work, suit * NUM_RANKS + rank))
    for box in range(NUM_BOXES):
        missing = 0
        for suit in range(NUM_SUITS):
            present = present_copies(work, suit * NUM_RANKS + rank)
            missing += max(0, BOX_LOW[box, suit] - present)
        if missing <= jokers and (jokers > 0 or BOX_HIGH[box] <= most):
            for suit in range(NUM_SUITS):
                _fill_letters(work, rank, count, box, suit)
            count += 1
    work["num_boxes"][rank] = count


@kernel
def _fill_letters(work: Work, rank: int, at: int, box: int, suit: int) -> None:
    """Writes the letters of a suit in a box by how many of its cards stay."""
    card = suit * NUM_RANKS + rank
    free = 0 if work["is_barred"][card] == 1 else work["jokers_high"]
    for stay in range(min(MOST_STAY, work["may"][card]) + 1):
        laid = min(MAX_COPIES, present_copies(work, card) - stay)
        work["stay_letters"][rank, at, suit, stay] = letters_in_box(
            box, suit, free, laid
        )


@kernel
def fill_ways(work: Work, rank: int, most: int) -> None:
    """Lists the ways for cards of a rank to stay, so many at most."""
    count = 0
    for number in range(NUM_STAYS):
        is_possible = STAYS_TOTAL[number] <= most
        for suit in range(NUM_SUITS):
            has = work["may"][suit * NUM_RANKS + rank]
            is_possible = is_possible and STAYS[number, suit] <= has
        if is_possible:
            work["ways_to_stay"][rank, count] = number
            count += 1
    work["num_ways"][rank] = count


@kernel
def fill_options(work: Work, rank: int, at: int, most: int) -> bool:
    """Writes what each suit of the node faced comes to in a box, if all can go on.

    By how many of its cards stay. Where more stay and a suit comes to nothing that it
    does not come to with fewer, that is of no use: all else is the same.

    Args:
        work: The workspace.
        rank: The rank stepped over.
        at: The box.
        most: The most cards to stay.
    """
    for suit in range(NUM_SUITS):
        found, has = 0, min(most, work["may"][suit * NUM_RANKS + rank])
        for stay in range(MOST_STAY + 1):
            is_of_use = stay <= has and _fill_option(
                work, suit, stay, work["stay_letters"][rank, at, suit, stay]
            )
            work["is_option"][suit, stay] = is_of_use
            found += is_of_use
        if found == 0:
            return False
    return True


@kernel
def _fill_option(work: Work, suit: int, stay: int, letters: int) -> bool:
    """Writes what a suit comes to by some letters; tells whether it is of use."""
    options, every = work["options"], 0
    for level in range(work["jokers_high"] + 1):
        word = 0
        for placed in range(level + 1):
            letter = level_letter(letters, placed)
            word |= level_image(work, suit, level - placed, letter)
        if level > 0 and work["jokers_low"] == 0:
            word |= options[suit, stay, level - 1]
        options[suit, stay, level] = word
        every |= word
    if every == 0:
        return False
    for fewer in range(stay):
        lacks = 0
        for level in range(work["jokers_high"] + 1):
            lacks |= options[suit, stay, level] & ~options[suit, fewer, level]
        if lacks == 0 and work["is_option"][suit, fewer] == 1:
            return False
    return True


@kernel
def take_way(work: Work, number: int) -> bool:
    """Writes the node after a way for cards to stay to `here`, from the options.

    Returns:
        Whether it is of use and every suit has a way on with the jokers there are.
    """
    for suit in range(NUM_SUITS):
        if work["is_option"][suit, STAYS[number, suit]] == 0:
            return False
    spent, jokers = 0, work["jokers_high"]
    for suit in range(NUM_SUITS):
        fewest = NUM_LEVELS
        for level in range(jokers + 1):
            word = work["options"][suit, STAYS[number, suit], level]
            work["here"][suit, level] = word
            if word != 0 and fewest > level:
                fewest = level
        spent += fewest
    if spent > jokers:
        return False
    forget_unaffordable(work, spent)
    return True
