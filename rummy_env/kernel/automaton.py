"""The automaton of one suit's runs, determinised once into tables.

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

**Bounds.** A card has at most four effective copies, two real ones and two jokers, so
`a + b + c <= 4`. At most two aces need to be held back: three high aces in runs of
three would need three queens and three kings of the suit too, nine cards of which
two packs have six, and there are only two jokers.

**Order.** Element `y` *simulates* `x` (can do whatever `x` can) when it comes from `x`
by making a one-card run a two-card run, a two-card run a long one, or by adding a
long run, any number of times; and `(0, 0, 0, 0)` simulates `VIRGIN`.
Proof, one move at a time, for a step `k` that `x` can
make, with `x' = (p, a, q)` its successor: a further long run gives `x'` itself or, if
`p > 0`, `(p - 1, a, q + 1)`; a long run for a two-card one gives `x'`; a two-card run
for a one-card one gives `(p, a - 1, q + 1)`. Each is `x'` or simulates it; and
acceptance is monotone in all three moves. The reserves `h` must be equal.

**Sets.** How many of the copies lie (an optional card may stay in the hand) and how
the aces divide is free within a suit, given how many go to groups. So the walk keeps
a *set* of elements, closed downward under simulation, and a letter is an interval
`[k_low, k_high]` of choices. Few sets are reachable: they get numbers, and a step is
a look-up. Walking from the other end, a backward set holds the elements from which
the rest can be accepted, that is preimages, closed upward. A walk forward and a walk
backward fit together iff their sets share an element: downward closure adds only what
a member simulates, so no false meeting arises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_COPIES: Final = 4
"""The most effective copies of one card: two packs and two jokers."""
MAX_HIGH_ACES: Final = 2

Element = tuple[int, int, int, int]
ELEMENTS: Final[tuple[Element, ...]] = tuple(
    (a, b, c, h)
    for h in range(MAX_HIGH_ACES + 1)
    for a, b, c in product(range(MAX_COPIES + 1), repeat=3)
    if a + b + c <= MAX_COPIES
)
NUMBER_OF: Final = {element: number for number, element in enumerate(ELEMENTS)}
VIRGIN: Final = len(ELEMENTS)
"""Nothing open, nothing held back, and no run so far."""
ROOT: Final = VIRGIN + 1
"""The element before the ace, where the ace is low and high."""
ROOT_LOW: Final = ROOT + 1
"""The element before the ace, where the ace is low only."""
NUM_ELEMENTS: Final = ROOT_LOW + 1
WORD_BITS: Final = 60
"""A set is two int64 words: elements 0 to 59 and the rest."""

LETTERS: Final = tuple(
    (low, high) for high in range(MAX_COPIES + 1) for low in range(high + 1)
)
"""The intervals of copies that may go to runs; the letter of `[low, high]` has the
number `high * (high + 1) // 2 + low`."""
NUM_LETTERS: Final = len(LETTERS)


def successor(element: Element, k: int) -> Element | None:
    """Returns the element after `k` copies went to runs, or None if a run breaks."""
    a, b, c, h = element
    if k < a + b:
        return None
    return max(0, k - a - b - c), a, b + min(c, k - a - b), h


def successors(number: int, k: int) -> list[int]:
    """Returns the numbers of the elements that follow an element or a root."""
    if number in (VIRGIN, ROOT, ROOT_LOW) and k == 0:
        return [VIRGIN]
    if number == ROOT:
        reserves = range(min(k, MAX_HIGH_ACES) + 1)
        return [NUMBER_OF[k - h, 0, 0, h] for h in reserves]
    if number in (VIRGIN, ROOT_LOW):
        return [NUMBER_OF[k, 0, 0, 0]]
    following = successor(ELEMENTS[number], k)
    return [] if following is None else [NUMBER_OF[following]]


def accepts(element: Element) -> bool:
    """Tells whether no short run is open once the high aces are laid."""
    a, b, c, h = element
    return a == 0 and b <= h <= b + c


def weaker(element: Element) -> list[Element]:
    """Returns the elements that one move of the order puts just below this one."""
    a, b, c, h = element
    moves = [
        (a + 1, b - 1, c, h) if b else None,
        (a, b + 1, c - 1, h) if c else None,
        (a, b, c - 1, h) if c else None,
    ]
    return [move for move in moves if move is not None]


def _down_sets() -> list[int]:
    """Returns for each element the bits of all it simulates, itself included."""
    down: dict[Element, int] = {}

    def closure(element: Element) -> int:
        if element not in down:
            down[element] = 1 << NUMBER_OF[element]
            for below in weaker(element):
                down[element] |= closure(below)
        return down[element]

    for element in ELEMENTS:
        if closure(element) >> NUMBER_OF[0, 0, 0, 0] & 1:
            down[element] |= 1 << VIRGIN
    return [down[element] for element in ELEMENTS] + [
        1 << number for number in (VIRGIN, ROOT, ROOT_LOW)
    ]


class Automaton(NamedTuple):
    """Sets of elements, numbered, and the steps between them.

    Forward and backward sets stand in one numbering, so that one piece of code walks
    either way.

    Attributes:
        step: The set after a set and a letter, int16 `[sets, letters]`.
        low: Bits of elements 0 to 59 of each set, int64 `[sets]`.
        high: Bits of the other elements, int64 `[sets]`.
    """

    step: NDArray[np.int16]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def _members(bits: int) -> Iterable[int]:
    """Yields the numbers of the elements in a set."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _explore(
    starts: list[int], images: Callable[[int], list[int]]
) -> tuple[list[int], list[list[int]]]:
    """Finds every set reachable from the starts.

    Args:
        starts: The first sets.
        images: The sets that follow a set, one for each number of copies `k`.

    Returns:
        The sets, the starts first, and for each the set after each letter.
    """
    sets = list(dict.fromkeys(starts))
    seen = set(sets)
    rows = []
    for bits in sets:
        by_k = images(bits)
        row = []
        for low, high in LETTERS:
            following = 0
            for k in range(low, high + 1):
                following |= by_k[k]
            if following not in seen:
                seen.add(following)
                sets.append(following)
            row.append(following)
        rows.append(row)
    return sets, rows


def _forward_sets() -> tuple[list[int], list[list[int]]]:
    """Explores the walk from the ace up, from either root."""
    down = _down_sets()
    below = [bits & ~(1 << number) for number, bits in enumerate(down)]
    image = [[0] * NUM_ELEMENTS for _ in range(MAX_COPIES + 1)]
    for number, k in product(range(NUM_ELEMENTS), range(MAX_COPIES + 1)):
        for following in successors(number, k):
            image[k][number] |= down[following]

    def images(bits: int) -> list[int]:
        covered = 0
        for number in _members(bits):
            covered |= below[number]
        # what a member simulates steps to nothing that the member does not cover
        maximal = list(_members(bits & ~covered))
        by_k = [0] * (MAX_COPIES + 1)
        for k in range(MAX_COPIES + 1):
            for number in maximal:
                by_k[k] |= image[k][number]
        return by_k

    return _explore([0, 1 << ROOT, 1 << ROOT_LOW], images)


def _backward_sets() -> tuple[list[int], list[list[int]]]:
    """Explores the walk from the last rank down, from what accepts."""
    with_run = sum(accepts(each) << number for number, each in enumerate(ELEMENTS))
    targets = [
        [
            sum(1 << following for following in successors(number, k))
            for number in range(NUM_ELEMENTS)
        ]
        for k in range(MAX_COPIES + 1)
    ]

    def images(bits: int) -> list[int]:
        return [
            sum(
                1 << number
                for number in range(NUM_ELEMENTS)
                if targets[k][number] & bits
            )
            for k in range(MAX_COPIES + 1)
        ]

    return _explore([with_run | 1 << VIRGIN, with_run, 0], images)


def _number(walks: list[tuple[list[int], list[list[int]]]]) -> Automaton:
    """Numbers the sets of several walks one after the other, as tables.

    The empty set, from which nothing comes back, is number 0 in every walk.
    """
    bits_of: list[int] = []
    step: list[list[int]] = []
    for sets, rows in walks:
        number_of = {bits: len(bits_of) + at for at, bits in enumerate(sets)}
        number_of[0] = 0
        step += [[number_of[following] for following in row] for row in rows]
        bits_of += sets
    mask = (1 << WORD_BITS) - 1
    return Automaton(
        np.array(step, dtype=np.int16),
        np.array([bits & mask for bits in bits_of], dtype=np.int64),
        np.array([bits >> WORD_BITS for bits in bits_of], dtype=np.int64),
    )


_FORWARD_WALK: Final = _forward_sets()
EMPTY: Final = 0
FORWARD_ROOT: Final = 1
FORWARD_ROOT_LOW: Final = 2
BACKWARD_ACCEPT: Final = len(_FORWARD_WALK[0])
"""The set of the elements that accept, where the walk back begins."""
BACKWARD_ACCEPT_RUN: Final = BACKWARD_ACCEPT + 1
"""The same without `VIRGIN`: the suit must have a run."""
SETS: Final = _number([_FORWARD_WALK, _backward_sets()])
NUM_SETS: Final = len(SETS.low)
