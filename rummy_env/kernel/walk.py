"""Walks over the ranks, from either end, in layers of nodes.

A layer holds the nodes reached after some ranks; row `rank` of the workspace is
before that rank in a walk forward, row `BACKWARD + rank` in a walk backward. Walking
from both ends, a choice at a rank belongs to a completion iff a node before it, the
choice, and a node after it join: their sets meet in all four suits.

**Padding.** A free joker left over can be added to any table that has a run: to a run's
end, where one of thirteen cards takes the other ace and becomes two; at least with
five ranks, where that ace is there. So a completion is a table with a run that uses at
most `jokers_high` free jokers, or one without a run that uses exactly as many as it
should. The walk looks for the former, forgetting how many jokers must be placed, so
that a set at a level contains the sets below it; the latter is a question of groups
alone, each rank for itself (`groups_only`). With three and four ranks the walk
counts exactly.

**Beams.** Layers can grow long, and few of their nodes decide anything. So a walk keeps
a *beam* of nodes exactly and merges all others of a layer, and whatever follows from
them, into a few *relaxed* nodes, like with like: the union of their sets, suit by suit,
which stands for more than is there. Nodes of the beams that join prove an answer.
Where not even the relaxed nodes join, there is nothing to find. If neither, the beam
is widened.

**By name.** Wide beams take long: each step is compared with a thousand nodes. Before
them a free joker is placed as each card in turn, which leaves a question with a joker
less, of narrower walks, and with none the narrowest there are. There are 52 names, or
as many pairs as they make, and what none of them completes nothing does.

**Room.** If the widest beam does not settle a question, it is walked depth first:
`_search` goes through the layers in portions, stepping from a few nodes at a time and
coming back for the rest. So nothing is ever dropped, however small the room.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.automaton import ACCEPT, ACCEPT_RUN, ROOT, ROOT_LOW
from rummy_env.kernel.choices import fill_choices, find_room
from rummy_env.kernel.groups import NUM_BOXES
from rummy_env.kernel.groups_only import count_groups_only
from rummy_env.kernel.hulls import tighten_keep
from rummy_env.kernel.jit import copy, kernel, outlined
from rummy_env.kernel.joker_totals import allowed_totals
from rummy_env.kernel.nodes import (
    copy_node,
    count_bits,
    face,
    is_covered,
    joins_node,
    step_over,
    write_here,
)
from rummy_env.kernel.one_joker import can_place_one, can_place_two
from rummy_env.kernel.plain import is_plainly_completable
from rummy_env.kernel.single import is_single, is_single_completable
from rummy_env.kernel.workspace import (
    BACKWARD,
    CAPACITY,
    MOST_RELAXED,
    NUM_LEVELS,
    RELAXED,
)

Work = Any
"""A record of `workspace.WORKSPACE`."""

BEAMS: Final = (4, 32, 128, CAPACITY)
"""The widths tried one after the other."""
NUM_QUICK: Final = 2
"""How many of them are tried before wide plain walks."""
NARROW: Final = 64
"""Plain walks up to this wide find a place for two jokers sooner than beams do."""


@outlined
def begin_walk(work: Work) -> bool:
    """Prepares the choices and both ends of a walk, deciding what it must count.

    Where left-over jokers can be padded, `jokers_low` becomes 0; the caller has kept
    it, and puts it back.

    Returns:
        Whether tables without a run are a question of their own.
    """
    find_room(work)
    for rank in range(work["num_ranks"]):
        fill_choices(work, rank)
    tighten_keep(work)
    has_high_ace = work["num_ranks"] >= FIRST_HIGH_ACE_RANKS
    is_padded = work["jokers_low"] > 0 and has_high_ace
    work["is_padded"] = is_padded
    has_groups_only = is_padded and count_groups_only(work)
    if is_padded:
        work["jokers_low"] = 0
    for suit in range(NUM_SUITS):
        root = ROOT if has_high_ace else ROOT_LOW
        for level in range(NUM_LEVELS):
            is_there = level == 0 or work["jokers_low"] == 0
            work["nodes"][0, 0, suit, level] = root if is_there else 0
    work["counts"][0] = 1
    work["is_filled"][:] = 0
    _accept(work, has_groups_only)
    return has_groups_only


@kernel
def _accept(work: Work, needs_run: bool) -> None:
    """Fills the last backward layer: what accepts, with a run in some suit or not."""
    row = BACKWARD + work["num_ranks"]
    count = NUM_SUITS if needs_run else 1
    work["counts"][row] = count
    for index in range(count):
        for suit in range(NUM_SUITS):
            word = ACCEPT_RUN if needs_run and index == suit else ACCEPT
            work["nodes"][row, index, suit, 0] = word
            for level in range(1, NUM_LEVELS):
                above = word if work["jokers_low"] == 0 else 0
                work["nodes"][row, index, suit, level] = above


@outlined
def _advance(work: Work, source: int, target: int, rank: int) -> None:
    """Steps a layer over a rank into another layer, forward or backward.

    Args:
        work: The workspace, its choices prepared.
        source: The row to step from.
        target: The row to fill, from empty.
        rank: The rank stepped over.
    """
    count, choices = 0, work["num_choices"][rank]
    work["num_relaxed"][target] = 0
    for index in range(work["counts"][source]):
        face(work, source, index, rank)
        for at in range(choices):
            if step_over(work, work["choices"][rank, at, 0]):
                count = _insert(work, target, count)
    work["counts"][target] = count
    for index in range(work["num_relaxed"][source]):
        face(work, source, RELAXED + index, rank)
        for at in range(choices):
            if step_over(work, work["choices"][rank, at, 0]):
                if not is_covered(work, target, count) and _score(work, target) > 0:
                    _relax(work, target)
    work["is_filled"][target] = 1


@kernel
def walk_forward(work: Work, last: int) -> None:
    """Fills the forward layers up to the one before a rank."""
    work["num_relaxed"][0] = 0
    for rank in range(last):
        _advance(work, rank, rank + 1, rank)


@kernel
def walk_backward(work: Work, first: int) -> None:
    """Fills the backward layers down to the one after a rank."""
    work["num_relaxed"][BACKWARD + work["num_ranks"]] = 0
    for rank in range(work["num_ranks"] - 1, first, -1):
        _advance(work, BACKWARD + rank + 1, BACKWARD + rank, rank)


@outlined
def _insert(work: Work, row: int, count: int) -> int:
    """Adds `here` to a layer unless covered, and drops the nodes it covers.

    Where the beam is full, the least promising node is merged into the relaxed one.

    Returns:
        The number of nodes in the layer after.
    """
    here, nodes, levels = work["here"], work["nodes"], work["jokers_high"] + 1
    kept = 0
    for index in range(count):
        lacks, exceeds = 0, 0
        for suit in range(NUM_SUITS):
            for level in range(levels):
                old, new = nodes[row, index, suit, level], here[suit, level]
                lacks |= new & ~old
                exceeds |= old & ~new
        if lacks == 0:
            return count
        if exceeds != 0:
            if kept != index:
                copy_node(work, row, index, kept)
                work["scores"][kept] = work["scores"][index]
            kept += 1
    score = _score(work, row)
    if score == 0:
        return kept
    if kept == work["beam"]:
        return _replace_worst(work, row, kept, score)
    write_here(work, row, kept)
    work["scores"][kept] = score
    return kept + 1


@kernel
def _replace_worst(work: Work, row: int, count: int, score: int) -> int:
    """Merges the worst of a full beam and `here` into the relaxed node."""
    worst = 0
    for index in range(count):
        if work["scores"][index] < work["scores"][worst]:
            worst = index
    if work["scores"][worst] >= score:
        _relax(work, row)
        return count
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            word = work["nodes"][row, worst, suit, level]
            work["nodes"][row, worst, suit, level] = work["here"][suit, level]
            work["here"][suit, level] = word
    work["scores"][worst] = score
    _relax(work, row)
    return count


@outlined
def _relax(work: Work, row: int) -> None:
    """Merges `here` into the relaxed node of a layer that grows least by it."""
    count, best, least = work["num_relaxed"][row], RELAXED, 1000
    for node in range(RELAXED, RELAXED + count):
        growth = _growth(work, row, node)
        if growth < least:
            best, least = node, growth
    if least > 0 and count < MOST_RELAXED:
        work["num_relaxed"][row] = count + 1
        write_here(work, row, RELAXED + count)
        return
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            work["nodes"][row, best, suit, level] |= work["here"][suit, level]


@kernel
def _growth(work: Work, row: int, node: int) -> int:
    """Returns how many elements of `here` a node lacks."""
    growth = 0
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            lacks = work["here"][suit, level] & ~work["nodes"][row, node, suit, level]
            if lacks != 0:
                growth += count_bits(lacks)
    return growth


@kernel
def _score(work: Work, row: int) -> int:
    """Returns how promising `here` is in a layer; 0 if it leads nowhere.

    Looks at the layer of the other walk at the same place, where there is one: first
    come nodes that join one of its beam, then the larger ones.
    """
    guide = row + BACKWARD if row < BACKWARD else row - BACKWARD
    size = 1
    for suit in range(NUM_SUITS):
        size += count_bits(work["here"][suit, work["jokers_high"]])
    if work["is_filled"][guide] == 0:
        return size
    for index in range(work["counts"][guide]):
        if joins_node(work, guide, index):
            return 1000 + size
    for index in range(work["num_relaxed"][guide]):
        if joins_node(work, guide, RELAXED + index):
            return size
    return 0


@outlined
def is_completable(work: Work) -> bool:
    """Tells whether `must` with some of `may` and the free jokers splits into melds."""
    if is_single(work):
        return is_single_completable(work)
    low, high = work["jokers_low"], work["jokers_high"]
    found = False
    for placed in range(low, high + 1):
        work["jokers_low"], work["jokers_high"] = placed, placed
        found = found or _is_completable_with(work, placed)
    work["jokers_low"], work["jokers_high"] = low, high
    return found


@kernel
def _is_completable_with(work: Work, placed: int) -> bool:
    """Tells the same where the number of jokers to be placed is fixed."""
    found = _tell_soon(work, placed)
    if found < 0 and placed > 1:
        found = _find(work, NUM_QUICK)
        if found < 0:
            found = _place_two_by_name(work)
    if found < 0 and placed == 1:
        found = _place_one_by_name(work)
    if found < 0:
        found = _find(work, len(BEAMS))
    if found < 0:
        return _search_all(work)
    return found == 1


@kernel
def _may_name(work: Work, card: int) -> bool:
    """Tells whether free jokers may be placed as a card."""
    return card % NUM_RANKS < work["num_ranks"] and work["is_barred"][card] == 0


@kernel
def _place_one_by_name(work: Work) -> int:
    """Tells whether one free joker completes, name by name; -1 if too wide.

    With the name given no joker is free, and those walks are the narrowest.
    """
    found = 0
    work["jokers_low"], work["jokers_high"] = 0, 0
    for card in range(NUM_CARD_TYPES):
        if found != 1 and _may_name(work, card):
            work["must"][card] += 1
            told = is_plainly_completable(work)
            found = told if told != 0 else found
            work["must"][card] -= 1
    work["jokers_low"], work["jokers_high"] = 1, 1
    return found


@kernel
def _place_two_by_name(work: Work) -> int:
    """Tells whether two free jokers complete, by the name of one; -1 if too wide.

    A name with which the other joker does not complete is barred for that one, too.
    """
    found = 0
    work["jokers_low"], work["jokers_high"] = 1, 1
    for card in range(NUM_CARD_TYPES):
        work["is_tried"][card] = found != 1 and _may_name(work, card)
        if work["is_tried"][card] == 1:
            work["must"][card] += 1
            told = can_place_one(work)
            if told < 0:
                told = _place_one_by_name(work)
            found = told if told != 0 else found
            work["is_barred"][card] = told == 0
            work["must"][card] -= 1
    for card in range(NUM_CARD_TYPES):
        if work["is_tried"][card] == 1:
            work["is_barred"][card] = 0
    work["jokers_low"], work["jokers_high"] = 2, 2
    return found


@outlined
def is_soon_completable(work: Work) -> int:
    """Tells the same, as 1 or 0, by walks that are never long; -1 if they are not."""
    low, high = work["jokers_low"], work["jokers_high"]
    found = 0
    for placed in range(low, high + 1):
        if found != 1:
            work["jokers_low"], work["jokers_high"] = placed, placed
            told = _tell_soon(work, placed)
            found = told if told != 0 else found
    work["jokers_low"], work["jokers_high"] = low, high
    return found


@kernel
def _tell_soon(work: Work, placed: int) -> int:
    """Tells the same where the number of jokers to be placed is fixed."""
    if placed == 0:
        return is_plainly_completable(work)
    if placed == 1:
        return can_place_one(work)
    if _can_keep_one(work):
        return 1
    return can_place_two(work, NARROW)


@kernel
def _can_keep_one(work: Work) -> bool:
    """Tells whether one of two free jokers may keep its name, the other anywhere.

    Most of what two jokers complete is found so, and quickly.
    """
    is_found, jokers = False, work["jokers_high"]
    work["jokers_high"] = 1
    for card in range(NUM_CARD_TYPES):
        if work["home"][card] > 0 and not is_found:
            work["must"][card] += 1
            is_found = can_place_one(work) == 1
            work["must"][card] -= 1
    work["jokers_high"] = jokers
    return is_found


@outlined
def _find(work: Work, num_widths: int) -> int:
    """Tells the same by walks forward with beams; -1 if they do not settle it."""
    low, allowed = work["jokers_low"], allowed_totals(work)
    found = -1
    if begin_walk(work) and work["group_totals"][work["num_ranks"]] & allowed != 0:
        found = 1
    number = 0
    while found < 0 and number < num_widths:
        work["beam"] = min(BEAMS[number], work["limit"])
        found = _find_with_beam(work)
        number += 1
    work["jokers_low"] = low
    return found


@kernel
def _find_with_beam(work: Work) -> int:
    """Walks forward with one beam: 1 if it accepts, 0 if nothing could, else -1."""
    last = work["num_ranks"]
    walk_forward(work, last)
    if _has_accepting(work, last):
        return 1
    return -1 if _has_accepting_relaxed(work, last) else 0


@outlined
def _search_all(work: Work) -> bool:
    """Tells the same by walking depth first, a table without a run ruled out."""
    low = work["jokers_low"]
    begin_walk(work)
    found = _search(work)
    work["jokers_low"] = low
    return found


@kernel
def _has_accepting(work: Work, rank: int) -> bool:
    """Tells whether a node after the last rank accepts with enough jokers placed."""
    for index in range(work["counts"][rank]):
        if _is_accepting(work, rank, index):
            return True
    return False


@kernel
def _has_accepting_relaxed(work: Work, rank: int) -> bool:
    """Tells whether a relaxed node after the last rank accepts."""
    for index in range(work["num_relaxed"][rank]):
        if _is_accepting(work, rank, RELAXED + index):
            return True
    return False


@kernel
def _is_accepting(work: Work, rank: int, index: int) -> bool:
    """Tells whether one node after the last rank accepts."""
    for suit in range(NUM_SUITS):
        copy(work["nodes"][rank, index, suit], work["here"][suit])
    end = BACKWARD + rank
    for at in range(work["counts"][end]):
        if joins_node(work, end, at):
            return True
    return False


@kernel
def _search(work: Work) -> bool:
    """Walks forward depth first, in portions that fit."""
    last = work["num_ranks"]
    # the choices of one node must fit, however narrow the beam is made for a test
    work["beam"] = max(work["limit"], NUM_BOXES)
    work["cursors"][0] = 0
    rank = 0
    while rank >= 0:
        if rank == last:
            if _has_accepting(work, rank):
                return True
            rank -= 1
        elif work["cursors"][rank] == work["counts"][rank]:
            rank -= 1
        else:
            work["cursors"][rank] = _advance_some(work, rank, work["cursors"][rank])
            rank += 1
            work["cursors"][rank] = 0
    return False


@kernel
def _advance_some(work: Work, rank: int, start: int) -> int:
    """Steps nodes of a forward layer over a rank, as many as there is room for.

    Args:
        work: The workspace, its choices prepared.
        rank: The rank stepped over.
        start: The first node of its layer to step from.

    Returns:
        The first node that was not stepped from; the number of nodes in the layer
        when all were.
    """
    count, choices = 0, work["num_choices"][rank]
    for index in range(start, work["counts"][rank]):
        if count > 0 and count + choices > work["beam"]:
            work["counts"][rank + 1] = count
            return index
        face(work, rank, index, rank)
        for at in range(choices):
            if step_over(work, work["choices"][rank, at, 0]):
                count = _insert(work, rank + 1, count)
    work["counts"][rank + 1] = count
    return work["counts"][rank]
