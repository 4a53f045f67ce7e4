"""Names for the jokers that wait: the lowest with which a table can be completed.

No card of the hand is left to lay here, so how many jokers are free is known. One
alone is placed by one walk over the ranks. Of two, one mostly may keep the name that
it has: the lowest name for the other bounds what is to be found, and only names below
are asked about, one by one.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS
from rummy_env.kernel.completion import has_completion, resolve
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.one_joker import (
    NO_NAME,
    TOO_WIDE,
    lowest_name,
    lowest_name_of_two,
)

Work = Any
"""A record of `workspace.WORKSPACE`."""

NOT_KNOWN: Final = NUM_CARD_TYPES
"""Stands for a name of which no bound is known."""


@kernel
def is_completed(work: Work) -> bool:
    """Tells whether the waiting jokers can be placed, no card being in the hand.

    Where one joker waits, `best_name` becomes a name that it may have: the lowest if
    no other joker is free.
    """
    work["best_name"] = NOT_KNOWN
    resolve(work)
    if work["packs"] != 1 and work["pending"] == 1:
        if work["jokers_high"] == 1:
            name = lowest_name(work, NO_NAME)
            if name != TOO_WIDE:
                work["best_name"] = name
                return name != NO_NAME
        else:
            work["best_name"] = _lowest_beside_home(work, NO_NAME)
            if work["best_name"] != NOT_KNOWN:
                return True
    return has_completion(work)


@kernel
def _lowest_beside_home(work: Work, old: int) -> int:
    """Returns the lowest name for one of two free jokers while the other keeps its own.

    Args:
        work: The workspace, resolved.
        old: A name that is not allowed, or -1.

    Returns:
        The name; `NOT_KNOWN` if none was found.
    """
    low, high, lowest = work["jokers_low"], work["jokers_high"], NOT_KNOWN
    work["jokers_low"], work["jokers_high"] = 1, 1
    for card in range(NUM_CARD_TYPES):
        if work["home"][card] > 0:
            work["must"][card] += 1
            name = lowest_name(work, old)
            work["must"][card] -= 1
            if name >= 0:
                lowest = min(lowest, name)
    work["jokers_low"], work["jokers_high"] = low, high
    return lowest


@kernel
def find_name(work: Work, old: int, bound: int) -> int:
    """Returns the lowest name for a joker that waits, no card being in the hand.

    Args:
        work: The workspace, its question known to have a completion.
        old: A name that is not allowed, or -1.
        bound: A name that the joker may have, the lowest if no other one is free; or
            `NOT_KNOWN`.
    """
    resolve(work)
    jokers, name = work["jokers_high"], TOO_WIDE
    if work["packs"] != 1:
        if jokers == 1:
            name = bound if bound != NOT_KNOWN else lowest_name(work, old)
        else:
            if bound == NOT_KNOWN:
                bound = _lowest_beside_home(work, old)
            name = lowest_name_of_two(work, old, bound)
            if name == NO_NAME:
                name = bound
    return name if name != TOO_WIDE else _ask_for_name(work, old)


@kernel
def _ask_for_name(work: Work, old: int) -> int:
    """Returns the same, asking for one name after the other."""
    work["pending"] -= 1
    for card in range(NUM_CARD_TYPES):
        if card != old and card % NUM_RANKS < work["num_ranks"]:
            work["named"][card] += 1
            work["locked"][card] += 1
            is_found = has_completion(work)
            work["named"][card] -= 1
            work["locked"][card] -= 1
            if is_found:
                work["pending"] += 1
                return card
    work["pending"] += 1
    return NO_NAME


@kernel
def has_movable(work: Work) -> bool:
    """Tells whether any joker on the table may be released, none waiting."""
    for card in range(NUM_CARD_TYPES):
        if work["named"][card] > work["locked"][card] and work["table"][card] > 0:
            return True
    return False
