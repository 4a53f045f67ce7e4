"""The answers known so far, and what is still open of them."""

from __future__ import annotations

from typing import Any

from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.kernel.jit import inlined, kernel

Work = Any
"""A record of `workspace.WORKSPACE`."""


@kernel
def set_name(work: Work, card: int, is_more: bool) -> None:
    """Notes that a joker may be named so; with one from the hand if `is_more`."""
    work["num_names"] += 1 - work["name"][card]
    work["name"][card] = 1
    if is_more:
        work["name_more"][card] = 1


@inlined
def is_lay_open(work: Work, card: int) -> bool:
    """Tells whether it is still to be found out that a card may be laid."""
    return work["may"][card] > 0 and work["lay"][card] == 0


@inlined
def is_name_open(work: Work, card: int) -> bool:
    """Tells whether it is still to be found out that a joker may be named so."""
    if work["jokers_high"] == 0 or work["wanted_names"] == 0:
        return False
    if work["is_barred"][card] == 1:
        return False
    if work["hand"][JOKER] > 0:
        return work["name"][card] == 0 or work["name_more"][card] == 0
    return work["name"][card] == 0 and work["num_names"] < work["wanted_names"]


@kernel
def is_rank_open(work: Work, rank: int) -> bool:
    """Tells whether anything is still to be found out at a rank."""
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        if is_lay_open(work, card) or is_name_open(work, card):
            return True
    return False


@kernel
def first_open_rank(work: Work) -> int:
    """Returns the first rank of which anything is open, or num_ranks."""
    for rank in range(work["num_ranks"]):
        if is_rank_open(work, rank):
            return rank
    return work["num_ranks"]


@kernel
def last_open_rank(work: Work) -> int:
    """Returns the last rank of which anything is open, or -1."""
    for rank in range(work["num_ranks"] - 1, -1, -1):
        if is_rank_open(work, rank):
            return rank
    return -1


@kernel
def is_any_name_open(work: Work) -> bool:
    """Tells whether it is still to be found out of any card if it may be a name."""
    for suit in range(NUM_SUITS):
        for rank in range(work["num_ranks"]):
            if is_name_open(work, suit * NUM_RANKS + rank):
                return True
    return False


@kernel
def is_any_lay_open(work: Work) -> bool:
    """Tells whether it is still to be found out of any card if it may be laid."""
    for card in range(NUM_CARD_TYPES):
        if is_lay_open(work, card):
            return True
    return False
