"""Choices: the ways to divide the copies of a rank between groups and runs.

`automaton` decides one suit's runs, `groups` one rank's groups. The two meet in the
choice, at each rank, of a box of copies that go to groups: given the boxes, the suits
are independent, and each reads a *letter*, the interval of its copies that go to
runs. Cards in the hand widen the interval; a free joker shifts it, so a choice packs
one letter for each suit and number of jokers placed there. A higher lower bound on
the copies of one suit asks for one more card: the second word of a choice.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from rummy_env.kernel.groups import (
    ALL_BOXES,
    BOX_HIGH,
    BOX_KIND,
    BOX_KINDS,
    BOX_LOW,
    BOXES_SHORT_OF,
    MAX_GROUPS,
    NUM_BOX_KINDS,
    NUM_BOXES_WITH,
)
from rummy_env.kernel.jit import inlined, kernel
from rummy_env.kernel.workspace import BACKWARD, NUM_LEVELS

Work = Any
"""A record of `workspace.WORKSPACE`."""

_LETTER_BITS: Final = 4
_LETTER_MASK: Final = (1 << _LETTER_BITS) - 1
_SUIT_BITS: Final = _LETTER_BITS * NUM_LEVELS
_NUM_COUNTS: Final = MAX_COPIES + 1


def _interval(must: int, may: int, jokers: int, low: int, high: int, more: int) -> int:
    """Returns the letter of a card's copies that go to runs.

    Args:
        must: Copies that lie.
        may: Further copies that may.
        jokers: Free jokers placed as this card.
        low: The fewest copies that go to groups.
        high: The most.
        more: 1 asks for one more card from the hand, 0 does not.
    """
    fewest = must + jokers
    most = fewest + may - low
    if more > may or most < 0 or fewest + may > MAX_COPIES:
        return NO_LETTER
    least = max(0, fewest + more - high)
    return most * (most + 1) // 2 + least


def _letters(free: int, must: int, may: int, kind: tuple[int, int], more: int) -> int:
    """Returns the letters of a card by jokers placed as it, packed."""
    packed = 0
    for jokers in range(NUM_LEVELS):
        letter = NO_LETTER
        if jokers <= free:
            letter = _interval(must, may, jokers, *kind, more)
        packed |= letter << jokers * _LETTER_BITS
    return packed


def _letters_in(more: int) -> NDArray[np.int64]:
    """Returns the letters of a card by its jokers, copies and part in a box; flat."""
    counts = range(_NUM_COUNTS)
    return np.array(
        [
            _letters(free, must, may, kind, more)
            for free, must, may in product(range(NUM_LEVELS), counts, counts)
            for kind in BOX_KINDS
        ],
        dtype=np.int64,
    )


_LETTERS_IN: Final = _letters_in(0)
_LETTERS_IN_MORE: Final = _letters_in(1)


@kernel
def _row_of(free: int, must: int, may: int) -> int:
    """Returns where the letters of a card stand.

    Args:
        free: How many free jokers may be placed as this card.
        must: Copies that lie.
        may: Further copies that may.
    """
    return ((free * _NUM_COUNTS + must) * _NUM_COUNTS + may) * NUM_BOX_KINDS


@kernel
def letter_between(low: int, high: int) -> int:
    """Returns the number of the interval of copies that go to runs."""
    return (high * (high + 1)) // 2 + low


@inlined
def letter_of(choice: int, suit: int, level: int) -> int:
    """Returns the letter of a suit with so many jokers placed there."""
    return (choice >> ((suit * NUM_LEVELS + level) * _LETTER_BITS)) & _LETTER_MASK


@inlined
def letters_in_box(box: int, suit: int, free: int, must: int) -> int:
    """Returns the letters of a suit in a box by jokers placed there, packed.

    Args:
        box: The box.
        suit: The suit.
        free: How many free jokers may be placed as its card.
        must: Copies of it that lie; no further ones may.
    """
    return _LETTERS_IN[_row_of(free, must, 0) + BOX_KIND[box, suit]]


@inlined
def in_choice(letters: int, suit: int) -> int:
    """Returns the letters of a suit as they stand in a choice."""
    return letters << (suit * _SUIT_BITS)


@inlined
def level_letter(letters: int, level: int) -> int:
    """Returns the letter of those of a suit for so many jokers placed there."""
    return (letters >> (level * _LETTER_BITS)) & _LETTER_MASK


_PAIRS: Final = tuple((must, may) for must in range(3) for may in range(3 - must))
"""Copies that must lie and that may, two at most together: nearly all cards."""
_NUM_PAIRS: Final = len(_PAIRS)
_PAIR_OF: Final = np.array(
    [
        [
            _PAIRS.index((must, may)) if (must, may) in _PAIRS else -1
            for may in range(_NUM_COUNTS)
        ]
        for must in range(_NUM_COUNTS)
    ],
    dtype=np.int64,
)


class _Listed(NamedTuple):
    """The choices of all ranks whose cards are `_PAIRS`, without free jokers.

    Attributes:
        words: The choices and those with one more card, int64 `[all, 2]`.
        first: Where those of each rank begin, by its four pairs, and the end.
        num_steps: How many of them steps need.
        most_groups: The most groups of any.
    """

    words: NDArray[np.int64]
    first: NDArray[np.int64]
    num_steps: NDArray[np.int64]
    most_groups: NDArray[np.int64]


def _list_choices() -> _Listed:
    """Returns the choices of all ranks with two copies of a card at most."""
    pairs = np.array(list(product(_PAIRS, repeat=NUM_SUITS)), dtype=np.int64)
    must, may = pairs[:, :, 0], pairs[:, :, 1]
    fits = (must + may)[:, None, :] >= BOX_LOW[None]  # [ranks, boxes, suits]
    is_choice = fits.all(axis=2)
    rank, box = np.nonzero(is_choice)
    words = np.zeros((len(rank), 2), dtype=np.int64)
    for suit in range(NUM_SUITS):
        row = (must[rank, suit] * _NUM_COUNTS + may[rank, suit]) * NUM_BOX_KINDS
        at, shift = row + BOX_KIND[box, suit], suit * _SUIT_BITS
        words[:, 0] |= _LETTERS_IN[at] << shift
        words[:, 1] |= _LETTERS_IN_MORE[at] << shift
    needed = is_choice & (BOX_HIGH <= must.max(axis=1)[:, None])
    return _Listed(
        words=words,
        first=np.concatenate([[0], np.cumsum(is_choice.sum(axis=1))]),
        num_steps=needed.sum(axis=1),
        most_groups=np.where(is_choice, BOX_HIGH, 0).max(axis=1),
    )


_LISTED: Final = _list_choices()
_WORDS_LISTED: Final = _LISTED.words
_FIRST_LISTED: Final = _LISTED.first
_STEPS_LISTED: Final = _LISTED.num_steps
_GROUPS_LISTED: Final = _LISTED.most_groups


@kernel
def _copy_choices(work: Work, rank: int) -> bool:
    """Lists the choices of a rank from `_LISTED`; False if they are not there."""
    if work["jokers_high"] > 0:
        return False
    key, is_listed = 0, True
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        pair = _PAIR_OF[work["must"][card], work["may"][card]]
        is_listed = is_listed and pair >= 0
        key = key * _NUM_PAIRS + pair
    if not is_listed:
        return False
    first = _FIRST_LISTED[key]
    count = _FIRST_LISTED[key + 1] - first
    for at in range(count):
        work["choices"][rank, at, 0] = _WORDS_LISTED[first + at, 0]
        work["choices"][rank, at, 1] = _WORDS_LISTED[first + at, 1]
    work["num_plain"][rank] = count
    work["num_choices"][rank] = count
    work["num_steps"][rank] = _STEPS_LISTED[key]
    work["most_groups"][rank] = _GROUPS_LISTED[key]
    return True


@kernel
def present_copies(work: Work, card: int) -> int:
    """Returns how many copies of a card may come to lie, free jokers not counted."""
    return work["must"][card] + work["may"][card]


@kernel
def boxes_at(work: Work, rank: int) -> int:
    """Returns the boxes that the cards of a rank can fill without a joker, as bits."""
    boxes = ALL_BOXES
    for suit in range(NUM_SUITS):
        present = min(present_copies(work, suit * NUM_RANKS + rank), MAX_COPIES)
        boxes &= BOXES_SHORT_OF[suit, present, 0]
    return boxes


@inlined
def _row_in(work: Work, suit: int, rank: int, box: int) -> int:
    """Returns where the letters of a card in a box stand, no joker being free."""
    card = suit * NUM_RANKS + rank
    return _row_of(0, work["must"][card], work["may"][card]) + BOX_KIND[box, suit]


@inlined
def letter_in(work: Work, suit: int, rank: int, box: int) -> int:
    """Returns the letter of a suit in a box; NO_LETTER if it cannot fill it."""
    return _LETTERS_IN[_row_in(work, suit, rank, box)] & _LETTER_MASK


@inlined
def letter_in_more(work: Work, suit: int, rank: int, box: int) -> int:
    """Returns the same with one more card of the suit laid."""
    return _LETTERS_IN_MORE[_row_in(work, suit, rank, box)] & _LETTER_MASK


@kernel
def fill_choices(work: Work, rank: int) -> None:
    """Lists the ways to divide the copies of a rank, as packed letters.

    First the *plain* ones, which need no joker; of these first the ones that steps need
    (`_num_needed`).
    """
    if _copy_choices(work, rank):
        return
    jokers, most = work["jokers_high"], 0
    none, one, two = ALL_BOXES, 0, 0
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        must, may = work["must"][card], work["may"][card]
        free = 0 if work["is_barred"][card] == 1 else jokers
        work["letters_at"][suit] = _row_of(free, must, may)
        most = max(most, must)
        present = min(must + may, MAX_COPIES)
        full = BOXES_SHORT_OF[suit, present, 0]
        short = BOXES_SHORT_OF[suit, present, 1]
        shorter = BOXES_SHORT_OF[suit, present, 2]
        two = two & full | one & short | none & shorter
        one = one & full | none & short
        none &= full
    work["most_groups"][rank] = 0
    count = _add_choices(work, rank, 0, none)
    work["num_plain"][rank] = count
    work["num_steps"][rank] = _num_needed(none, most)
    if jokers > 0:
        count = _add_choices(work, rank, count, one)
    if jokers > 1:
        count = _add_choices(work, rank, count, two)
    work["num_choices"][rank] = count


@inlined
def _first_boxes(count: int) -> int:
    """Returns so many boxes, as bits."""
    return (1 << count) - 1


@inlined
def _num_needed(boxes: int, most: int) -> int:
    """Returns how many of some boxes the steps of a walk need; they come first.

    Let every suit have `most` copies that must lie, or fewer. In a box of more than
    `most` groups, `G`, each suit's letter is contained in that of a box of `G - 1`:
    there one miss less is allowed, taken from a suit that had one, so that in no suit
    more copies must go to groups, and as many or more may go to runs; and as no suit
    has to lay more than `G - 1` copies, none need go to runs in either. So whatever the
    former leads to, the latter does as well. (Which is not to say that it is of no use
    to a card that is asked about.)
    """
    needed, count = boxes & _first_boxes(NUM_BOXES_WITH[min(most, MAX_GROUPS)]), 0
    while needed != 0:
        needed &= needed - 1
        count += 1
    return count


@kernel
def _add_choices(work: Work, rank: int, count: int, boxes: int) -> int:
    """Adds the choices of some boxes; returns how many choices there are."""
    row, box = work["letters_at"], 0
    while boxes != 0:
        if boxes & 1:
            choice, more = 0, 0
            for suit in range(NUM_SUITS):
                at, shift = row[suit] + BOX_KIND[box, suit], suit * _SUIT_BITS
                choice |= _LETTERS_IN[at] << shift
                more |= _LETTERS_IN_MORE[at] << shift
            work["choices"][rank, count, 0] = choice
            work["choices"][rank, count, 1] = more
            work["most_groups"][rank] = max(work["most_groups"][rank], BOX_HIGH[box])
            count += 1
        boxes >>= 1
        box += 1
    return count


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
