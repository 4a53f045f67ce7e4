"""Choices of a rank: those from the list against those made box by box."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from numpy.typing import NDArray

from rummy_env.kernel import calls
from rummy_env.kernel.choices import fill_choices
from rummy_env.kernel.groups import BOX_HIGH, BOX_LOW
from rummy_env.kernel.jit import entry

PAIRS = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)]
"""Copies of a card that must lie and that may, two at most together."""


@entry
def fill(works: Any, rank: int) -> None:
    fill_choices(works[0], rank)


def choices_of(works: NDArray[Any], pairs: Any, rank: int, jokers: int) -> Any:
    """Returns the plain choices of a rank, how many steps need, and the most groups.

    A free joker that is barred from every card of the rank adds no plain choice, but
    such ranks are not listed.
    """
    work = works[0]
    work["jokers_high"] = jokers
    for suit, (must, may) in enumerate(pairs):
        card = suit * 13 + rank
        work["must"][card], work["may"][card] = must, may
        work["is_barred"][card] = 1
    fill(works, rank)
    count = int(work["num_plain"][rank])
    steps, groups = int(work["num_steps"][rank]), int(work["most_groups"][rank])
    return work["choices"][rank, :count].tolist(), steps, groups


@pytest.mark.parametrize("rank", [0, 12])
def test_listed_choices_are_those_made_box_by_box(rank: int) -> None:
    works = calls.new_workspaces()
    for pairs in product(PAIRS, repeat=4):
        listed, num_steps, most_groups = choices_of(works, pairs, rank, 0)
        made, steps_made, _ = choices_of(works, pairs, rank, 1)
        assert (listed, num_steps) == (made, steps_made), pairs
        present = [must + may for must, may in pairs]
        fits = [
            all(low <= here for low, here in zip(lows, present, strict=True))
            for lows in BOX_LOW
        ]
        assert most_groups == max(BOX_HIGH[fits]), pairs
        assert len(listed) == sum(fits), pairs
