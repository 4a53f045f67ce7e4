"""Nodes of a walk, and the step from one to the next.

Given the boxes of copies that go to groups (`choices`), the suits are independent. So
a *node* is four sets of elements, one a suit (`automaton`). A node that another one
covers, set by set, is dropped: whatever it can do the other can.

**Jokers.** Those that cannot move count as the cards they name. The others are free:
each adds a copy somewhere, at most two in all. A node keeps, for each suit, one set a
*level*: the elements reached with so many free jokers named in that suit. So where
jokers go never multiplies nodes. Two nodes *join*, one of a walk forward, one of a
walk backward, iff their suits meet at levels whose sum, over the suits, is a number of
jokers that may be placed. Where no jokers must be placed, the set at a level contains
the sets below it.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_SUITS
from rummy_env.kernel.automaton import (
    CHUNK_BITS,
    FROM_VIRGIN,
    LETTER_LOW,
    NO_LETTER,
    NUM_CHUNKS,
    NUM_ROOMS,
    NUM_SLICES,
    ORIGIN,
    ROOT,
    SLICE,
    SLICE_MASK,
    STARTED,
    STEP,
    VIRGIN,
)
from rummy_env.kernel.choices import letter_of
from rummy_env.kernel.jit import inlined, kernel, outlined
from rummy_env.kernel.joker_totals import allowed_totals, sums
from rummy_env.kernel.workspace import BACKWARD, NUM_LEVELS

Work = Any
"""A record of `workspace.WORKSPACE`."""

_CHUNK: Final = 1 << CHUNK_BITS
_CHUNK_MASK: Final = _CHUNK - 1
_UNKNOWN: Final = -1


@kernel
def _slices_after(word: int, letter: int, room: int) -> int:
    """Returns the elements after a letter, from those with a suit's runs begun."""
    at = (letter * NUM_ROOMS + room) * (NUM_CHUNKS * _CHUNK)
    out = 0
    for reserve in range(NUM_SLICES):
        part = (word >> (SLICE * reserve)) & SLICE_MASK
        if part != 0:
            image = 0
            for chunk in range(NUM_CHUNKS):
                bits = (part >> (CHUNK_BITS * chunk)) & _CHUNK_MASK
                image |= int(STEP[at + chunk * _CHUNK + bits])
            out |= image << (SLICE * reserve)
    return out


@kernel
def word_after(word: int, letter: int, room: int) -> int:
    """Returns the elements after a letter, before a rank with so much room."""
    if word == 0 or letter == NO_LETTER:
        return 0
    out = _slices_after(word, letter, room)
    if word >= VIRGIN:
        if word & ROOT != 0:
            out |= STARTED[1, letter, room]
        else:
            out |= STARTED[0, letter, room]
    if out & 1 != 0:
        out |= VIRGIN
    return out


@kernel
def word_before(word: int, letter: int) -> int:
    """Returns the elements that a letter takes to some of these."""
    if word == 0 or letter == NO_LETTER:
        return 0
    at = letter * (NUM_CHUNKS * _CHUNK)
    out = 0
    for reserve in range(NUM_SLICES):
        part = (word >> (SLICE * reserve)) & SLICE_MASK
        if part != 0:
            image = 0
            for chunk in range(NUM_CHUNKS):
                bits = (part >> (CHUNK_BITS * chunk)) & _CHUNK_MASK
                image |= int(ORIGIN[at + chunk * _CHUNK + bits])
            out |= image << (SLICE * reserve)
    if word & FROM_VIRGIN[letter] != 0:
        out |= VIRGIN
    if word & VIRGIN != 0 and LETTER_LOW[letter] == 0:
        out |= VIRGIN
    return out


@kernel
def face(work: Work, row: int, index: int, rank: int) -> None:
    """Turns to a node, to step over a rank; forgets the images of the last node."""
    work["num_looks"] += 1
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            work["faced"][suit, level] = work["nodes"][row, index, suit, level]
            work["level_images"][suit, level, :] = _UNKNOWN
    work["place"] = rank + 1 if row < BACKWARD else BACKWARD + rank


@inlined
def level_image(work: Work, suit: int, level: int, letter: int) -> int:
    """Returns the set that a letter leads to from one set of the node faced."""
    known = work["level_images"][suit, level, letter]
    if known != _UNKNOWN:
        return known
    return _find_level_image(work, suit, level, letter)


@kernel
def _find_level_image(work: Work, suit: int, level: int, letter: int) -> int:
    """Returns the same where it is not known yet, and keeps it."""
    place, word = work["place"], work["faced"][suit, level]
    if place < BACKWARD:
        word = word_after(word, letter, work["room"][place, suit])
    else:
        word = word_before(word, letter)
    word &= work["keep"][place, suit]
    work["level_images"][suit, level, letter] = word
    return word


@outlined
def step_over(work: Work, choice: int) -> bool:
    """Steps the node faced by a choice, writing the node after to `here`.

    Returns:
        Whether every suit has a way on with the jokers there are.
    """
    here, jokers = work["here"], work["jokers_high"]
    spent = 0
    for suit in range(NUM_SUITS):
        fewest = NUM_LEVELS
        for level in range(jokers + 1):
            word = 0
            for placed in range(level + 1):
                letter = letter_of(choice, suit, placed)
                word |= level_image(work, suit, level - placed, letter)
            if level > 0 and work["jokers_low"] == 0:
                word |= here[suit, level - 1]
            here[suit, level] = word
            if word != 0 and fewest > level:
                fewest = level
        spent += fewest
        if spent > jokers:
            return False
    forget_unaffordable(work, spent)
    return True


@kernel
def forget_unaffordable(work: Work, spent: int) -> None:
    """Empties the levels that the other suits' needs leave no jokers for."""
    here, jokers = work["here"], work["jokers_high"]
    if jokers == 0:
        return
    for suit in range(NUM_SUITS):
        fewest = 0
        while here[suit, fewest] == 0:
            fewest += 1
        most = jokers - (spent - fewest)
        for level in range(most + 1, jokers + 1):
            here[suit, level] = here[suit, most] if work["jokers_low"] == 0 else 0


@kernel
def meeting_totals(work: Work, word: Any, suit: int, row: int, index: int) -> int:
    """Returns with how many jokers a suit's sets of two nodes meet.

    Args:
        work: The workspace.
        word: One node's sets of every suit, `[suits, levels]`.
        suit: The suit.
        row: The other node's layer.
        index: Its place there.
    """
    totals, levels = 0, work["jokers_high"] + 1
    for one in range(levels):
        for other in range(levels - one):
            if word[suit, one] & work["nodes"][row, index, suit, other] != 0:
                totals |= 1 << (one + other)
    return totals


@kernel
def joins_node(work: Work, row: int, index: int) -> bool:
    """Tells whether `here` joins a node of the other walk."""
    totals = 1
    for suit in range(NUM_SUITS):
        totals = sums(totals, meeting_totals(work, work["here"], suit, row, index))
        if totals == 0:
            return False
    return totals & allowed_totals(work) != 0


@kernel
def is_covered(work: Work, row: int, count: int) -> bool:
    """Tells whether a node of the beam covers `here`."""
    here, nodes = work["here"], work["nodes"]
    for index in range(count):
        lacks = 0
        for suit in range(NUM_SUITS):
            for level in range(work["jokers_high"] + 1):
                lacks |= here[suit, level] & ~nodes[row, index, suit, level]
        if lacks == 0:
            return True
    return False


@kernel
def copy_node(work: Work, row: int, source: int, target: int) -> None:
    """Copies a node of a layer to another place in it."""
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            word = work["nodes"][row, source, suit, level]
            work["nodes"][row, target, suit, level] = word


@kernel
def write_here(work: Work, row: int, index: int) -> None:
    """Copies `here` to a place in a layer."""
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            work["nodes"][row, index, suit, level] = work["here"][suit, level]


@kernel
def count_bits(word: int) -> int:
    """Returns the number of bits set in a word that is not negative."""
    word = word - ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 0x7F
