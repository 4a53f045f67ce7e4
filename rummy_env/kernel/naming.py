"""Names for the jokers that wait: the lowest with which a table can be completed.

No card of the hand is left to lay here, so how many jokers are free is known. One
alone is placed by one walk over the ranks. Of two, one mostly may have the very first
name; if not, names are asked about one by one, by walks out from there.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS
from rummy_env.kernel.completion import has_completion, is_table_legal, resolve
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.one_joker import (
    NO_NAME,
    TOO_WIDE,
    lowest_name,
    lowest_name_of_two,
)
from rummy_env.kernel.plain import is_plainly_completable

Work = Any
"""A record of `workspace.WORKSPACE`."""

NOT_KNOWN: Final = -2
STAYS: Final = -3
"""What may be known instead of the name of a joker."""


@kernel
def is_completed(work: Work) -> bool:
    """Tells whether the jokers can be placed, no card being in the hand.

    What it finds out besides is kept for a plan, in `best_name`: the lowest name of the
    first joker that waits; where none waits, `STAYS` if all may keep their names. And
    in `next_name`, what `find_name` keeps there.
    """
    work["best_name"], work["next_name"] = NOT_KNOWN, NOT_KNOWN
    work["is_refuted"] = 0  # of an earlier question, if no walk begins in this one
    if work["packs"] == 1:
        return has_completion(work)
    if work["pending"] > 0:
        work["best_name"] = find_name(work, NO_NAME)
        return work["best_name"] != NO_NAME
    if is_table_legal(work):
        work["best_name"] = STAYS
        return True
    return num_movable(work) > 0 and has_completion(work)


@kernel
def find_name(work: Work, old: int) -> int:
    """Returns the lowest name for a joker that waits, no card being in the hand.

    Where there is none for the only free joker, all being allowed, `is_refuted` is 1.
    What it finds out of another free joker is kept in `next_name`: `STAYS` if it lies
    on the table and may stay, or else the lowest name for it then; or `NOT_KNOWN`.

    Args:
        work: The workspace.
        old: A name that is not allowed, or -1.

    Returns:
        The name; `NO_NAME` if there is none.
    """
    resolve(work)
    name, work["next_name"] = TOO_WIDE, NOT_KNOWN
    if work["packs"] != 1:
        if work["jokers_high"] == 1:
            name = lowest_name(work, old)
            work["is_refuted"] = name == NO_NAME and old == NO_NAME
        else:
            work["may_stay"][:] = 0  # nobody asks of these layers what it would change
            name = _lowest_of_two(work, old)
    return name if name != TOO_WIDE else _ask_for_name(work, old)


@kernel
def _lowest_of_two(work: Work, old: int) -> int:
    """Returns the same where two jokers are free; `TOO_WIDE` if walks cannot tell.

    Mostly the first name will do, and that is soon found out: then the other joker,
    one alone, can be placed.
    """
    first = 1 if old == 0 else 0
    work["must"][first] += 1
    other = _name_beside(work)
    work["must"][first] -= 1
    work["jokers_low"], work["jokers_high"] = 2, 2
    if other == TOO_WIDE:
        return TOO_WIDE
    if other != NO_NAME:
        work["next_name"] = other
        return first
    return lowest_name_of_two(work, old, first + 1)


@kernel
def _name_beside(work: Work) -> int:
    """Returns the lowest name for one of two free jokers, the other placed.

    If it lies on the table, `STAYS` where it may, for then it does; `TOO_WIDE` where
    walks cannot tell.
    """
    home = _first_home(work) if work["pending"] < 2 else NO_NAME
    if home != NO_NAME:
        work["jokers_low"], work["jokers_high"] = 0, 0
        work["must"][home] += 1
        may_stay = is_plainly_completable(work)
        work["must"][home] -= 1
        if may_stay != 0:
            return STAYS if may_stay == 1 else TOO_WIDE
    work["jokers_low"], work["jokers_high"] = 1, 1
    return lowest_name(work, home)


@kernel
def _first_home(work: Work) -> int:
    """Returns the first name of a free joker on the table."""
    home = 0
    while work["home"][home] == 0:
        home += 1
    return home


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
def num_movable(work: Work) -> int:
    """Returns how many jokers on the table may be released."""
    count = 0
    for card in range(NUM_CARD_TYPES):
        if work["table"][card] > 0:
            count += work["named"][card] - work["locked"][card]
    return count
