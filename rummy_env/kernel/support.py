"""Support: which cards any meld at all could hold."""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.jit import kernel

Work = Any
"""A record of `workspace.WORKSPACE`."""

_SPADES: Final = 3 * NUM_RANKS


@kernel
def drop_unsupported(work: Work) -> bool:
    """Forgets optional cards that no meld of all cards at hand contains.

    Only without free jokers. A card has support if two other suits hold its rank or
    three consecutive cards of its suit include it.

    Returns:
        Whether all cards that lie have support; if not, nothing completes the table.
    """
    num_ranks = work["num_ranks"]
    held = held_by_suit(work)
    in_group = ranks_of_three(held)
    num_unsupported = 0
    for suit in range(NUM_SUITS):
        supported = in_group | _in_runs(held[suit], num_ranks)
        # without branches, so that the compiler does many cards at once
        for rank in range(num_ranks):
            card, is_supported = suit * NUM_RANKS + rank, (supported >> rank) & 1
            num_unsupported += work["must"][card] * (1 - is_supported)
            work["may"][card] *= is_supported
    return num_unsupported == 0


@kernel
def ranks_of_three(held: Any) -> int:
    """Returns the ranks that three suits hold or more, as bits."""
    clubs, diamonds, hearts, spades = held
    black, red = clubs & spades, diamonds & hearts
    return black & (diamonds | hearts) | red & (clubs | spades)


@kernel
def _in_runs(held: int, num_ranks: int) -> int:
    """Returns the ranks of a suit that lie in three consecutive ones, as bits."""
    has_high_ace = num_ranks >= FIRST_HIGH_ACE_RANKS
    if has_high_ace:
        held |= (held & 1) << num_ranks
    starts = held & (held >> 1) & (held >> 2)
    in_run = starts | (starts << 1) | (starts << 2)
    if has_high_ace:
        in_run |= (in_run >> num_ranks) & 1
    return in_run


@kernel
def held_by_suit(work: Work) -> Any:
    """Returns the ranks of which there is any copy, as bits, for each suit.

    Without branches, so that the compiler does many ranks at once.
    """
    must, may = work["must"], work["may"]
    clubs, diamonds, hearts, spades = 0, 0, 0, 0
    for rank in range(work["num_ranks"]):
        diamond, heart, spade = NUM_RANKS + rank, 2 * NUM_RANKS + rank, _SPADES + rank
        clubs |= (must[rank] + may[rank] > 0) << rank
        diamonds |= (must[diamond] + may[diamond] > 0) << rank
        hearts |= (must[heart] + may[heart] > 0) << rank
        spades |= (must[spade] + may[spade] > 0) << rank
    return clubs, diamonds, hearts, spades
