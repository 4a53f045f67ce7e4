"""The best meld: which cards to lay, and in what order.

A walk over the ranks finds how little can be left in the hand (`leaving`). Of the
melds that leave so little the first one in the order of action ids is chosen, card by
card; then jokers get their names, the lowest that will do.

Where the workspace has a `width`, the walk keeps so many nodes only: the meld is then
mostly the best one, and any of those.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from rummy_env.actions import LAY, NAME_JOKER, TAKE
from rummy_env.cards import JOKER, NUM_CARD_TYPES
from rummy_env.kernel.completion import answer, is_table_legal
from rummy_env.kernel.jit import copy, entry, kernel
from rummy_env.kernel.leaving import (
    BY_CARDS,
    BY_POINTS,
    FIRST_BOUND,
    least_left,
    value_of,
)
from rummy_env.kernel.loose import leave_out, list_loose, next_stay
from rummy_env.kernel.naming import (
    NOT_KNOWN,
    STAYS,
    find_name,
    is_completed,
    num_movable,
)
from rummy_env.kernel.one_joker import NO_NAME, TOO_WIDE
from rummy_env.kernel.without import name_without
from rummy_env.kernel.workspace import MOST_LOOSE

__all__ = ["BY_CARDS", "BY_POINTS", "NO_CARD", "Questions", "best_rows", "find_best"]

NO_CARD: Final = -1
NOT_FOUND: Final = -1
MOST_TRIES: Final = 96
"""Sets of cards to stay that are asked for before the walk that knows values."""
FEW_TRIES: Final = 12
"""Those asked for before cards that cannot be laid are put aside."""
MOST_LOOKS: Final = 30_000
"""Nodes looked at for them; then no further set is asked for."""


@kernel
def _hand_value(work: Any, objective: int) -> int:
    """Returns the value of the hand."""
    total = 0
    for card in range(NUM_CARD_TYPES + 1):
        total += work["hand"][card] * value_of(card, objective)
    return total


@kernel
def _search_best(work: Any, objective: int, least: int) -> None:
    """Finds the best cards to lay, if they bring more than `least`.

    Often all fit at once; if not, cards that cannot be laid at all are put aside first.
    """
    work["best_value"] = least
    copy(work["hand"], work["asked_hand"])
    copy(work["table"], work["asked_table"])
    total = _hand_value(work, objective)
    if total > least:
        if _all_fit(work):
            work["best_value"] = total
        else:
            _search_some(work, objective, least)
    copy(work["asked_hand"], work["hand"])
    copy(work["asked_table"], work["table"])


@kernel
def _search_some(work: Any, objective: int, least: int) -> None:
    """Finds the same where not all cards can be laid.

    Sets of cards to stay are asked for first where that takes little. Otherwise, or if
    those do not do, cards that cannot be laid at all are put aside before.
    """
    total, left = _hand_value(work, objective), NOT_FOUND
    most, has_layers = total - least - 1, work["is_refuted"] == 1
    if has_layers:
        left = _leave_few(work, objective, most, FEW_TRIES)
    if left == NOT_FOUND:
        before = _hand_value(work, BY_CARDS)
        _put_aside(work)
        total = _hand_value(work, objective)
        most = total - least - 1
        if total <= least:
            return
        is_smaller = _hand_value(work, BY_CARDS) != before
        if (is_smaller or has_layers) and _all_fit(work):
            left = 0
        else:
            left = _leave_least(work, objective, most)
    if left <= most:
        work["best_value"] = total - left


@kernel
def _leave_least(work: Any, objective: int, most: int) -> int:
    """Finds the least that stays, if that is `most` or less."""
    left = _leave_few(work, objective, most, MOST_TRIES)
    if left == NOT_FOUND:
        work["best_name"] = NOT_KNOWN
        left = least_left(work, objective, FIRST_BOUND, most)
        if left <= most and work["width"] == 0:
            _prefer_first(work, objective, left)
    return left


@kernel
def _leave_few(work: Any, objective: int, most: int, tries: int) -> int:
    """Finds the least that stays of a small hand by asking, the best sets first.

    Args:
        work: The workspace, its hand known not to fit as a whole.
        objective: `BY_POINTS` or `BY_CARDS`.
        most: The most to leave.
        tries: The most sets to ask for.

    Returns:
        The value of what stays, as `least_left` would; `NOT_FOUND` if the hand is
        too large, or too many sets do not fit or take too long.
    """
    count = list_loose(work, objective)
    if count > MOST_LOOSE:
        return NOT_FOUND
    last, looks, has_layers = 0, work["num_looks"], work["is_refuted"] == 1
    for _ in range(tries):
        if work["num_looks"] - looks > MOST_LOOKS:
            return NOT_FOUND
        last = next_stay(work, count, last)
        left = last >> MOST_LOOSE
        if left > most:
            return left
        leave_out(work, count, last)
        name = name_without(work) if has_layers else TOO_WIDE
        has_layers = name == NO_NAME
        if name != NO_NAME and _fits_but_for(work, name):
            return left
    return NOT_FOUND


@kernel
def _fits_but_for(work: Any, name: int) -> bool:
    """Tells whether the hand fits but for what is left out; if so, it is the best.

    Args:
        work: The workspace.
        name: The lowest name for the joker, if it is known that it fits.
    """
    for card in range(NUM_CARD_TYPES + 1):
        work["hand"][card] -= work["left_out"][card]
    if name >= 0:
        _note_best(work)
        work["best_name"], work["next_name"] = name, NOT_KNOWN
    fits = name >= 0 or _all_fit(work)
    for card in range(NUM_CARD_TYPES + 1):
        work["hand"][card] += work["left_out"][card]
    return fits


@kernel
def _put_aside(work: Any) -> None:
    """Takes from the hand the cards that no meld lays; jokers stay."""
    work["wanted_names"] = 0
    answer(work)
    for card in range(NUM_CARD_TYPES):
        if work["lay"][card] == 0:
            work["hand"][card] = 0


@kernel
def _note_best(work: Any) -> None:
    """Writes that the best meld lays the whole hand."""
    work["best_pending"] = work["pending"] + work["hand"][JOKER]
    for card in range(NUM_CARD_TYPES):
        work["best_table"][card] = work["table"][card] + work["hand"][card]


@kernel
def _all_fit(work: Any) -> bool:
    """Tells whether the whole hand can be laid; if so, writes it as the best."""
    pending = work["pending"]
    _note_best(work)
    copy(work["hand"], work["kept_hand"])
    copy(work["best_table"], work["table"])
    for card in range(NUM_CARD_TYPES):
        work["may_stay"][card] = work["hand"][card]
    work["hand"][:] = 0
    work["pending"] = work["best_pending"]
    fits = is_completed(work)
    copy(work["kept_hand"], work["hand"])
    work["may_stay"][:] = 0
    for card in range(NUM_CARD_TYPES):
        work["table"][card] -= work["hand"][card]
    work["pending"] = pending
    return fits


@kernel
def _prefer_first(work: Any, objective: int, left: int) -> None:
    """Finds, of the melds that leave so little, the one that is first in order.

    Card by card: as many copies are laid as any of them lays.
    """
    for card in range(NUM_CARD_TYPES):
        held, value = work["hand"][card], value_of(card, objective)
        if held > 0:
            laid = work["best_table"][card] - work["table"][card]
            laid = _most_laid(work, objective, card, laid, left)
            work["table"][card] += laid
            work["hand"][card] = 0
            left -= (held - laid) * value


@kernel
def _most_laid(work: Any, objective: int, card: int, laid: int, left: int) -> int:
    """Returns how many copies of a card can be laid by a meld that leaves so little."""
    held, found = work["hand"][card], laid
    work["hand"][card] = 0
    for more in range(held, laid, -1):
        most = left - (held - more) * value_of(card, objective)
        if found == laid and most >= 0:
            work["table"][card] += more
            if least_left(work, objective, most, most) <= most:
                found = more
            work["table"][card] -= more
    work["hand"][card] = held
    return found


@kernel
def _plan(work: Any, action: int) -> None:
    """Appends an action to the plan."""
    work["plan"][work["num_plan"]] = action
    work["num_plan"] += 1


@kernel
def _name_one(work: Any, name: int, old: int) -> int:
    """Names a waiting joker; returns what is known of the name of the next one.

    That is for a first joker; after a second one there is none to be named.

    Args:
        work: The workspace.
        name: The name, or `NOT_KNOWN`.
        old: The name that it gave up, or -1.
    """
    if name == NOT_KNOWN:
        name = find_name(work, old)
    work["pending"] -= 1
    work["named"][name] += 1
    work["locked"][name] += 1
    _plan(work, NAME_JOKER + name)
    return work["next_name"]


@kernel
def _take_next(work: Any) -> int:
    """Releases the first joker that may be, none waiting; returns the name it had.

    The table is not legal, but has a completion: so where one joker only is movable, it
    has another name.
    """
    is_only = num_movable(work) == 1
    if not is_only:
        work["wanted_names"] = 2
        answer(work)
    for card in range(NUM_CARD_TYPES):
        is_movable = work["named"][card] > work["locked"][card]
        if is_movable and work["table"][card] > 0:
            if is_only or work["num_names"] > work["name"][card]:
                work["named"][card] -= 1
                work["pending"] += 1
                _plan(work, TAKE + card)
                return card
    return NO_CARD


@kernel
def _remember(work: Any) -> None:
    """Keeps the question as it is asked, to come back to it."""
    copy(work["hand"], work["before_hand"])
    copy(work["table"], work["before"])
    copy(work["named"], work["before_named"])
    copy(work["locked"], work["before_locked"])


@kernel
def _restore(work: Any, pending: int) -> None:
    """Puts the question as it was asked back."""
    work["pending"] = pending
    copy(work["before_hand"], work["hand"])
    copy(work["before"], work["table"])
    copy(work["before_named"], work["named"])
    copy(work["before_locked"], work["locked"])


@kernel
def _choose_name(work: Any, objective: int, old: int) -> int:
    """Finds the name for a joker that waits from before which leaves most to lay.

    The lowest of those; the name it gave up is not allowed (R16).
    """
    _search_best(work, objective, -1)
    most = work["best_value"]
    if most < 0:
        return NO_CARD
    _restore(work, 1)
    work["wanted_names"] = NUM_CARD_TYPES
    answer(work)
    copy(work["name"], work["may_name"])
    chosen, chosen_value = NO_CARD, -1
    for card in range(NUM_CARD_TYPES):
        if work["may_name"][card] == 1 and card != old:
            _restore(work, 0)
            work["named"][card] += 1
            work["locked"][card] += 1
            _search_best(work, objective, chosen_value)
            if work["best_value"] > chosen_value:
                chosen, chosen_value = card, work["best_value"]
            if chosen_value == most:
                break
    _restore(work, 0)
    return chosen


@kernel
def find_best(work: Any, objective: int, old: int) -> int:
    """Finds the best meld and the actions that lay it.

    Reads the question of the workspace and writes `plan`, the ids of actions in an
    order in which each is legal, and `num_plan`; the question's table and names are
    left as after the meld. Nothing else is laid then, but a table that is not legal
    yet is made so.

    Args:
        work: The workspace.
        objective: `BY_POINTS` or `BY_CARDS`.
        old: The name that a joker waiting from before gave up, or -1 if none waits.

    Returns:
        The value of the cards laid; -1 if no completion exists.
    """
    work["num_plan"] = 0
    _remember(work)
    if old != NO_CARD:
        card = _choose_name(work, objective, old)
        if card == NO_CARD:
            return -1
        work["named"][card] += 1
        work["locked"][card] += 1
        _plan(work, NAME_JOKER + card)
    _search_best(work, objective, -1)
    if work["best_value"] >= 0:
        _plan_best(work)
    return work["best_value"]


@kernel
def _plan_best(work: Any) -> None:
    """Appends the actions that lay the best cards found and make the table legal."""
    work["pending"] = work["best_pending"]
    work["hand"][:] = 0
    for card in range(NUM_CARD_TYPES):
        work["table"][card] = work["best_table"][card]
        for _ in range(work["table"][card] - work["before"][card]):
            _plan(work, LAY + card)
    name = work["best_name"]
    while work["pending"] > 0:
        name = _name_one(work, name, NO_CARD)
    while name != STAYS and num_movable(work) > 0:
        if name == NOT_KNOWN and is_table_legal(work):
            break
        name = _name_one(work, name, _take_next(work))


class Questions(NamedTuple):
    """Questions of many rows, as `best_rows` takes them.

    Attributes:
        table: Real cards on the table, int64 `[B, 52]`.
        named: Jokers on the table by name, int64 `[B, 52]`.
        locked: Those named this turn, int64 `[B, 52]`.
        hand: The hand, int64 `[B, 53]`.
        old: The name a waiting joker gave up, or -1, int64 `[B]`.
    """

    table: Any
    named: Any
    locked: Any
    hand: Any
    old: Any


@entry
def best_rows(
    questions: Questions, works: Any, num_ranks: int, objective: int, actions: Any
) -> None:
    """Writes the first action of the best meld of each row; -1 where there is none.

    Args:
        questions: The tables and hands.
        works: A workspace, `[1]`.
        num_ranks: Ranks in play.
        objective: `BY_POINTS` or `BY_CARDS`.
        actions: Int64 `[B]`, overwritten.
    """
    work = works[0]
    for row in range(len(actions)):
        copy(questions.table[row], work["table"])
        copy(questions.named[row], work["named"])
        copy(questions.locked[row], work["locked"])
        copy(questions.hand[row], work["hand"])
        work["pending"] = 1 if questions.old[row] != NO_CARD else 0
        work["num_ranks"] = num_ranks
        value = find_best(work, objective, questions.old[row])
        has_plan = value >= 0 and work["num_plan"] > 0
        actions[row] = work["plan"][0] if has_plan else NO_CARD
