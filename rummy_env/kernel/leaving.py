"""What a meld leaves in the hand at least: a walk over the ranks that adds it up.

The walk is that of `walk`, with two differences. A node carries a number, the value of
the cards of the ranks passed that stay in the hand. And at each rank it chooses, suit
by suit, how many of the cards that might be laid *stay*; all others lie. Values are the
same for all suits of a rank, so a choice costs its number of cards times the value of
the rank.

**Order.** A node covers another if its sets do, suit by suit, and it leaves no more:
whatever the other one comes to, it comes to as well.

**Bound.** Best melds leave little. So ends that leave more than a small bound are not
looked for until it is known that there are no others; then the bound is doubled.

**Jokers.** The number of free jokers that are placed is fixed for a walk, as in
`walk.is_completable`: all of them first, since a joker is dear. Where every table has
a run, those left over are padding (`walk`), so the walk places as many at most. Jokers
that are freed only by a real card from the hand are told apart by cases, as in
`completion`.

**Guide.** First a walk back, of few nodes, the others merged: a node that joins none
of them comes to no end, whatever stays.

**Width.** Where a width is given no layer keeps more nodes than that, those that leave
least. Then a completion is found soon however large the hand, mostly the best one.

**Room.** A layer that does not fit is walked in portions, depth first, as in
`walk._search`: a portion is stepped from to the end before the next one is made.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np

from rummy_env.cards import (
    JOKER,
    JOKER_POINTS,
    NUM_CARD_TYPES,
    NUM_RANKS,
    NUM_SUITS,
)
from rummy_env.kernel.automaton import ACCEPT
from rummy_env.kernel.choices import fill_choices
from rummy_env.kernel.completion import release, resolve
from rummy_env.kernel.jit import kernel, outlined
from rummy_env.kernel.nodes import (
    copy_node,
    face,
    joins_node,
    step_over,
    write_here,
)
from rummy_env.kernel.scoring import RANK_POINT_TABLE
from rummy_env.kernel.walk import begin_walk, walk_backward
from rummy_env.kernel.workspace import (
    BACKWARD,
    CAPACITY,
    MOST_MOVES,
    NUM_LEVELS,
    NUM_STAYS,
    RELAXED,
)

Work = Any
"""A record of `workspace.WORKSPACE`."""

BY_POINTS: Final = 0
BY_CARDS: Final = 1
FIRST_BOUND: Final = 3
"""Doubled until there is an end."""

_GUIDES: Final = 8
"""Nodes kept of each layer of the walk back; the others are merged."""

_STAYS: Final = sorted(product(range(3), repeat=NUM_SUITS), key=sum)
assert len(_STAYS) == NUM_STAYS
STAYS: Final = np.array(_STAYS, dtype=np.int64)
"""How many cards of each suit stay, int64 `[81, 4]`; the fewest cards first."""
STAYS_TOTAL: Final = STAYS.sum(axis=1)


@kernel
def value_of(card: int, objective: int) -> int:
    """Returns what laying a card is worth."""
    if objective == BY_CARDS:
        return 1
    if card == JOKER:
        return JOKER_POINTS
    return RANK_POINT_TABLE[card % NUM_RANKS]


@outlined
def least_left(work: Work, objective: int, bound: int, most: int) -> int:
    """Finds the completion that leaves least of the hand; with a `width`, a good one.

    Writes the real cards on its table to `best_table`, and to `best_pending` how many
    jokers it names anew that were in the hand or waited.

    Args:
        work: The workspace, a question in it.
        objective: `BY_POINTS` or `BY_CARDS`.
        bound: What to try first; `FIRST_BOUND` where nothing is known.
        most: The most to leave.

    Returns:
        The value that stays in the hand; more than `most` where there is no such
        completion.
    """
    while True:
        bound = min(bound, most)
        least = bound + 1
        num_conditional = resolve(work)
        for case in range(1 << num_conditional):
            resolve(work)
            if case > 0:
                release(work, case)
            least = _least_in_case(work, objective, least)
        if least <= bound or bound == most:
            return least
        bound = 2 * bound + 1


@kernel
def _least_in_case(work: Work, objective: int, least: int) -> int:
    """Returns the least that a case leaves, or the bound given if that is less."""
    low, high = work["jokers_low"], work["jokers_high"]
    base = _value_not_asked(work, objective)
    for placed in range(high, low - 1, -1):
        left = base + (high - placed) * value_of(JOKER, objective)
        if left < least:
            work["jokers_low"], work["jokers_high"] = placed, placed
            work["num_from_hand"] = placed - low
            least = _walk(work, objective, left, least)
    return least


@kernel
def _value_not_asked(work: Work, objective: int) -> int:
    """Returns the value of real cards of the hand that stay in any case."""
    total = 0
    for card in range(NUM_CARD_TYPES):
        stays = work["hand"][card] - work["may"][card] - _laid_anyway(work, card)
        total += stays * value_of(card, objective)
    return total


@kernel
def _laid_anyway(work: Work, card: int) -> int:
    """Returns how many copies a case lays to free a joker."""
    on_table = work["table"][card] + work["named"][card] - work["home"][card]
    return work["must"][card] - on_table


@kernel
def _walk(work: Work, objective: int, left: int, least: int) -> int:
    """Returns the least that is left with so many jokers placed, or the bound given.

    Args:
        work: The workspace, resolved.
        objective: `BY_POINTS` or `BY_CARDS`.
        left: What is left already.
        least: Only less than this is looked for.
    """
    _prepare(work, objective, least - 1 - left)
    work["left"][0, 0] = left
    last, rank = work["num_ranks"], 0
    work["cursors"][0] = 0
    while rank >= 0:
        if rank == last:
            least = _take_ends(work, least)
            rank -= 1
        elif work["cursors"][rank] == work["counts"][rank] * MOST_MOVES:
            rank -= 1
        else:
            cursor = work["cursors"][rank]
            work["cursors"][rank] = _advance(work, objective, rank, cursor, least)
            rank += 1
            work["cursors"][rank] = 0
    return least


@kernel
def _prepare(work: Work, objective: int, most: int) -> None:
    """Prepares the moves at each rank and both ends of a walk."""
    placed = work["jokers_low"]
    if begin_walk(work):
        _count_exactly(work, placed)
    work["is_filled"][:] = 0
    work["beam"] = min(_GUIDES, work["limit"])
    walk_backward(work, 0)
    for rank in range(work["num_ranks"]):
        _fill_moves(work, rank, most // value_of(rank, objective))


@kernel
def _count_exactly(work: Work, placed: int) -> None:
    """Has a walk place neither more nor fewer jokers.

    Where tables without a run may do, jokers left over cannot always be added.
    """
    end = BACKWARD + work["num_ranks"]
    work["jokers_low"] = placed
    work["counts"][end] = 1
    for suit in range(NUM_SUITS):
        for level in range(NUM_LEVELS):
            if level > 0:
                work["nodes"][0, 0, suit, level] = 0
            work["nodes"][end, 0, suit, level] = ACCEPT if level == 0 else 0


@kernel
def _is_guided(work: Work, row: int) -> bool:
    """Tells whether `here` may come to an end: it joins a node from there."""
    for index in range(work["counts"][row]):
        if joins_node(work, row, index):
            return True
    for index in range(work["num_relaxed"][row]):
        if joins_node(work, row, RELAXED + index):
            return True
    return False


@kernel
def _fill_moves(work: Work, rank: int, most: int) -> None:
    """Lists the choices at a rank with so many cards staying in the hand at most."""
    count, kept = 0, work["kept"]
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        kept[suit] = work["may"][card]
        work["must"][card] += kept[suit]
        work["may"][card] = 0
    for number in range(NUM_STAYS):
        if STAYS_TOTAL[number] > most:
            break
        if _let_stay(work, rank, number, -1):
            fill_choices(work, rank)
            for at in range(work["num_choices"][rank]):
                work["moves"][rank, count] = work["choices"][rank, at, 0]
                work["move_stays"][rank, count] = number
                count += 1
            _let_stay(work, rank, number, 1)
    work["num_moves"][rank] = count
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        work["must"][card] -= kept[suit]
        work["may"][card] = kept[suit]


@kernel
def _let_stay(work: Work, rank: int, number: int, direction: int) -> bool:
    """Takes cards that stay from those that lie, or puts them back.

    Returns:
        Whether the hand has as many; else nothing is done.
    """
    for suit in range(NUM_SUITS):
        if STAYS[number, suit] > work["kept"][suit]:
            return False
    for suit in range(NUM_SUITS):
        work["must"][suit * NUM_RANKS + rank] += direction * STAYS[number, suit]
    return True


@kernel
def _advance(work: Work, objective: int, rank: int, cursor: int, least: int) -> int:
    """Steps nodes of a layer over a rank, as many as there is room for.

    Args:
        work: The workspace, prepared.
        objective: `BY_POINTS` or `BY_CARDS`.
        rank: The rank stepped over.
        cursor: The first node to step from times `MOST_MOVES`, plus its first move.
        least: Nodes that leave as much are not wanted.

    Returns:
        The cursor to go on from; that behind the layer when all is done.
    """
    count, room, width = 0, min(work["limit"], CAPACITY), work["width"]
    value = value_of(rank, objective)
    for index in range(cursor // MOST_MOVES, work["counts"][rank]):
        first = cursor - index * MOST_MOVES if cursor > index * MOST_MOVES else 0
        left = work["left"][rank, index]
        face(work, rank, index, rank)
        for at in range(first, work["num_moves"][rank]):
            stays = work["move_stays"][rank, at]
            now = left + STAYS_TOTAL[stays] * value
            if now >= least:
                break
            if count == room:
                work["counts"][rank + 1] = count
                return index * MOST_MOVES + at
            if step_over(work, work["moves"][rank, at]) and _is_guided(
                work, BACKWARD + rank + 1
            ):
                count = _insert(work, rank + 1, count, now)
                if work["is_inserted"] == 1:
                    work["parent"][rank + 1, count - 1] = index
                    work["stays"][rank + 1, count - 1] = stays
                    if width > 0 and count > width:
                        count = _drop_worst(work, rank + 1, count)
    work["counts"][rank + 1] = count
    return work["counts"][rank] * MOST_MOVES


@kernel
def _insert(work: Work, row: int, count: int, left: int) -> int:
    """Adds `here` to a layer unless covered, and drops the nodes it covers.

    Returns:
        The number of nodes after; `is_inserted` says whether the last one is `here`.
    """
    work["is_inserted"] = 0
    for index in range(count - 1, -1, -1):
        if work["left"][row, index] <= left and _is_within(work, row, index):
            return count
    kept = 0
    for index in range(count):
        if work["left"][row, index] < left or not _holds(work, row, index):
            if kept != index:
                _move_node(work, row, index, kept)
            kept += 1
    write_here(work, row, kept)
    work["left"][row, kept] = left
    work["is_inserted"] = 1
    return kept + 1


@kernel
def _drop_worst(work: Work, row: int, count: int) -> int:
    """Drops a node that leaves most of a layer; returns how many are left."""
    worst = count - 1
    for index in range(count - 1, -1, -1):
        if work["left"][row, index] > work["left"][row, worst]:
            worst = index
    if worst != count - 1:
        _move_node(work, row, count - 1, worst)
    return count - 1


@kernel
def _is_within(work: Work, row: int, index: int) -> bool:
    """Tells whether a node covers `here`, set by set."""
    here, nodes = work["here"], work["nodes"]
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            if here[suit, level] & ~nodes[row, index, suit, level] != 0:
                return False
    return True


@kernel
def _holds(work: Work, row: int, index: int) -> bool:
    """Tells whether `here` covers a node, set by set."""
    here, nodes = work["here"], work["nodes"]
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            if nodes[row, index, suit, level] & ~here[suit, level] != 0:
                return False
    return True


@kernel
def _move_node(work: Work, row: int, source: int, target: int) -> None:
    """Moves a node of a layer to another place in it."""
    copy_node(work, row, source, target)
    work["left"][row, target] = work["left"][row, source]
    work["parent"][row, target] = work["parent"][row, source]
    work["stays"][row, target] = work["stays"][row, source]


@kernel
def _take_ends(work: Work, least: int) -> int:
    """Keeps the best of the nodes behind the last rank that accept."""
    last = work["num_ranks"]
    for index in range(work["counts"][last]):
        if work["left"][last, index] < least:
            for suit in range(NUM_SUITS):
                for level in range(work["jokers_high"] + 1):
                    word = work["nodes"][last, index, suit, level]
                    work["here"][suit, level] = word
            if joins_node(work, BACKWARD + last, 0):
                least = work["left"][last, index]
                _read_back(work, index)
    return least


@kernel
def _read_back(work: Work, index: int) -> None:
    """Writes the cards that a node behind the last rank has laid."""
    work["best_pending"] = work["pending"] + work["num_from_hand"]
    for rank in range(work["num_ranks"] - 1, -1, -1):
        number = work["stays"][rank + 1, index]
        index = work["parent"][rank + 1, index]
        for suit in range(NUM_SUITS):
            card = suit * NUM_RANKS + rank
            laid = work["may"][card] - STAYS[number, suit] + _laid_anyway(work, card)
            work["best_table"][card] = work["table"][card] + laid
    for card in range(NUM_CARD_TYPES):
        if card % NUM_RANKS >= work["num_ranks"]:
            work["best_table"][card] = 0
