"""Marks without free jokers: which cards may be laid where all jokers stay."""

from __future__ import annotations

from typing import Any

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.kernel.answers import is_lay_open
from rummy_env.kernel.choices import letter_of
from rummy_env.kernel.hulls import drop_outside_hulls
from rummy_env.kernel.jit import kernel, outlined
from rummy_env.kernel.plain import (
    begin_plain,
    finish_layer,
    image,
    insert_plain,
    joins_layer,
    look_at,
    plain_room,
    step_plain,
    walk_plain_backward,
    walk_plain_forward,
)
from rummy_env.kernel.workspace import BACKWARD

Work = Any
"""A record of `workspace.WORKSPACE`."""


@kernel
def _first_open(work: Work) -> int:
    """Returns the first rank of which a card's lay is open, or num_ranks."""
    for rank in range(work["num_ranks"]):
        if _is_lay_open_at(work, rank):
            return rank
    return work["num_ranks"]


@kernel
def _last_open(work: Work) -> int:
    """Returns the last rank of which a card's lay is open, or -1."""
    for rank in range(work["num_ranks"] - 1, -1, -1):
        if _is_lay_open_at(work, rank):
            return rank
    return -1


@kernel
def _is_lay_open_at(work: Work, rank: int) -> bool:
    """Tells whether it is still to be found out of a rank's cards if they may lie."""
    for suit in range(NUM_SUITS):
        if is_lay_open(work, suit * NUM_RANKS + rank):
            return True
    return False


@outlined
def mark_plain(work: Work) -> bool:
    """Marks the cards that may be laid; False if the walks are too wide."""
    if _last_open(work) < 0:
        return True
    begin_plain(work)
    if work["has_hulls"] == 1:
        drop_outside_hulls(work)
    first, last = _first_open(work), _last_open(work)
    if last < 0:
        return True
    if not walk_plain_backward(work, first):
        return False
    if not walk_plain_forward(work, first):
        return False
    for rank in range(first, last + 1):
        if not _mark_and_advance(work, rank):
            return False
    return True


@kernel
def _mark_and_advance(work: Work, rank: int) -> bool:
    """Marks what the nodes around a rank prove, and steps over it.

    Only nodes that join one behind the rank lead to a completion.
    """
    count, other, room = 0, BACKWARD + rank + 1, plain_room(work)
    for index in range(work["plain_counts"][rank]):
        look_at(work, rank, index, rank + 1)
        for at in range(work["num_plain"][rank]):
            if not step_plain(work, work["choices"][rank, at, 0]):
                continue
            if joins_layer(work, other):
                if at < work["num_steps"][rank]:
                    count = insert_plain(work, rank + 1, count)
                    if count > room:
                        return False
                _mark_choice(work, rank, at)
    finish_layer(work, rank + 1, count)
    return True


@kernel
def _mark_choice(work: Work, rank: int, at: int) -> None:
    """Marks the cards one more of which joins, for one choice of the node looked at."""
    other, more = BACKWARD + rank + 1, work["choices"][rank, at, 1]
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        if not is_lay_open(work, card):
            continue
        stays = work["zero"][suit]
        work["zero"][suit] = image(work, suit, letter_of(more, suit, 0))
        if joins_layer(work, other):
            work["lay"][card] = 1
        work["zero"][suit] = stays
