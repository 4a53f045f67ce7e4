"""Support: which optional cards any meld at all could hold."""

from __future__ import annotations

from typing import Any

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.jit import kernel

Work = Any
"""A record of `workspace.WORKSPACE`."""


@kernel
def drop_unsupported(work: Work) -> None:
    """Forgets optional cards that no meld of all cards at hand contains.

    Only without free jokers. A card has support if two other suits hold its rank or
    three consecutive cards of its suit include it.
    """
    num_ranks = work["num_ranks"]
    has_high_ace = num_ranks >= FIRST_HIGH_ACE_RANKS
    once, twice, thrice = 0, 0, 0
    for suit in range(NUM_SUITS):
        held = _held(work, suit, num_ranks)
        thrice |= twice & held
        twice |= once & held
        once |= held
    for suit in range(NUM_SUITS):
        held = _held(work, suit, num_ranks)
        if has_high_ace:
            held |= (held & 1) << num_ranks
        starts = held & (held >> 1) & (held >> 2)
        in_run = starts | (starts << 1) | (starts << 2)
        if has_high_ace:
            in_run |= (in_run >> num_ranks) & 1
        supported = in_run | thrice
        for rank in range(num_ranks):
            if (supported >> rank) & 1 == 0:
                work["may"][suit * NUM_RANKS + rank] = 0


@kernel
def _held(work: Work, suit: int, num_ranks: int) -> int:
    """Returns the ranks of a suit of which there is any copy, as bits."""
    held = 0
    for rank in range(num_ranks):
        card = suit * NUM_RANKS + rank
        if work["must"][card] + work["may"][card] > 0:
            held |= 1 << rank
    return held
