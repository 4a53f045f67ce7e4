"""Completions: what may be laid, and how jokers may be named, so that melds remain.

A *completion* of a turn is a final table that keeps every card of the table, adds
cards from the hand, places every joker of the table and any of the hand, and splits
into melds, where a joker keeps its name unless the real card lies there (R12, R16):
with `r` real cards, `y` names, `named` and `locked` the jokers named now and this
turn, `y[d] >= (locked[d] if r[d] > 0 else named[d])` for every card `d`. A card may be
laid now iff some completion lays it, and so on (`answer`).

**The walk.** `automaton` decides one suit's runs, `groups` one rank's groups. The two
meet in the choice, at each rank, of a box of copies that go to groups: given the
boxes, the suits are independent. So a *node* is four sets of elements, one a suit.
A layer holds the nodes reached after some ranks. A node that another one covers, set
by set, is dropped: whatever it can do the other can. Walking from both ends, a choice
at a rank belongs to a completion iff a node before it, the choice, and a node after
it join: their sets meet in all four suits. A higher lower bound on the copies of one
suit asks for one more card.

**Jokers.** Those that cannot move count as the cards they name. The others are free:
each adds a copy somewhere, at most two in all. A node keeps, for each suit, one set a
*level*: the elements reached with so many free jokers named in that suit. So where
jokers go never multiplies nodes. Two nodes join iff their suits meet at levels whose
sum, over the suits, is a number of jokers that may be placed. Where a joker named `d`
may move only if a real `d` comes from the hand, the two cases are asked one after the
other: no real `d` is laid and the joker stays, or one is and it is free (`_release`).

**Padding.** A free joker left over can be added to any table that has a run: to a run's
end, where one of thirteen cards takes the other ace and becomes two; at least with
five ranks, where that ace is there. So a completion is a table with a run that uses at
most `jokers_high` free jokers, or one without a run that uses exactly as many as it
should. The walk looks for the former, forgetting how many jokers must be placed, so
that a set at a level contains the sets below it; the latter is a question of groups
alone, each rank for itself (`_mark_groups_only`). With three and four ranks the walk
counts exactly.

**Beams.** Layers can grow long, and few of their nodes decide anything. So a walk keeps
a *beam* of nodes exactly and merges all others of a layer, and whatever follows from
them, into one *relaxed* node: the union of their sets, suit by suit, which stands for
more than is there. Nodes of the beams that join prove an answer. Where not even the
relaxed nodes join, there is nothing to find. If neither, the beam is widened.

**Room.** If the widest beam does not settle a card, it is asked by itself, depth first:
`_search` goes through the layers in portions, stepping from a few nodes at a time and
coming back for the rest. So nothing is ever dropped, however small the room.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.automaton import (
    ACCEPT,
    ACCEPT_RUN,
    ALIVE,
    CHUNK_BITS,
    FITS_ACES,
    FITS_ONE,
    FITS_THREE,
    FITS_TWO,
    FROM_VIRGIN,
    LETTER_LOW,
    MAX_COPIES,
    NO_LETTER,
    NUM_CHUNKS,
    NUM_ROOMS,
    NUM_SLICES,
    ORIGIN,
    ROOT,
    ROOT_LOW,
    SLICE,
    SLICE_MASK,
    STARTED,
    STEP,
    VIRGIN,
)
from rummy_env.kernel.groups import BOX_HIGH, BOX_LOW, NUM_BOXES
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.workspace import CAPACITY, NUM_LAYERS, NUM_LEVELS, RELAXED

Work = Any
"""A record of `workspace.WORKSPACE`."""

BACKWARD: Final = NUM_LAYERS
"""The row of the first backward layer: row `BACKWARD + rank` is before that rank."""

BEAMS: Final = (8, 64, CAPACITY)
"""The widths tried one after the other."""

_LETTER_BITS: Final = 4
_LETTER_MASK: Final = (1 << _LETTER_BITS) - 1
_CHUNK: Final = 1 << CHUNK_BITS
_CHUNK_MASK: Final = _CHUNK - 1
_TOTALS: Final = (1 << NUM_LEVELS) - 1
"""A set of numbers of jokers, 0 to 2, one bit each."""

_SUM_TABLE: Final = np.array(
    [
        sum(
            1 << total
            for total in range(NUM_LEVELS)
            if any(
                (left >> one) & 1 and (right >> (total - one)) & 1
                for one in range(total + 1)
            )
        )
        for left in range(_TOTALS + 1)
        for right in range(_TOTALS + 1)
    ],
    dtype=np.int64,
)


@kernel
def _sums(left: int, right: int) -> int:
    """Returns the sums, up to two, of two sets of numbers of jokers."""
    return _SUM_TABLE[left * (_TOTALS + 1) + right]


@kernel
def _letter(low: int, high: int) -> int:
    """Returns the number of the interval of copies that go to runs."""
    return (high * (high + 1)) // 2 + low


@kernel
def _letter_of(choice: int, suit: int, level: int) -> int:
    """Returns the letter of a suit with so many jokers placed there."""
    return (choice >> ((suit * NUM_LEVELS + level) * _LETTER_BITS)) & _LETTER_MASK


@kernel
def _slices_after(word: int, letter: int, room: int) -> int:
    """Returns the elements after a letter, from those with a suit's runs begun."""
    at = (letter * NUM_ROOMS + room) * (NUM_CHUNKS * _CHUNK)
    out = 0
    for reserve in range(NUM_SLICES):
        part = (word >> (SLICE * reserve)) & SLICE_MASK
        if part != 0:
            image = 0
            for chunk in range(NUM_CHUNKS):
                bits = (part >> (CHUNK_BITS * chunk)) & _CHUNK_MASK
                image |= int(STEP[at + chunk * _CHUNK + bits])
            out |= image << (SLICE * reserve)
    return out


@kernel
def _after(word: int, letter: int, room: int) -> int:
    """Returns the elements after a letter, before a rank with so much room."""
    if word == 0 or letter == NO_LETTER:
        return 0
    out = _slices_after(word, letter, room)
    if word >= VIRGIN:
        if word & ROOT != 0:
            out |= STARTED[1, letter, room]
        else:
            out |= STARTED[0, letter, room]
    if out & 1 != 0:
        out |= VIRGIN
    return out


@kernel
def _before(word: int, letter: int) -> int:
    """Returns the elements that a letter takes to some of these."""
    if word == 0 or letter == NO_LETTER:
        return 0
    at = letter * (NUM_CHUNKS * _CHUNK)
    out = 0
    for reserve in range(NUM_SLICES):
        part = (word >> (SLICE * reserve)) & SLICE_MASK
        if part != 0:
            image = 0
            for chunk in range(NUM_CHUNKS):
                bits = (part >> (CHUNK_BITS * chunk)) & _CHUNK_MASK
                image |= int(ORIGIN[at + chunk * _CHUNK + bits])
            out |= image << (SLICE * reserve)
    if word & FROM_VIRGIN[letter] != 0:
        out |= VIRGIN
    if word & VIRGIN != 0 and LETTER_LOW[letter] == 0:
        out |= VIRGIN
    return out


@kernel
def _present(work: Work, card: int) -> int:
    """Returns how many copies of a card may come to lie, free jokers not counted."""
    return work["must"][card] + work["may"][card]


@kernel
def _fill_choices(work: Work, rank: int) -> int:
    """Lists the ways to divide the copies of a rank, as packed letters.

    Returns:
        How many there are.
    """
    count = 0
    for box in range(NUM_BOXES):
        if not _is_box_reachable(work, rank, box):
            continue
        choice, more = 0, 0
        for suit in range(NUM_SUITS):
            card = suit * NUM_RANKS + rank
            for level in range(NUM_LEVELS):
                shift = (suit * NUM_LEVELS + level) * _LETTER_BITS
                choice |= _box_letter(work, card, box, level, 0) << shift
                more |= _box_letter(work, card, box, level, 1) << shift
        work["choices"][rank, count, 0] = choice
        work["choices"][rank, count, 1] = more
        count += 1
    return count


@kernel
def _is_box_reachable(work: Work, rank: int, box: int) -> bool:
    """Tells whether a box can be had with the free jokers there are."""
    missing = 0
    for suit in range(NUM_SUITS):
        present = _present(work, suit * NUM_RANKS + rank)
        missing += max(0, BOX_LOW[box, suit] - present)
    return missing <= work["jokers_high"]


@kernel
def _box_letter(work: Work, card: int, box: int, jokers: int, more: int) -> int:
    """Returns the interval of a card's copies that go to runs in a box.

    Args:
        work: The workspace.
        card: The card.
        box: The box.
        jokers: Free jokers placed as this card.
        more: 1 asks for one more card from the hand, 0 does not.
    """
    may = work["may"][card]
    if jokers > work["jokers_high"] or more > may:
        return NO_LETTER
    low = work["must"][card] + jokers
    high = low + may - BOX_LOW[box, card // NUM_RANKS]
    if high < 0 or low + may > MAX_COPIES:
        return NO_LETTER
    return _letter(max(0, low + more - BOX_HIGH[box]), high)


@kernel
def _find_room(work: Work) -> None:
    """Writes how many copies each card may come to, and what to keep of each set."""
    num_ranks, room, keep = work["num_ranks"], work["room"], work["keep"]
    jokers = work["jokers_high"]
    for suit in range(NUM_SUITS):
        for rank in range(num_ranks):
            present = _present(work, suit * NUM_RANKS + rank)
            room[rank, suit] = min(MAX_COPIES, present + jokers)
        # what follows the last rank is the ace again: no look ahead beyond it
        room[num_ranks, suit] = MAX_COPIES
        room[num_ranks + 1, suit] = MAX_COPIES
        aces = FITS_ACES[room[0, suit]]
        for rank in range(1, num_ranks + 1):
            keep[rank, suit] = ALIVE[room[rank, suit], room[rank + 1, suit]]
            two = room[rank - 2, suit] if rank > 1 else 0
            three = room[rank - 3, suit] if rank > 2 else 0
            keep[BACKWARD + rank, suit] = (
                aces
                & FITS_ONE[room[rank - 1, suit]]
                & FITS_TWO[two]
                & FITS_THREE[three]
            )


@kernel
def _step(work: Work, row: int, index: int, rank: int, choice: int) -> bool:
    """Steps a node over a rank, writing the node after to `here`.

    Returns:
        Whether every suit has a way on with the jokers there are.
    """
    here, jokers = work["here"], work["jokers_high"]
    spent = 0
    for suit in range(NUM_SUITS):
        fewest = NUM_LEVELS
        for level in range(jokers + 1):
            word = 0
            for placed in range(level + 1):
                before = work["nodes"][row, index, suit, level - placed]
                letter = _letter_of(choice, suit, placed)
                if row < BACKWARD:
                    word |= _after(before, letter, work["room"][rank + 1, suit])
                else:
                    word |= _before(before, letter)
            target = rank + 1 if row < BACKWARD else BACKWARD + rank
            word &= work["keep"][target, suit]
            if level > 0 and work["jokers_low"] == 0:
                word |= here[suit, level - 1]
            here[suit, level] = word
            if word != 0 and fewest > level:
                fewest = level
        spent += fewest
        if spent > jokers:
            return False
    _forget_unaffordable(work, spent)
    return True


@kernel
def _forget_unaffordable(work: Work, spent: int) -> None:
    """Empties the levels that the other suits' needs leave no jokers for."""
    here, jokers = work["here"], work["jokers_high"]
    if jokers == 0:
        return
    for suit in range(NUM_SUITS):
        fewest = 0
        while here[suit, fewest] == 0:
            fewest += 1
        most = jokers - (spent - fewest)
        for level in range(most + 1, jokers + 1):
            here[suit, level] = here[suit, most] if work["jokers_low"] == 0 else 0


@kernel
def _relax(work: Work, row: int) -> None:
    """Merges `here` into the relaxed node of a layer."""
    here, relaxed = work["here"], work["nodes"][row, RELAXED]
    if work["has_relaxed"][row] == 0:
        relaxed[:] = 0
        work["has_relaxed"][row] = 1
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            relaxed[suit, level] |= here[suit, level]


@kernel
def _is_covered(work: Work, row: int, count: int) -> bool:
    """Tells whether a node of the beam covers `here`."""
    here, nodes = work["here"], work["nodes"]
    for index in range(count):
        lacks = 0
        for suit in range(NUM_SUITS):
            for level in range(work["jokers_high"] + 1):
                lacks |= here[suit, level] & ~nodes[row, index, suit, level]
        if lacks == 0:
            return True
    return False


@kernel
def _copy_node(work: Work, row: int, source: int, target: int) -> None:
    """Copies a node of a layer to another place in it."""
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            word = work["nodes"][row, source, suit, level]
            work["nodes"][row, target, suit, level] = word


@kernel
def _write_here(work: Work, row: int, index: int) -> None:
    """Copies `here` to a place in a layer."""
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            work["nodes"][row, index, suit, level] = work["here"][suit, level]


@kernel
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
                _copy_node(work, row, index, kept)
                work["scores"][kept] = work["scores"][index]
            kept += 1
    score = _score(work, row)
    if score == 0:
        return kept
    if kept == work["beam"]:
        return _replace_worst(work, row, kept, score)
    _write_here(work, row, kept)
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
    relaxed, nodes = work["nodes"][row, RELAXED], work["nodes"]
    if work["has_relaxed"][row] == 0:
        relaxed[:] = 0
        work["has_relaxed"][row] = 1
    for suit in range(NUM_SUITS):
        for level in range(work["jokers_high"] + 1):
            relaxed[suit, level] |= nodes[row, worst, suit, level]
    _write_here(work, row, worst)
    work["scores"][worst] = score
    return count


@kernel
def _count_bits(word: int) -> int:
    """Returns the number of bits set in a word that is not negative."""
    word = word - ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 0x7F


@kernel
def _score(work: Work, row: int) -> int:
    """Returns how promising `here` is in a layer; 0 if it leads nowhere.

    Looks at the layer of the other walk at the same place, where there is one: first
    come nodes that join one of its beam, then the larger ones.
    """
    guide = row + BACKWARD if row < BACKWARD else row - BACKWARD
    size = 1
    for suit in range(NUM_SUITS):
        size += _count_bits(work["here"][suit, work["jokers_high"]])
    if work["is_filled"][guide] == 0:
        return size
    for index in range(work["counts"][guide]):
        if _joins(work, guide, index):
            return 1000 + size
    if work["has_relaxed"][guide] == 1 and _joins(work, guide, RELAXED):
        return size
    return 0


@kernel
def _joins(work: Work, row: int, index: int) -> bool:
    """Tells whether `here` joins a node of the other walk."""
    totals = 1
    for suit in range(NUM_SUITS):
        totals = _sums(totals, _totals(work, work["here"], suit, row, index))
        if totals == 0:
            return False
    return totals & _allowed(work) != 0


@kernel
def _advance(work: Work, source: int, target: int, rank: int) -> None:
    """Steps a layer over a rank into another layer, forward or backward.

    Args:
        work: The workspace, its choices prepared.
        source: The row to step from.
        target: The row to fill, from empty.
        rank: The rank stepped over.
    """
    count, choices = 0, work["num_choices"][rank]
    work["has_relaxed"][target] = 0
    for index in range(work["counts"][source]):
        for at in range(choices):
            if _step(work, source, index, rank, work["choices"][rank, at, 0]):
                count = _insert(work, target, count)
    work["counts"][target] = count
    if work["has_relaxed"][source] == 1:
        for at in range(choices):
            if _step(work, source, RELAXED, rank, work["choices"][rank, at, 0]):
                if not _is_covered(work, target, count) and _score(work, target) > 0:
                    _relax(work, target)
    work["is_filled"][target] = 1


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
        for at in range(choices):
            if _step(work, rank, index, rank, work["choices"][rank, at, 0]):
                count = _insert(work, rank + 1, count)
    work["counts"][rank + 1] = count
    return work["counts"][rank]


@kernel
def _totals(work: Work, word: Any, suit: int, row: int, index: int) -> int:
    """Returns with how many jokers a suit's sets of two nodes meet.

    Args:
        work: The workspace.
        word: One node's sets of every suit, `[suits, levels]`.
        suit: The suit.
        row: The other node's layer.
        index: Its place there.
    """
    totals, levels = 0, work["jokers_high"] + 1
    for one in range(levels):
        for other in range(levels - one):
            if word[suit, one] & work["nodes"][row, index, suit, other] != 0:
                totals |= 1 << (one + other)
    return totals


@kernel
def _allowed(work: Work) -> int:
    """Returns the numbers of free jokers that may be placed, as bits."""
    low, high = work["jokers_low"], work["jokers_high"]
    return ((2 << high) - 1) & ~((1 << low) - 1)


@kernel
def _is_without_run(choice: int, level: int, suit: int) -> bool:
    """Tells whether a suit can send every copy of a rank to groups."""
    return LETTER_LOW[_letter_of(choice, suit, level)] == 0


@kernel
def _suit_group_totals(choice: int, suit: int, fewest: int) -> int:
    """Returns with how many jokers a suit sends every copy of a rank to groups."""
    totals = 0
    for level in range(fewest, NUM_LEVELS):
        if _is_without_run(choice, level, suit):
            totals |= 1 << level
    return totals


@kernel
def _rank_group_totals(work: Work, rank: int) -> int:
    """Returns the numbers of jokers a rank may take without any run."""
    totals = 0
    for at in range(work["num_choices"][rank]):
        choice = work["choices"][rank, at, 0]
        of_choice = 1
        for suit in range(NUM_SUITS):
            of_choice = _sums(of_choice, _suit_group_totals(choice, suit, 0))
        totals |= of_choice
    return totals


@kernel
def _count_groups_only(work: Work) -> bool:
    """Finds how many jokers tables without a run use, from both ends.

    Returns:
        Whether there is such a table, with enough free jokers placed or not.
    """
    totals, last = work["group_totals"], work["num_ranks"]
    totals[0] = 1
    totals[BACKWARD + last] = 1
    for rank in range(last):
        totals[rank + 1] = _sums(totals[rank], _rank_group_totals(work, rank))
    for rank in range(last - 1, -1, -1):
        here = _rank_group_totals(work, rank)
        totals[BACKWARD + rank] = _sums(totals[BACKWARD + rank + 1], here)
    return totals[last] & ((2 << work["jokers_high"]) - 1) != 0


@kernel
def _mark_groups_only(work: Work) -> None:
    """Marks what tables without a run prove; their jokers are counted."""
    for rank in range(work["num_ranks"]):
        before = work["group_totals"][rank]
        rest = _sums(before, work["group_totals"][BACKWARD + rank + 1])
        for at in range(work["num_choices"][rank]):
            for suit in range(NUM_SUITS):
                _mark_group(work, rank, at, suit, rest)


@kernel
def _set_name(work: Work, card: int, is_more: bool) -> None:
    """Notes that a joker may be named so; with one from the hand if `is_more`."""
    work["num_names"] += 1 - work["name"][card]
    work["name"][card] = 1
    if is_more:
        work["name_more"][card] = 1


@kernel
def _mark_group(work: Work, rank: int, at: int, suit: int, rest: int) -> None:
    """Marks what one choice without a run proves for one suit at its rank."""
    choice, more = work["choices"][rank, at, 0], work["choices"][rank, at, 1]
    card, allowed = suit * NUM_RANKS + rank, _allowed(work)
    for other in range(NUM_SUITS):
        if other != suit:
            rest = _sums(rest, _suit_group_totals(choice, other, 0))
    if _sums(rest, _suit_group_totals(more, suit, 0)) & allowed != 0:
        work["lay"][card] = 1
    named = _sums(rest, _suit_group_totals(choice, suit, 1)) & allowed
    if named != 0:
        _set_name(work, card, named >> (work["jokers_low"] + 1) != 0)


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


@kernel
def _begin(work: Work) -> bool:
    """Prepares the choices and both ends of a walk, deciding what it must count.

    Where left-over jokers can be padded, `jokers_low` becomes 0; the caller has kept
    it, and puts it back.

    Returns:
        Whether tables without a run are a question of their own.
    """
    _find_room(work)
    for rank in range(work["num_ranks"]):
        work["num_choices"][rank] = _fill_choices(work, rank)
    has_high_ace = work["num_ranks"] >= FIRST_HIGH_ACE_RANKS
    is_padded = work["jokers_low"] > 0 and has_high_ace
    work["is_padded"] = is_padded
    has_groups_only = is_padded and _count_groups_only(work)
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
def _has_accepting(work: Work, rank: int) -> bool:
    """Tells whether a node after the last rank accepts with enough jokers placed."""
    for index in range(work["counts"][rank]):
        if _is_accepting(work, rank, index):
            return True
    return False


@kernel
def _is_accepting(work: Work, rank: int, index: int) -> bool:
    """Tells whether one node after the last rank accepts."""
    work["here"][:] = work["nodes"][rank, index]
    end = BACKWARD + rank
    for at in range(work["counts"][end]):
        if _joins(work, end, at):
            return True
    return False


@kernel
def is_completable(work: Work) -> bool:
    """Tells whether `must` with some of `may` and the free jokers splits into melds."""
    low, allowed = work["jokers_low"], _allowed(work)
    found = _begin(work) and work["group_totals"][work["num_ranks"]] & allowed != 0
    if not found:
        found = _find(work)
    work["jokers_low"] = low
    return found


@kernel
def _find(work: Work) -> bool:
    """Walks forward with beams, and depth first if they do not settle it."""
    last = work["num_ranks"]
    for width in BEAMS:
        work["beam"] = min(width, work["limit"])
        _walk_forward(work, last)
        if _has_accepting(work, last):
            return True
        if work["has_relaxed"][last] == 0:
            return False
        if not _is_accepting(work, last, RELAXED):
            return False
    return _search(work)


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
def _walk_forward(work: Work, last: int) -> None:
    """Fills the forward layers up to the one before a rank."""
    work["has_relaxed"][0] = 0
    for rank in range(last):
        _advance(work, rank, rank + 1, rank)


@kernel
def _walk_backward(work: Work, first: int) -> None:
    """Fills the backward layers down to the one after a rank."""
    work["has_relaxed"][BACKWARD + work["num_ranks"]] = 0
    for rank in range(work["num_ranks"] - 1, first, -1):
        _advance(work, BACKWARD + rank + 1, BACKWARD + rank, rank)


@kernel
def _find_hull(work: Work, row: int) -> None:
    """Collects what any node of a layer holds, suit by suit and level by level."""
    hull = work["hull"]
    hull[:] = 0
    count = work["counts"][row]
    for index in range(count + work["has_relaxed"][row]):
        if index == count:
            index = RELAXED
        for suit in range(NUM_SUITS):
            for level in range(work["jokers_high"] + 1):
                hull[suit, level] |= work["nodes"][row, index, suit, level]


@kernel
def _meets_hull(work: Work) -> bool:
    """Tells whether `here` could join any node of the layer of the hull."""
    here, hull, levels = work["here"], work["hull"], work["jokers_high"] + 1
    totals = 1
    for suit in range(NUM_SUITS):
        of_suit = 0
        for one in range(levels):
            for other in range(levels - one):
                if here[suit, one] & hull[suit, other] != 0:
                    of_suit |= 1 << (one + other)
        totals = _sums(totals, of_suit)
    return totals & _allowed(work) != 0


@kernel
def _is_lay_open(work: Work, card: int) -> bool:
    """Tells whether it is still to be found out that a card may be laid."""
    return work["may"][card] > 0 and work["lay"][card] == 0


@kernel
def _is_name_open(work: Work, card: int) -> bool:
    """Tells whether it is still to be found out that a joker may be named so."""
    if work["jokers_high"] == 0 or work["num_names"] >= work["wanted_names"]:
        return False
    if work["name"][card] == 0:
        return True
    return work["name_more"][card] == 0 and work["hand"][JOKER] > 0


@kernel
def _is_rank_open(work: Work, rank: int) -> bool:
    """Tells whether anything is still to be found out at a rank."""
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        if _is_lay_open(work, card) or _is_name_open(work, card):
            return True
    return False


@kernel
def _step_open(work: Work, rank: int, index: int, at: int) -> None:
    """Writes the node after a choice with one more card laid, and with a joker.

    To `more` and `joker`, for the suits of which something is open.
    """
    jokers, nodes = work["jokers_high"], work["nodes"]
    choice, lifted = work["choices"][rank, at, 0], work["choices"][rank, at, 1]
    for suit in range(NUM_SUITS):
        card, room = suit * NUM_RANKS + rank, work["room"][rank + 1, suit]
        keep = work["keep"][rank + 1, suit]
        is_lay_open, is_name_open = _is_lay_open(work, card), _is_name_open(work, card)
        for level in range(jokers + 1):
            more, joker = 0, 0
            for placed in range(level + 1):
                before = nodes[rank, index, suit, level - placed]
                if is_lay_open:
                    more |= _after(before, _letter_of(lifted, suit, placed), room)
                if is_name_open and placed > 0:
                    joker |= _after(before, _letter_of(choice, suit, placed), room)
            work["more"][suit, level] = more & keep
            work["joker"][suit, level] = joker & keep


@kernel
def _mark(work: Work, rank: int, index: int, at: int) -> None:
    """Marks what one choice of one forward node proves at its rank.

    Joins of two nodes of the beams are looked at, or, if `is_relaxed`, the others.
    """
    if not _step(work, rank, index, rank, work["choices"][rank, at, 0]):
        return
    if not _meets_hull(work):
        return
    _step_open(work, rank, index, at)
    row, is_exact = BACKWARD + rank + 1, work["is_relaxed"] == 0
    if is_exact or index == RELAXED:
        for after in range(work["counts"][row]):
            _mark_join(work, rank, row, after)
    if not is_exact and work["has_relaxed"][row] == 1:
        _mark_join(work, rank, row, RELAXED)


@kernel
def _mark_join(work: Work, rank: int, row: int, after: int) -> None:
    """Marks what `here` and one node after it prove, if they join."""
    here, allowed = work["here"], _allowed(work)
    first = _totals(work, here, 0, row, after)
    second = _totals(work, here, 1, row, after)
    third = _totals(work, here, 2, row, after)
    fourth = _totals(work, here, 3, row, after)
    black, red = _sums(first, second), _sums(third, fourth)
    if _sums(black, red) & allowed == 0:
        return
    _mark_suit(work, rank, 0, row, after, _sums(second, red))
    _mark_suit(work, rank, 1, row, after, _sums(first, red))
    _mark_suit(work, rank, 2, row, after, _sums(fourth, black))
    _mark_suit(work, rank, 3, row, after, _sums(third, black))


@kernel
def _mark_suit(
    work: Work, rank: int, suit: int, row: int, after: int, others: int
) -> None:
    """Marks what a join proves for one suit, the other suits' jokers given.

    A join that involves a relaxed node proves nothing, but unsettles.
    """
    card, allowed = suit * NUM_RANKS + rank, _allowed(work)
    lays, names = 0, 0
    if _is_lay_open(work, card):
        lays = _sums(_totals(work, work["more"], suit, row, after), others) & allowed
    if _is_name_open(work, card):
        names = _sums(_totals(work, work["joker"], suit, row, after), others) & allowed
    if work["is_relaxed"] == 1:
        if lays | names != 0:
            work["is_unsettled"] = 1
        return
    if lays != 0:
        work["lay"][card] = 1
    if names != 0:
        is_more = work["is_padded"] == 1 or names >> (work["jokers_low"] + 1) != 0
        _set_name(work, card, is_more)


@kernel
def _mark_rank(work: Work, rank: int) -> None:
    """Marks all that the beams around a rank prove."""
    work["is_relaxed"] = 0
    _find_hull(work, BACKWARD + rank + 1)
    for index in range(work["counts"][rank]):
        for at in range(work["num_choices"][rank]):
            if not _is_rank_open(work, rank):
                return
            _mark(work, rank, index, at)


@kernel
def _is_rank_settled(work: Work, rank: int) -> bool:
    """Tells whether no join with a relaxed node speaks for an open answer."""
    count, row = work["counts"][rank], BACKWARD + rank + 1
    if work["has_relaxed"][rank] + work["has_relaxed"][row] == 0:
        return True
    if not _is_rank_open(work, rank):
        return True
    work["is_relaxed"], work["is_unsettled"] = 1, 0
    _find_hull(work, row)
    for index in range(count + work["has_relaxed"][rank]):
        node = RELAXED if index == count else index
        for at in range(work["num_choices"][rank]):
            _mark(work, rank, node, at)
            if work["is_unsettled"] == 1:
                return False
    return True


@kernel
def _mark_one_by_one(work: Work) -> None:
    """Marks the same as `_mark_rank` for all ranks, by a question for each card."""
    work["slow_answers"] += 1
    for card in range(NUM_CARD_TYPES):
        if card % NUM_RANKS >= work["num_ranks"]:
            continue
        if _is_lay_open(work, card):
            work["must"][card] += 1
            work["may"][card] -= 1
            if is_completable(work):
                work["lay"][card] = 1
            work["must"][card] -= 1
            work["may"][card] += 1
        if _is_name_open(work, card):
            _name_one(work, card)


@kernel
def _name_one(work: Work, card: int) -> None:
    """Asks whether a free joker may be placed as this card."""
    low, high = work["jokers_low"], work["jokers_high"]
    work["must"][card] += 1
    work["jokers_high"] = high - 1
    work["jokers_low"] = max(0, low - 1)
    if work["name"][card] == 0 and is_completable(work):
        _set_name(work, card, False)
    work["jokers_low"] = low
    if work["name_more"][card] == 0 and low < high and is_completable(work):
        _set_name(work, card, True)
    work["must"][card] -= 1
    work["jokers_high"] = high


@kernel
def _drop_unsupported(work: Work) -> None:
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


@kernel
def _first_open(work: Work) -> int:
    """Returns the first rank of which anything is open, or num_ranks."""
    for rank in range(work["num_ranks"]):
        if _is_rank_open(work, rank):
            return rank
    return work["num_ranks"]


@kernel
def _last_open(work: Work) -> int:
    """Returns the last rank of which anything is open, or -1."""
    for rank in range(work["num_ranks"] - 1, -1, -1):
        if _is_rank_open(work, rank):
            return rank
    return -1


@kernel
def _mark_all(work: Work) -> None:
    """Marks the answers of `must`, `may` and the free jokers, resolved."""
    if work["jokers_high"] == 0:
        _drop_unsupported(work)
        if _last_open(work) < 0:
            return
    low = work["jokers_low"]
    has_groups_only = _begin(work)
    padded_low = work["jokers_low"]
    if has_groups_only:
        work["jokers_low"] = low
        _mark_groups_only(work)
        work["jokers_low"] = padded_low
    is_settled = _mark_by_beams(work)
    work["jokers_low"] = low
    if not is_settled:
        _mark_one_by_one(work)


@kernel
def _mark_by_beams(work: Work) -> bool:
    """Marks with wider and wider beams; False if the widest settles not all."""
    for width in BEAMS:
        work["beam"] = min(width, work["limit"])
        first, last = _first_open(work), _last_open(work)
        if last < 0:
            return True
        _walk_backward(work, first)
        _walk_forward(work, last)
        for rank in range(first, last + 1):
            _mark_rank(work, rank)
        is_settled = True
        for rank in range(first, last + 1):
            is_settled = is_settled and _is_rank_settled(work, rank)
        if is_settled:
            return True
    return False


@kernel
def _is_conditional(work: Work, card: int) -> bool:
    """Tells whether a joker of this name moves only if the hand gives the card."""
    return (
        work["named"][card] > work["locked"][card]
        and work["table"][card] == 0
        and work["hand"][card] > 0
    )


@kernel
def _resolve(work: Work) -> int:
    """Writes `must`, `may` and the free jokers, conditional ones staying put.

    Returns:
        How many cards have conditional jokers, at most two.
    """
    jokers = work["pending"]
    num_conditional = 0
    for card in range(NUM_CARD_TYPES):
        work["must"][card] = work["table"][card] + work["named"][card]
        work["may"][card] = work["hand"][card]
        if work["table"][card] > 0:
            movable = work["named"][card] - work["locked"][card]
            work["must"][card] -= movable
            jokers += movable
        elif _is_conditional(work, card):
            work["may"][card] = 0
            num_conditional += 1
    work["jokers_low"] = jokers
    work["jokers_high"] = jokers + work["hand"][JOKER]
    return num_conditional


@kernel
def _release(work: Work, case: int) -> None:
    """Resolves conditional jokers: real cards are laid, so the jokers are free.

    Args:
        work: The workspace, resolved with all conditional jokers staying put.
        case: Which of them are freed, a bit for each in the order of their cards.
    """
    for card in range(NUM_CARD_TYPES):
        if _is_conditional(work, card):
            if case & 1:
                movable = work["named"][card] - work["locked"][card]
                work["must"][card] += 1 - movable
                work["may"][card] = work["hand"][card] - 1
                work["jokers_low"] += movable
                work["jokers_high"] += movable
            case >>= 1


@kernel
def _mark_released(work: Work, case: int) -> None:
    """Marks the real cards that a case lays, if it completes at all."""
    if not is_completable(work):
        return
    for card in range(NUM_CARD_TYPES):
        if _is_conditional(work, card):
            if case & 1:
                work["lay"][card] = 1
            case >>= 1


@kernel
def answer(work: Work) -> None:
    """Answers a question in full: which cards may be laid, how jokers may be named.

    Reads the question of the workspace (`table`, `named`, `locked`, `hand`, `pending`,
    `num_ranks`) and writes its answers: `lay[c]` is 1 iff some completion lays a
    further `c` from the hand; `name[d]` iff some completion has at least one joker
    `d` more than it must keep; `name_more[d]` iff one of those uses a joker from the
    hand. Once `wanted_names` names are known, no further ones are looked for: those
    that are 1 are right, others may be missing. Nothing is checked: with a table that
    nothing completes all answers are 0.
    """
    work["lay"][:] = 0
    work["name"][:] = 0
    work["name_more"][:] = 0
    work["num_names"] = 0
    num_conditional = _resolve(work)
    _mark_all(work)
    for case in range(1, 1 << num_conditional):
        _resolve(work)
        _release(work, case)
        _mark_all(work)
        _mark_released(work, case)
    if work["hand"][JOKER] == 0:
        work["name_more"][:] = 0


@kernel
def is_table_legal(work: Work) -> bool:
    """Tells whether the table of the question, as it stands, splits into melds."""
    for card in range(NUM_CARD_TYPES):
        work["must"][card] = work["table"][card] + work["named"][card]
        work["may"][card] = 0
    work["jokers_low"] = 0
    work["jokers_high"] = 0
    return is_completable(work)
