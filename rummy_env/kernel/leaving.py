"""What a meld leaves in the hand at least: a walk over the ranks that adds it up.

The walk is that of `walk`, with two differences. A node carries a number, the value of
the cards of the ranks passed that stay in the hand. And at each rank it chooses, suit
by suit, how many of the cards that might be laid *stay* (`staying`); all others lie.
Values are the same for all suits of a rank, so a choice costs its number of cards times
the value of the rank.

**Order.** A node covers another if its sets do, suit by suit, and it leaves no more:
whatever the other one comes to, it comes to as well.

**Bound.** Best melds leave little. So ends that leave more than a small bound are not
looked for until it is known that there are no others; then the bound is doubled.

**Both ends.** A walk back comes first, its nodes with what stays of the ranks behind.
It is complete while its layers are narrow; from there on most nodes are *merged*: the
union of their sets, with the least that any of them leaves. A walk forward needs no
node that with every one that it joins, merged or not, leaves too much: whatever it
comes to joins a node of the layer there or is part of a merged one, and leaves as much
at least. It ends at the lowest rank whose layer is complete: there what is left on both
sides is added up. (A layer of few nodes behind one of merged ones is complete if none
of the merged ones has led to it, since then none leads to an end.)

**Narrowing.** If that is far, a walk forward of few nodes finds an end, which lowers
the bound; a walk ahead, mostly merged, then guides another walk back, which so stays
complete for longer.

**Jokers.** The number of free jokers that are placed is fixed for a walk, as in
`walk.is_completable`: all of them first, since a joker is dear. Where every table has
a run, those left over are padding (`walk`), so the walk places as many at most. Jokers
that are freed only by a real card from the hand are told apart by cases, as in
`completion`.

**Width.** Where a width is given no layer keeps more nodes than that: forward those
that leave least; back those that come first, the others being merged, and sixteen at
most once any were. There is one walk each way. Then a completion is found soon however
large the hand, mostly the best one.

**Room.** A layer that does not fit is walked in portions, depth first, as in
`walk._search`: a portion is stepped from to the end before the next one is made.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import (
    JOKER,
    JOKER_POINTS,
    NUM_CARD_TYPES,
    NUM_RANKS,
    NUM_SUITS,
)
from rummy_env.kernel.automaton import ACCEPT
from rummy_env.kernel.completion import release, resolve
from rummy_env.kernel.jit import kernel, outlined
from rummy_env.kernel.nodes import (
    copy_node,
    face,
    joins_node,
    write_here,
)
from rummy_env.kernel.scoring import RANK_POINT_TABLE
from rummy_env.kernel.staying import (
    STAYS,
    STAYS_TOTAL,
    fill_boxes,
    fill_options,
    fill_ways,
    take_way,
)
from rummy_env.kernel.walk import begin_walk
from rummy_env.kernel.workspace import (
    BACKWARD,
    CAPACITY,
    MOST_MOVES,
    MOST_RELAXED,
    NUM_LEVELS,
    NUM_STAYS,
    RELAXED,
)

Work = Any
"""A record of `workspace.WORKSPACE`."""

BY_POINTS: Final = 0
BY_CARDS: Final = 1
FIRST_BOUND: Final = 3
"""Doubled, plus one, until there is an end."""

_EXACT: Final = 256
"""Nodes kept of each layer of the walk back while it is complete."""
_GUIDES: Final = 16
"""Nodes kept of each once some were merged."""
_AHEAD: Final = 8
"""Nodes kept of each layer of a walk ahead."""
_NEAR: Final = 2
"""Up to here a walk on is short."""
_QUICK_WIDTH: Final = 32
"""Nodes kept of each layer of a first walk on, which lowers the bound."""
_DIGEST_BITS: Final = 15
"""Bits of a suit in the digest of a node."""
_DIGEST_MASK: Final = (1 << _DIGEST_BITS) - 1
_NO_ROW: Final = -1
_NO_VALUE: Final = 1 << 40
"""Greater than all that can be left."""


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
    meeting = _walk_back(work, objective, least - left, False)
    if work["width"] == 0 and meeting > _NEAR:
        work["width"] = _QUICK_WIDTH
        least = _walk_on(work, objective, meeting, least)
        work["width"] = 0
        _walk_ahead(work, objective, least)
        meeting = _walk_back(work, objective, least, True)
    return _walk_on(work, objective, meeting, least)


@kernel
def _walk_on(work: Work, objective: int, meeting: int, least: int) -> int:
    """Walks forward up to a rank where the layer backward is complete.

    Args:
        work: The workspace, prepared, its backward layers filled.
        objective: `BY_POINTS` or `BY_CARDS`.
        meeting: The rank.
        least: Only less than this is looked for.

    Returns:
        The least that is left, or the bound given.
    """
    rank = 0
    work["cursors"][0] = 0
    while rank >= 0:
        if rank == meeting:
            least = _take_joins(work, rank, least)
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
    for rank in range(work["num_ranks"]):
        fill_boxes(work, rank)
        fill_ways(work, rank, most // value_of(rank, objective))


@kernel
def _walk_ahead(work: Work, objective: int, least: int) -> None:
    """Fills the layers forward with few nodes, all others merged."""
    work["num_relaxed"][0] = 0
    work["beam"] = min(_AHEAD, work["limit"])
    for rank in range(work["num_ranks"] - 1):
        _sweep(work, objective, rank, rank, rank + 1, least, False)


@kernel
def _walk_back(work: Work, objective: int, least: int, is_guided: bool) -> int:
    """Fills the layers backward; returns a rank whose layer is complete, the lowest."""
    last = work["num_ranks"]
    row, meeting = BACKWARD + last, last
    work["num_relaxed"][row] = 0
    work["left"][row, 0] = 0
    beam = work["width"] if work["width"] > 0 else _EXACT
    # the step too many is written before it is merged
    work["beam"] = min(beam, work["limit"], CAPACITY - 1)
    for rank in range(last - 1, 0, -1):
        row = BACKWARD + rank
        _sweep(work, objective, rank, row + 1, row, least, is_guided)
        if work["num_relaxed"][row] == 0:
            meeting = rank
    return meeting


@kernel
def _sweep(
    work: Work,
    objective: int,
    rank: int,
    source: int,
    row: int,
    least: int,
    is_guided: bool,
) -> None:
    """Steps a layer over a rank, merging what finds no place in the next.

    Args:
        work: The workspace, prepared.
        objective: `BY_POINTS` or `BY_CARDS`.
        rank: The rank.
        source: The row of the layer.
        row: The row to fill, from empty.
        least: Nodes that leave as much are not wanted.
        is_guided: Whether the row at the same place of the walk ahead is filled.
    """
    guide = row - BACKWARD if is_guided else _NO_ROW
    value, num_relaxed = value_of(rank, objective), work["num_relaxed"][source]
    beam, count = min(_GUIDES, work["beam"]) if num_relaxed > 0 else work["beam"], 0
    _empty_relaxed(work, row)
    for index in range(work["counts"][source]):
        count = _sweep_node(
            work, rank, value, source, index, row, count, least, guide, beam
        )
    for index in range(RELAXED, RELAXED + num_relaxed):
        count = _sweep_node(
            work, rank, value, source, index, row, count, least, guide, 0
        )
    work["counts"][row] = _merge_rest(work, row, count, least)


@kernel
def _sweep_node(
    work: Work,
    rank: int,
    value: int,
    source: int,
    index: int,
    row: int,
    count: int,
    least: int,
    guide: int,
    beam: int,
) -> int:
    """Steps one node of a layer over a rank for `_sweep`; returns the layer's length.

    Of a rank whose cards are worth `value`; with a `beam` of 0 steps are merged.
    """
    left = work["left"][source, index]
    most = (least - 1 - left) // value
    face(work, source, index, rank)
    for box in range(work["num_boxes"][rank]):
        if not fill_options(work, rank, box, most):
            continue
        for way in range(work["num_ways"][rank]):
            stays = work["ways_to_stay"][rank, way]
            now = left + STAYS_TOTAL[stays] * value
            if now >= least:
                break
            if not take_way(work, stays):
                continue
            if guide == _NO_ROW or _is_guided(work, guide, least - 1 - now):
                count = _offer(work, row, count, now, least, beam)
                if work["is_inserted"] == 1:
                    work["parent"][row, count - 1] = index
                    work["stays"][row, count - 1] = stays
    return count


@kernel
def _offer(work: Work, row: int, count: int, left: int, least: int, beam: int) -> int:
    """Adds `here` to a layer unless covered, or merges it where the beam is full.

    Returns:
        The number of nodes after; `is_inserted` says whether the last one is `here`.
    """
    work["is_inserted"] = 0
    if beam > 0:
        count = _insert(work, row, count, left)
        if count <= beam:
            return count
        count -= 1
        work["is_inserted"] = 0
    _merge(work, row, left, least)
    return count


@kernel
def _merge_rest(work: Work, row: int, count: int, least: int) -> int:
    """Merges most nodes of a layer that is not complete; returns how many are left."""
    if work["num_relaxed"][row] == 0:
        return count
    guides = min(_GUIDES, work["beam"])
    for index in range(guides, count):
        _recall(work, row, index)
        _merge(work, row, work["left"][row, index], least)
    return min(count, guides)


@kernel
def _recall(work: Work, row: int, index: int) -> None:
    """Copies a node of a layer to `here`."""
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            work["here"][suit, level] = work["nodes"][row, index, suit, level]


@kernel
def _empty_relaxed(work: Work, row: int) -> None:
    """Empties the merged nodes of a layer."""
    work["num_relaxed"][row] = 0
    for node in range(RELAXED, RELAXED + MOST_RELAXED):
        work["left"][row, node] = _NO_VALUE
        for suit in range(NUM_SUITS):
            for level in range(work["jokers_high"] + 1):
                work["nodes"][row, node, suit, level] = 0


@kernel
def _merge(work: Work, row: int, left: int, least: int) -> None:
    """Merges `here` with those nodes of a layer that leave about as much."""
    node = RELAXED + left * MOST_RELAXED // least
    work["num_relaxed"][row] = MOST_RELAXED
    work["left"][row, node] = min(work["left"][row, node], left)
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            work["nodes"][row, node, suit, level] |= work["here"][suit, level]


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
def _is_guided(work: Work, row: int, most: int) -> bool:
    """Tells whether `here` joins a node of a layer that leaves so much at most."""
    left = work["left"]
    for index in range(work["counts"][row]):
        if left[row, index] <= most and joins_node(work, row, index):
            return True
    for index in range(RELAXED, RELAXED + work["num_relaxed"][row]):
        if left[row, index] <= most and joins_node(work, row, index):
            return True
    return False


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
        most = (least - 1 - left) // value
        face(work, rank, index, rank)
        for box in range(first // NUM_STAYS, work["num_boxes"][rank]):
            if not fill_options(work, rank, box, most):
                continue
            start = max(0, first - box * NUM_STAYS)
            for at in range(start, work["num_ways"][rank]):
                stays = work["ways_to_stay"][rank, at]
                now = left + STAYS_TOTAL[stays] * value
                if now >= least:
                    break
                if count == room:
                    work["counts"][rank + 1] = count
                    return index * MOST_MOVES + box * NUM_STAYS + at
                if take_way(work, stays) and _is_guided(
                    work, BACKWARD + rank + 1, least - 1 - now
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
    lefts, digests, digest = work["left"], work["digests"], _digest(work)
    for index in range(count - 1, -1, -1):
        if digest & ~digests[row, index] == 0 and lefts[row, index] <= left:
            if _is_within(work, row, index):
                return count
    kept = 0
    for index in range(count):
        is_covered = digests[row, index] & ~digest == 0 and lefts[row, index] >= left
        if not (is_covered and _holds(work, row, index)):
            if kept != index:
                _move_node(work, row, index, kept)
            kept += 1
    write_here(work, row, kept)
    work["left"][row, kept] = left
    work["digests"][row, kept] = digest
    work["is_inserted"] = 1
    return kept + 1


@kernel
def _digest(work: Work) -> int:
    """Returns a short word for `here` that has the bits of that of a node it covers."""
    digest, level = 0, work["jokers_high"]
    for suit in range(NUM_SUITS):
        word = work["here"][suit, level]
        word |= word >> 30
        word |= word >> 60
        digest |= ((word | word >> _DIGEST_BITS) & _DIGEST_MASK) << suit * _DIGEST_BITS
    return digest


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
    work["digests"][row, target] = work["digests"][row, source]
    work["parent"][row, target] = work["parent"][row, source]
    work["stays"][row, target] = work["stays"][row, source]


@kernel
def _take_joins(work: Work, rank: int, least: int) -> int:
    """Keeps the best of the nodes before a rank that join one from the other end."""
    row = BACKWARD + rank
    for index in range(work["counts"][rank]):
        left = work["left"][rank, index]
        _recall(work, rank, index)
        for other in range(work["counts"][row]):
            now = left + work["left"][row, other]
            if now < least and joins_node(work, row, other):
                least = now
                _read_back(work, rank, index, other)
    return least


@kernel
def _read_back(work: Work, meeting: int, index: int, other: int) -> None:
    """Writes the cards that two nodes that join have laid."""
    work["best_pending"] = work["pending"] + work["num_from_hand"]
    for rank in range(meeting - 1, -1, -1):
        _lay_but(work, rank, work["stays"][rank + 1, index])
        index = work["parent"][rank + 1, index]
    for rank in range(meeting, work["num_ranks"]):
        _lay_but(work, rank, work["stays"][BACKWARD + rank, other])
        other = work["parent"][BACKWARD + rank, other]
    for card in range(NUM_CARD_TYPES):
        if card % NUM_RANKS >= work["num_ranks"]:
            work["best_table"][card] = 0


@kernel
def _lay_but(work: Work, rank: int, number: int) -> None:
    """Writes the cards of a rank that are laid where so many stay."""
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        laid = work["may"][card] - STAYS[number, suit] + _laid_anyway(work, card)
        work["best_table"][card] = work["table"][card] + laid
