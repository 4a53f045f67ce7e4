"""Numbered sets against the elements themselves, one by one as the definition has them.

An element is stepped by `successor` alone: no set is filled up, cut or looked up.
"""

from __future__ import annotations

import random

import pytest

from rummy_env.kernel.automaton import (
    ACCEPT,
    LETTERS,
    MAX_COPIES,
    MAX_HIGH_ACES,
    NO_LETTER,
    ROOT,
    ROOT_LOW,
    VIRGIN,
    accepts,
    successor,
)
from rummy_env.kernel.subsets import (
    AT_ACCEPT,
    AT_NOTHING,
    AT_ROOT,
    AT_ROOT_LOW,
    BACK,
    LETTER_STRIDE,
    NEXT,
    NUM_LETTERS,
    NUM_SETS,
    NUM_TURNS,
    WORDS,
)

NUM_RANKS = 13
NUM_WALKS = 3000
Letters = list[tuple[int, int]]


def turned(number: int, letter: int, turn: int) -> int:
    return int(NEXT[letter * LETTER_STRIDE + turn * NUM_SETS + number])


def forward(letters: Letters, root: int) -> list[int]:
    """Returns the numbers of the sets before each rank and after the last."""
    rooms = [high for _, high in letters[1:]] + [MAX_COPIES]
    numbers = [root]
    for letter, room in zip(letters, rooms, strict=True):
        numbers.append(turned(numbers[-1], LETTERS.index(letter), room))
    return numbers


def backward(letters: Letters) -> list[int]:
    """Returns the same, of a walk that begins at the end."""
    numbers = [AT_ACCEPT]
    for letter in reversed(letters):
        numbers.append(turned(numbers[-1], LETTERS.index(letter), BACK))
    return numbers[::-1]


def is_accepted(letters: Letters, is_high: bool) -> bool:
    """Tells whether some numbers of copies, one from each interval, make runs."""
    low, high = letters[0]
    elements = {
        ((k - reserve, 0, 0), reserve)
        for k in range(low, high + 1)
        for reserve in range(min(k, MAX_HIGH_ACES if is_high else 0) + 1)
    }
    for low, high in letters[1:]:
        elements = {
            (shape, reserve)
            for before, reserve in elements
            for k in range(low, high + 1)
            if (shape := successor(before, k)) is not None
        }
    return any(accepts(shape, reserve) for shape, reserve in elements)


def random_letters(dice: random.Random, num_ranks: int) -> Letters:
    """Returns intervals of up to two copies, and two jokers somewhere."""
    density = dice.random()
    tops = [
        dice.choice([1, 2, 2]) * (dice.random() < density) for _ in range(num_ranks)
    ]
    for _ in range(dice.randrange(3)):
        tops[dice.randrange(num_ranks)] += 1
    return [(max(0, top - dice.choice([0, 0, 0, 1, 2])), top) for top in tops]


@pytest.mark.parametrize("num_ranks", [4, 5, 13])
def test_numbered_sets_accept_what_the_elements_accept(num_ranks: int) -> None:
    dice = random.Random(num_ranks)
    is_high, accepted = num_ranks > 4, 0
    root = AT_ROOT if is_high else AT_ROOT_LOW
    for _ in range(NUM_WALKS):
        letters = random_letters(dice, num_ranks)
        expected = is_accepted(letters, is_high)
        accepted += expected
        before, after = forward(letters, root), backward(letters)
        for rank, (one, other) in enumerate(zip(before, after, strict=True)):
            # the walks meet at every rank but the first, where no set is told apart
            if rank > 0:
                meets = WORDS[one] & WORDS[other] != 0
                assert meets == expected, (letters, rank)
    assert 0.1 < accepted / NUM_WALKS < 0.9, accepted / NUM_WALKS


def test_walks_begin_with_their_sets() -> None:
    assert WORDS[AT_ROOT] == ROOT
    assert WORDS[AT_ROOT_LOW] == ROOT_LOW
    assert WORDS[AT_ACCEPT] == ACCEPT
    assert WORDS[AT_NOTHING] == VIRGIN
    assert NEXT.shape == (NUM_LETTERS * NUM_TURNS * NUM_SETS,)


def test_no_letter_and_no_set_lead_nowhere() -> None:
    starts = [AT_ROOT, AT_ROOT_LOW, forward([(0, 2)], AT_ROOT)[-1]]
    for start in starts:
        for room in range(BACK):
            nothing = turned(start, NO_LETTER, room)
            assert WORDS[nothing] == 0
            assert all(
                WORDS[turned(nothing, letter, room)] == 0
                for letter in range(NUM_LETTERS)
            )
    nothing = turned(AT_ACCEPT, NO_LETTER, BACK)
    assert WORDS[nothing] == 0
    assert all(WORDS[turned(nothing, letter, BACK)] == 0 for letter in range(NO_LETTER))
