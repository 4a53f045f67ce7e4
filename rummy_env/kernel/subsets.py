"""The sets of elements that walks without free jokers meet, numbered.

A walk of one suit begins with `ROOT`, `ROOT_LOW` or, backward, `ACCEPT` (or goes on
from a set that these lead to, `AT_NOTHING`), and each step makes another one of a set,
by a letter and, forward, by the room of the next rank (`automaton`). Few sets can be
reached so: some eight hundred forward, two hundred backward. Here they are all found,
by stepping from those that are known until nothing new comes, and each gets a number.
So a step is one look-up.

What a walk takes from sets because it cannot matter in its question (`workspace`,
`keep`) may stay in the numbered set: forward it comes to no end and backward it is
never met, whatever steps follow. It is taken off where sets are compared.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.automaton import (
    ACCEPT,
    CHUNK_BITS,
    FROM_VIRGIN,
    LETTER_LOW,
    NO_LETTER,
    NUM_CHUNKS,
    NUM_ROOMS,
    NUM_SLICES,
    ORIGIN,
    ROOT,
    ROOT_LOW,
    SLICE,
    STARTED,
    STEP,
    VIRGIN,
)
from rummy_env.kernel.jit import inlined

Words = NDArray[np.int64]

NUM_LETTERS: Final = NO_LETTER + 1
BACK: Final = NUM_ROOMS
"""The turn of a step backward; that of a step forward is the room of the next rank."""
NUM_TURNS: Final = NUM_ROOMS + 1

_CHUNK: Final = 1 << CHUNK_BITS
_STEPS: Final = STEP.reshape(NUM_LETTERS, NUM_ROOMS, NUM_CHUNKS, _CHUNK)
_ORIGINS: Final = ORIGIN.reshape(NUM_LETTERS, NUM_CHUNKS, _CHUNK)


def _images(words: Words, table: NDArray[np.int32]) -> Words:
    """Returns the images of sets chunk by chunk, `[..., words]`.

    Args:
        words: The sets, int64 `[words]`.
        table: Images of the bits of each chunk, `[..., chunks, 32]`.
    """
    images = np.zeros((*table.shape[:-2], len(words)), dtype=np.int64)
    for reserve in range(NUM_SLICES):
        for chunk in range(NUM_CHUNKS):
            bits = (words >> (SLICE * reserve + CHUNK_BITS * chunk)) & (_CHUNK - 1)
            part = table[..., chunk, :][..., bits].astype(np.int64)
            images |= part << (SLICE * reserve)
    return images


def _all_after(words: Words) -> Words:
    """Returns the sets after every letter, by the next rank's room.

    Int64 `[letters, rooms, words]`, of int64 `[words]`.
    """
    after = _images(words, _STEPS)
    begins, is_high = words >= VIRGIN, words & ROOT != 0
    started = np.where(is_high, STARTED[1][..., None], STARTED[0][..., None])
    after |= np.where(begins, started, 0)
    after |= np.where(after & 1 != 0, VIRGIN, 0)
    after[NO_LETTER] = 0
    return after


def _all_before(words: Words) -> Words:
    """Returns the sets before every letter, int64 `[letters, words]`."""
    before = _images(words, _ORIGINS)
    is_begun = words & FROM_VIRGIN[:, None] != 0
    is_kept = (words & VIRGIN != 0) & (LETTER_LOW[:, None] == 0)
    before |= np.where(is_begun | is_kept, VIRGIN, 0)
    before[NO_LETTER] = 0
    return before


def _closure(roots: list[int], is_forward: bool) -> Words:
    """Returns all sets that can be reached from some, they included, ascending."""
    found = np.unique(np.array([0, *roots], dtype=np.int64))
    new = found
    while len(new) > 0:
        stepped = np.unique(_all_after(new) if is_forward else _all_before(new))
        new = np.setdiff1d(stepped, found, assume_unique=True)
        found = np.union1d(found, new)
    return found


_FORWARD: Final = _closure([ROOT, ROOT_LOW], is_forward=True)
_BACKWARD: Final = _closure([ACCEPT], is_forward=False)
_FIRST_BACKWARD: Final = len(_FORWARD)

WORDS: Final = np.concatenate([_FORWARD, _BACKWARD])
"""The sets by number, forward ones first, int64; number 0 is the empty set."""
NUM_SETS: Final = len(WORDS)
LETTER_STRIDE: Final = NUM_TURNS * NUM_SETS
"""How far the steps of two letters are apart in `NEXT`."""


def _all_steps() -> NDArray[np.int32]:
    """Returns `NEXT`, `[letters, turns, sets]`."""
    steps = np.zeros((NUM_LETTERS, NUM_TURNS, NUM_SETS), dtype=np.int32)
    after = np.searchsorted(_FORWARD, _all_after(_FORWARD))
    steps[:, :BACK, :_FIRST_BACKWARD] = after
    before = np.searchsorted(_BACKWARD, _all_before(_BACKWARD)) + _FIRST_BACKWARD
    steps[:, BACK, _FIRST_BACKWARD:] = before
    return steps


NEXT: Final = _all_steps().ravel()
"""The number of the set that a step leads to, by letter, turn and number; flat.

An empty set has the number 0 forward and `_FIRST_BACKWARD` backward."""
AT_ROOT: Final = int(np.searchsorted(_FORWARD, ROOT))
AT_ROOT_LOW: Final = int(np.searchsorted(_FORWARD, ROOT_LOW))
AT_NOTHING: Final = int(np.searchsorted(_FORWARD, VIRGIN))
AT_ACCEPT: Final = int(np.searchsorted(_BACKWARD, ACCEPT)) + _FIRST_BACKWARD
"""The numbers of the sets that walks begin with: before the ace, after it if there was
no card, and, backward, behind the last rank."""


@inlined
def root_of(num_ranks: int) -> int:
    """Returns the number of the set that a walk forward begins with (R2, R11)."""
    return AT_ROOT if num_ranks >= FIRST_HIGH_ACE_RANKS else AT_ROOT_LOW


@inlined
def number_after(work: Any, number: int, letter: int, turn: int) -> int:
    """Returns the number of the set that a step leads to.

    Args:
        work: A record of `workspace.WORKSPACE`.
        number: The number of the set stepped from.
        letter: The letter.
        turn: The room of the next rank, or `BACK`.
    """
    return work["next"][letter * LETTER_STRIDE + turn * NUM_SETS + number]
