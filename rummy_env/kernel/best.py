"""The best meld: which cards to lay, and in what order, found by branch and bound.

A node of the search is a question of `completion` with some cards laid and others
set aside. The cards that may still be laid bound what can be added; laying or setting
one aside never makes another layable that was not. If all of them fit at once, they
are the best of their branch; else the first one is laid, and afterwards set aside.
Cards are tried in the order of their ids and only a larger value replaces the best,
so among equals the first in that order is found.

Where that takes many nodes the open cards together are too weak a bound. Then `prices`
bounds each node, and the search is begun anew for values close to the bound of the
root, lower ones following until there is one: what is found is the same, in order.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from rummy_env.actions import LAY, NAME_JOKER, TAKE
from rummy_env.cards import JOKER, NUM_CARD_TYPES
from rummy_env.kernel.completion import answer, has_completion, is_table_legal
from rummy_env.kernel.jit import copy, entry, kernel
from rummy_env.kernel.prices import BY_CARDS, BY_POINTS, may_gain, value_of

__all__ = ["BY_CARDS", "BY_POINTS", "NO_CARD", "Questions", "best_rows", "find_best"]

NO_CARD: Final = -1
_ROOT_ROUNDS: Final = 400
_NODE_ROUNDS: Final = 40


@kernel
def _move(work: Any, card: int, count: int) -> None:
    """Lays copies of a card; a joker then waits for its name."""
    work["hand"][card] -= count
    if card == JOKER:
        work["pending"] += count
    else:
        work["table"][card] += count


@kernel
def _find_open(work: Any) -> None:
    """Writes to `open` how many copies of each card are in question."""
    work["wanted_names"] = 0
    answer(work)
    for card in range(NUM_CARD_TYPES):
        work["open"][card] = work["hand"][card] if work["lay"][card] else 0
    work["open"][JOKER] = 0
    if work["hand"][JOKER] > 0:
        _move(work, JOKER, 1)
        if has_completion(work):
            work["open"][JOKER] = work["hand"][JOKER] + 1
        _move(work, JOKER, -1)


@kernel
def _bound(work: Any, objective: int) -> int:
    """Returns the value of all open cards."""
    total = 0
    for card in range(NUM_CARD_TYPES + 1):
        total += work["open"][card] * value_of(card, objective)
    return total


@kernel
def _first_open(work: Any) -> int:
    """Returns the first open card, or -1."""
    for card in range(NUM_CARD_TYPES + 1):
        if work["open"][card] > 0:
            return card
    return NO_CARD


@kernel
def _move_open(work: Any, direction: int) -> None:
    """Lays all open cards, or takes them back."""
    for card in range(NUM_CARD_TYPES + 1):
        if work["open"][card] > 0:
            _move(work, card, direction * work["open"][card])


@kernel
def _record(work: Any) -> None:
    """Keeps the cards now laid as the best so far."""
    copy(work["table"], work["best_table"])
    work["best_pending"] = work["pending"]


@kernel
def _visit(work: Any, value: int, best: int, objective: int) -> int:
    """Looks at a node: records it if it is a better end, else names the next card.

    Returns:
        The card to branch on, or -1 where nothing more is to be had.
    """
    work["num_visits"] += 1
    if work["is_priced"] == 1:
        # as if all the hand could be laid: to know what can be is dear
        copy(work["hand"], work["open"])
        if not may_gain(work, best + 1 - value, objective, _NODE_ROUNDS):
            return NO_CARD
    _find_open(work)
    bound = value + _bound(work, objective)
    if bound <= best:
        return NO_CARD
    if bound > value:
        if work["is_priced"] == 1:
            if not may_gain(work, best + 1 - value, objective, _NODE_ROUNDS):
                return NO_CARD
        _move_open(work, 1)
        fits = has_completion(work)
        if fits:
            _record(work)
            work["best_value"] = bound
        _move_open(work, -1)
        return NO_CARD if fits else _first_open(work)
    _record(work)
    work["best_value"] = value
    return NO_CARD


@kernel
def _search(work: Any, objective: int, most_visits: int) -> bool:
    """Looks for cards that bring more than `best_value`, depth first, no recursion.

    Args:
        work: The workspace.
        objective: `BY_POINTS` or `BY_CARDS`.
        most_visits: Nodes after which it is broken off; -1 for never.

    Returns:
        Whether everything was looked at.
    """
    work["num_visits"] = 0
    value, depth, is_entering = 0, 0, True
    while True:
        if is_entering and work["num_visits"] != most_visits:
            card = _visit(work, value, work["best_value"], objective)
            is_entering = card != NO_CARD
            if is_entering:
                _move(work, card, 1)
                value += value_of(card, objective)
                work["path_card"][depth] = card
                work["path_aside"][depth] = NO_CARD
                depth += 1
            continue
        if depth == 0:
            return not is_entering
        card, aside = work["path_card"][depth - 1], work["path_aside"][depth - 1]
        if aside == NO_CARD:
            _move(work, card, -1)
            value -= value_of(card, objective)
            if is_entering:  # broken off: nothing else is tried
                depth -= 1
                continue
            work["path_aside"][depth - 1] = work["hand"][card]
            work["hand"][card] = 0
            is_entering = True
        else:
            work["hand"][card] = aside
            depth -= 1


@kernel
def _search_priced(work: Any, objective: int) -> None:
    """Finds the best cards to lay where a first search was broken off.

    Searches that ask for nearly what the root's prices allow are over soon; the last
    one asks for no more than what was found already.
    """
    found, step = work["best_value"], 1
    work["is_priced"] = 1
    work["price"][:] = 0
    _find_open(work)
    may_gain(work, found + 1, objective, _ROOT_ROUNDS)
    target = min(work["price_bound"], _bound(work, objective))
    while True:
        least = max(found, target - 1)
        work["best_value"] = least
        _search(work, objective, -1)
        if work["best_value"] > least or least == found:
            break
        target -= step
        step *= 2
    work["is_priced"] = 0


@kernel
def _search_best(work: Any, objective: int, least: int) -> None:
    """Finds the best cards to lay, if they bring more than `least`."""
    work["best_value"] = least
    work["is_priced"] = 0
    if not _search(work, objective, work["patience"]):
        _search_priced(work, objective)


@kernel
def _plan(work: Any, action: int) -> None:
    """Appends an action to the plan."""
    work["plan"][work["num_plan"]] = action
    work["num_plan"] += 1


@kernel
def _name_next(work: Any, old: int) -> None:
    """Names a waiting joker by the lowest card that will do, but its old name."""
    work["wanted_names"] = NUM_CARD_TYPES
    answer(work)
    for card in range(NUM_CARD_TYPES):
        if work["name"][card] == 1 and card != old:
            work["pending"] -= 1
            work["named"][card] += 1
            work["locked"][card] += 1
            _plan(work, NAME_JOKER + card)
            return


@kernel
def _take_next(work: Any) -> int:
    """Releases the first joker that may be; returns the name it had."""
    work["wanted_names"] = 2
    answer(work)
    for card in range(NUM_CARD_TYPES):
        is_movable = work["named"][card] > work["locked"][card]
        if is_movable and work["table"][card] > 0:
            if work["num_names"] > work["name"][card]:
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
    if not has_completion(work):
        return -1
    _remember(work)
    if old != NO_CARD:
        card = _choose_name(work, objective, old)
        if card == NO_CARD:
            return -1
        work["named"][card] += 1
        work["locked"][card] += 1
        _plan(work, NAME_JOKER + card)
    _search_best(work, objective, -1)
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
    while work["pending"] > 0:
        _name_next(work, NO_CARD)
    while not is_table_legal(work):
        _name_next(work, _take_next(work))


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
