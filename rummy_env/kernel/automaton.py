"""The automaton of one suit's runs, on sets of its states, as tables.

Walk the ranks of one suit from the ace up. At each rank some copies of the card, `k`
of them, go to runs, the rest to groups (`groups`). All there is to remember is the
*element* `(a, b, c, h)`: open runs that have one, two, and three or more cards, and
aces held back to be laid after the last rank (R11, the ace high).

**One step.** Runs shorter than three must be extended, so `k >= a + b`. Further
copies extend long runs before they start new ones; this never hurts, since a long
run that ends and a run that starts at the next rank are together one longer run,
which may be cut again anywhere. Hence for each `k` there is one successor::

    (a, b, c, h) --k--> (max(0, k - a - b - c), a, b + min(c, k - a - b), h)

After the last rank the `h` aces are a step of their own, after which no short run may
be open: the element accepts iff `a == 0 and b <= h <= b + c`. (A run that takes both
aces, A-2-...-K-A, is two legal runs; R11.) The ace itself starts the walk from a
*root*: its `k` copies split into `k - h` low ones and `h` high ones. With three or
four ranks the ace is low only (R2): the second root.

**Virgin.** Element `VIRGIN` is `(0, 0, 0, 0)` of a suit that has had no run at all, so
that a walk can ask for a table with a run in this suit (`completion`, padding).

**Bounds.** A card has at most four effective copies: two real ones, and two jokers,
which are the only ones. At most two aces need to be held back: three high aces in
runs of three would need three queens and three kings of the suit too, nine cards of
which two packs have six. And `a + b + c`, the copies of the rank just passed, need
not count above three: if it is four, both jokers are there, so the next rank has at
most two copies, short runs can be at most two, and a long run more than those that
can be extended is worth nothing. So `c` is cut to make the sum three.

**Order.** Element `y` *simulates* `x` (can do whatever `x` can) when it comes from `x`
by making a one-card run a two-card run, a two-card run a long one, or by adding a
long run, any number of times; and `(0, 0, 0, 0)` simulates `VIRGIN`. Proof, one move
at a time, for a step `k` that `x` can make, with `x' = (p, a, q)` its successor: a
further long run gives `x'` itself or, if `p > 0`, `(p - 1, a, q + 1)`; a long run for
a two-card one gives `x'`; a two-card run for a one-card one gives `(p, a - 1, q + 1)`.
Each is `x'` or simulates it; and acceptance is monotone in all three moves. The
reserves `h` must be equal.

**Sets.** How many of the copies lie (an optional card may stay in the hand) and how
the aces divide is free within a suit, given how many go to groups. So the walk keeps
a *set* of elements, one bit each in one word, closed downward under simulation, and a
letter is an interval `[k_low, k_high]` of choices. Walking from the other end, a set
holds the elements from which the rest can be accepted. A walk forward and a walk
backward fit together iff their sets share an element: downward closure adds only
what a member simulates, so no false meeting arises.

**Neighbours.** Sets that differ only in what cannot matter are made equal, so that
fewer are told apart. Forward, before a rank with room for `n` copies: a long run
counts only up to `n - a - b` (all larger `c` are added); and `a + b > n`, or `a` above
the room of the rank after, is dead. Backward: elements that the ranks before cannot
bring about (more cards than the rank just passed has room for, more runs of two and
of three than the ranks before it) are left out.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

MAX_COPIES: Final = 4
"""The most effective copies of one card: two packs and two jokers."""
MAX_COUNTED: Final = 3
"""The most runs counted in an element."""
MAX_HIGH_ACES: Final = 2

Shape = tuple[int, int, int]
"""The part `(a, b, c)` of an element; the reserve stays the same through a walk."""

_COUNTS: Final = range(MAX_COUNTED + 1)
SHAPES: Final[tuple[Shape, ...]] = tuple(
    sorted(
        (
            shape
            for shape in product(_COUNTS, _COUNTS, _COUNTS)
            if sum(shape) <= MAX_COUNTED
        ),
        key=lambda shape: (sum(shape), shape),
    )
)
SLICE: Final = len(SHAPES)
"""Bits of one reserve in a word; `(a, b, c, h)` is bit `SLICE * h + number`."""
SLICE_MASK: Final = (1 << SLICE) - 1
NUM_SLICES: Final = MAX_HIGH_ACES + 1
VIRGIN: Final = 1 << SLICE * NUM_SLICES
ROOT: Final = VIRGIN << 1
"""The set before the ace, where the ace is low and high."""
ROOT_LOW: Final = VIRGIN << 2
"""The set before the ace, where the ace is low only."""

LETTERS: Final = tuple(
    (low, high) for high in range(MAX_COPIES + 1) for low in range(high + 1)
)
"""The intervals of copies that may go to runs; the letter of `[low, high]` has the
number `high * (high + 1) // 2 + low`."""
NO_LETTER: Final = len(LETTERS)
"""Stands for no choice at all."""
NUM_ROOMS: Final = MAX_COPIES + 1
CHUNK_BITS: Final = 5
"""Bits of a slice that one look-up takes."""
NUM_CHUNKS: Final = SLICE // CHUNK_BITS

_NUMBER_OF: Final = {shape: number for number, shape in enumerate(SHAPES)}


def successor(shape: Shape, k: int) -> Shape | None:
    """Returns the shape after `k` copies went to runs, or None if a run breaks."""
    a, b, c = shape
    if k < a + b:
        return None
    return max(0, k - a - b - c), a, b + min(c, k - a - b)


def cut(shape: Shape) -> Shape | None:
    """Returns a shape of four as one of three; None if its runs cannot all go on."""
    a, b, c = shape
    if sum(shape) <= MAX_COUNTED:
        return shape
    return (a, b, c - 1) if c > 0 else None


def accepts(shape: Shape, reserve: int) -> bool:
    """Tells whether no short run is open once the high aces are laid."""
    a, b, c = shape
    return a == 0 and b <= reserve <= b + c


def _below(shape: Shape) -> int:
    """Returns the bits of all shapes that one simulates, itself included."""
    a, b, c = shape
    bits = 1 << _NUMBER_OF[shape]
    if b:
        bits |= _below((a + 1, b - 1, c))
    if c:
        bits |= _below((a, b + 1, c - 1)) | _below((a, b, c - 1))
    return bits


def _filled(shape: Shape, room: int) -> int:
    """Returns the bits a shape stands for before a rank with so much room."""
    a, b, c = shape
    if a + b > room:
        return 0
    bits = _below(shape)
    if c >= room - a - b:
        for more in range(c, MAX_COUNTED - a - b + 1):
            bits |= _below((a, b, more))
    return bits


def _step_bits(shape: Shape, letter: int, room: int) -> int:
    """Returns the bits after a letter, before a rank with so much room."""
    if letter == NO_LETTER:
        return 0
    bits = 0
    low, high = LETTERS[letter]
    for k in range(low, high + 1):
        following = successor(shape, k)
        kept = None if following is None else cut(following)
        if kept is not None:
            bits |= _filled(kept, room)
    return bits


def _origin_bits(shape: Shape, letter: int) -> int:
    """Returns the bits of the shapes that a letter can take to this one."""
    if letter == NO_LETTER:
        return 0
    bits = 0
    low, high = LETTERS[letter]
    for number, before in enumerate(SHAPES):
        for k in range(low, high + 1):
            following = successor(before, k)
            if following is not None and cut(following) == shape:
                bits |= 1 << number
    return bits


def _by_chunk(images: list[int]) -> list[list[int]]:
    """Returns the union of the images of each chunk's bits, `[chunks, 32]`."""
    table = []
    for chunk in range(NUM_CHUNKS):
        row = [0]
        for bits in range(1, 1 << CHUNK_BITS):
            lowest = (bits & -bits).bit_length() - 1
            image = images[chunk * CHUNK_BITS + lowest]
            row.append(row[bits & (bits - 1)] | image)
        table.append(row)
    return table


def _started(letter: int, room: int, is_high: bool) -> int:
    """Returns the word after the ace's letter, by whether the ace is also high."""
    if letter == NO_LETTER:
        return 0
    low, high = LETTERS[letter]
    word = 0 if low else VIRGIN
    for k in range(max(low, 1), high + 1):
        for reserve in range(min(k, MAX_HIGH_ACES) + 1 if is_high else 1):
            kept = cut((k - reserve, 0, 0))
            if kept is not None:
                word |= _filled(kept, room) << SLICE * reserve
    return word


_ALL_LETTERS: Final = range(NO_LETTER + 1)
STEP: Final = np.array(
    [
        [
            _by_chunk([_step_bits(shape, letter, room) for shape in SHAPES])
            for room in range(NUM_ROOMS)
        ]
        for letter in _ALL_LETTERS
    ],
    dtype=np.int32,
).ravel()
"""Slices after a step, by letter, room of the next rank, chunk and its bits; flat."""
ORIGIN: Final = np.array(
    [
        _by_chunk([_origin_bits(shape, letter) for shape in SHAPES])
        for letter in _ALL_LETTERS
    ],
    dtype=np.int32,
).ravel()
"""Slices before a step, by letter, chunk and its bits; flat."""
STARTED: Final = np.array(
    [
        [
            [_started(letter, room, is_high) for room in range(NUM_ROOMS)]
            for letter in _ALL_LETTERS
        ]
        for is_high in (False, True)
    ],
    dtype=np.int64,
)
"""Words after the ace, by whether it is high too, letter and room of the next rank;
from `VIRGIN` the words of an ace that is low only serve."""
FROM_VIRGIN: Final = np.array(
    [
        0
        if letter == NO_LETTER
        else sum(
            1 << _NUMBER_OF[kept]
            for k in range(max(1, LETTERS[letter][0]), LETTERS[letter][1] + 1)
            if (kept := cut((k, 0, 0))) is not None
        )
        for letter in _ALL_LETTERS
    ],
    dtype=np.int64,
)
"""The elements that a letter makes of `VIRGIN`, but itself."""
LETTER_LOW: Final = np.array([low for low, _ in LETTERS] + [1], dtype=np.int64)
"""The fewest copies that go to runs by each letter; 1 for no letter at all."""
LETTER_HIGH: Final = np.array([high for _, high in LETTERS] + [0], dtype=np.int64)
"""The most; 0 for no letter."""


def _bit_of(shape: Shape) -> int:
    """Returns the bit of a shape, cut; 0 if its runs cannot all go on."""
    kept = cut(shape) if sum(shape) <= MAX_COPIES else None
    return 0 if kept is None else 1 << _NUMBER_OF[kept]


_UP_TO_MOST: Final = range(MAX_COPIES + 1)
BIT_OF: Final = np.array(
    [
        [[_bit_of((a, b, c)) for c in _UP_TO_MOST] for b in _UP_TO_MOST]
        for a in _UP_TO_MOST
    ],
    dtype=np.int64,
)
"""The bits of shapes with up to four runs in a slice, `[5, 5, 5]`."""


def _word(condition: list[bool], keeps_virgin: bool = True) -> int:
    """Returns the word of the shapes for which a condition holds, all reserves."""
    bits = sum(1 << number for number, holds in enumerate(condition) if holds)
    word = sum(bits << SLICE * reserve for reserve in range(NUM_SLICES))
    return word | (VIRGIN if keeps_virgin else 0)


ALIVE: Final = np.array(
    [
        [_word([a + b <= n and a <= m for a, b, _ in SHAPES]) for m in range(NUM_ROOMS)]
        for n in range(NUM_ROOMS)
    ],
    dtype=np.int64,
)
"""What can go on, by the room of the next rank and of the rank after it."""
FITS_ONE: Final = np.array(
    [_word([a + b + c <= n for a, b, c in SHAPES]) for n in range(NUM_ROOMS)],
    dtype=np.int64,
)
"""What can be there, by the room of the rank just passed (capped at three)."""
FITS_TWO: Final = np.array(
    [_word([b + c <= n for _, b, c in SHAPES]) for n in range(NUM_ROOMS)],
    dtype=np.int64,
)
"""The same, by the room of the rank before that."""
FITS_THREE: Final = np.array(
    [_word([c <= n for _, _, c in SHAPES]) for n in range(NUM_ROOMS)], dtype=np.int64
)
"""The same, by the room of the rank before the latter."""
FITS_ACES: Final = np.array(
    [
        sum(SLICE_MASK << SLICE * h for h in range(min(n, MAX_HIGH_ACES) + 1)) | VIRGIN
        for n in range(NUM_ROOMS)
    ],
    dtype=np.int64,
)
"""The same, by the room for aces."""
ACCEPT_RUN: Final = sum(
    1 << SLICE * reserve + number
    for reserve in range(NUM_SLICES)
    for number, shape in enumerate(SHAPES)
    if accepts(shape, reserve)
)
"""The elements that accept, of a suit that has a run."""
ACCEPT: Final = ACCEPT_RUN | VIRGIN
"""The elements that accept."""
