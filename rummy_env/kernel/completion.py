"""Completions: what may be laid, and how jokers may be named, so that melds remain.

A *completion* of a turn is a final table that keeps every card of the table, adds
cards from the hand, places every joker of the table and any of the hand, and splits
into melds, where a joker keeps its name unless the real card lies there (R12, R16):
with `r` real cards, `y` names, `named` and `locked` the jokers named now and this
turn, `y[d] >= (locked[d] if r[d] > 0 else named[d])` for every card `d`. A card may be
laid now iff some completion lays it, and so on (`answer`).

**The walk.** `automaton` decides one suit's runs, `groups` one rank's groups. The two
meet in the choice, at each rank, of a box of copies that go to groups: given the
boxes, the suits are independent. So a *node* is four sets of elements, one a suit,
and the number of free jokers used so far. A layer holds the nodes reached after some
ranks. A node that another one covers, set by set, is dropped: whatever it can do the
other can. (Where no joker must be placed, fewer used is better.) Walking from both
ends, a choice at a rank belongs to a completion
iff a node before it, the choice, and a node after it join: their sets meet in all
four suits. A higher lower bound on the copies of one suit asks for one more card.

**Padding.** A free joker left over can be added to any table that has a run: to a run's
end, where one of thirteen cards takes the other ace and becomes two; at least with
five ranks, where that ace is there. So a completion is a table with a run that uses at
most `jokers_high` free jokers, or one without a run that uses exactly as many as it
should. The walk looks for the former, forgetting how many jokers must be placed; the
latter is a question of groups alone, each rank for itself (`_mark_groups_only`). With
three and four ranks the walk counts exactly.

**Jokers.** Those that cannot move count as the cards they name. The others are free:
each adds a copy somewhere, at most two in all. Where a joker named `d` may move only
if a real `d` comes from the hand, the two cases are asked one after the other: no
real `d` is laid and the joker stays, or one is and the joker is free. (`_release`.)

**Stages.** Nodes that used jokers are many. What can be proved with nodes that used
none is marked first, then with one, then with two: a name is known once the nodes have
used all jokers but one, since the joker so named is placed by the choice itself; a
stage is left out when nothing is open any more.

**Room.** A layer holds `limit` nodes at most. `advance` stops before a node that might
not fit, so nothing is ever dropped: a single question then goes depth first through
the layers in portions (`is_completable`), and a walk from both ends that does not fit
is replaced by one such question for each card. Any limit gives the same answers; it
needs to hold the choices of one node, at most 525.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Final

import numpy as np

from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.automaton import (
    BACKWARD_ACCEPT,
    BACKWARD_ACCEPT_RUN,
    EMPTY,
    FORWARD_ROOT,
    FORWARD_ROOT_LOW,
    LETTERS,
    SETS,
)
from rummy_env.kernel.groups import BOX_HIGH, BOX_LOW, NUM_BOXES
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.workspace import NUM_LAYERS, NUM_PLACEMENTS

Work = Any
"""A record of `workspace.WORKSPACE`."""

BACKWARD: Final = NUM_LAYERS
"""The row of the first backward layer: row `BACKWARD + rank` is before that rank."""

_PLACEMENTS: Final = [
    [suits.count(suit) for suit in range(NUM_SUITS)]
    for jokers in range(3)
    for suits in combinations_with_replacement(range(NUM_SUITS), jokers)
]
PLACED: Final = np.array(_PLACEMENTS, dtype=np.int64)
"""Jokers each placement puts on each suit, int64 `[placements, suits]`."""
NUM_PLACED: Final = PLACED.sum(axis=1)
"""Jokers each placement uses, ascending, int64 `[placements]`."""
NUM_PLACEMENTS_OF: Final = np.array([1, 5, NUM_PLACEMENTS], dtype=np.int64)
"""Placements that use at most so many jokers, int64 `[3]`."""

# A node packs four set numbers of eleven bits and, above them, the jokers used.
_SET_BITS: Final = 11
_SET_MASK: Final = (1 << _SET_BITS) - 1
_USED_AT: Final = NUM_SUITS * _SET_BITS
# A choice packs four letters of four bits, then the letters with one more card laid.
_LETTER_BITS: Final = 4
_LETTER_MASK: Final = (1 << _LETTER_BITS) - 1
_NO_LETTER: Final = _LETTER_MASK
_MORE_AT: Final = NUM_SUITS * _LETTER_BITS

_LETTER_LOW: Final = np.array([low for low, _ in LETTERS] + [1], dtype=np.int64)
"""The fewest copies that go to runs by each letter; 1 for no letter at all."""
_STEP: Final = np.full((len(SETS.low), 1 << _LETTER_BITS), EMPTY, dtype=np.int16)
_STEP[:, : SETS.step.shape[1]] = SETS.step
_LOW: Final = SETS.low
_HIGH: Final = SETS.high


@kernel
def _letter(low: int, high: int) -> int:
    """Returns the number of the interval of copies that go to runs."""
    return (high * (high + 1)) // 2 + low


@kernel
def _same_all(node: int) -> int:
    """Returns the node whose four suits all have one set."""
    return node | node << _SET_BITS | node << (2 * _SET_BITS) | node << (3 * _SET_BITS)


@kernel
def _root(work: Work) -> int:
    """Returns the node before the ace."""
    if work["num_ranks"] >= FIRST_HIGH_ACE_RANKS:
        return _same_all(FORWARD_ROOT)
    return _same_all(FORWARD_ROOT_LOW)


@kernel
def _covers(larger: int, smaller: int) -> bool:
    """Tells whether each set of a node contains that of another."""
    for suit in range(NUM_SUITS):
        a = (larger >> (suit * _SET_BITS)) & _SET_MASK
        b = (smaller >> (suit * _SET_BITS)) & _SET_MASK
        if a != b:
            if (_LOW[b] & ~_LOW[a]) != 0 or (_HIGH[b] & ~_HIGH[a]) != 0:
                return False
    return True


@kernel
def _meet(a: int, b: int) -> bool:
    """Tells whether two sets, by number, share an element."""
    return (_LOW[a] & _LOW[b]) != 0 or (_HIGH[a] & _HIGH[b]) != 0


@kernel
def _join(forward: int, backward: int) -> bool:
    """Tells whether a node from either end meet in every suit."""
    for suit in range(NUM_SUITS):
        shift = suit * _SET_BITS
        if not _meet((forward >> shift) & _SET_MASK, (backward >> shift) & _SET_MASK):
            return False
    return True


@kernel
def _step(node: int, choice: int) -> int:
    """Returns the sets after a choice, or -1 where a suit has no way on."""
    following = 0
    for suit in range(NUM_SUITS):
        here = (node >> (suit * _SET_BITS)) & _SET_MASK
        letter = (choice >> (suit * _LETTER_BITS)) & _LETTER_MASK
        there = int(_STEP[here, letter])
        if there == EMPTY:
            return -1
        following |= there << (suit * _SET_BITS)
    return following


@kernel
def _insert(work: Work, row: int, count: int, node: int) -> int:
    """Adds a node to a layer unless covered, and drops those it covers.

    Returns:
        The number of nodes in the layer after.
    """
    nodes = work["nodes"]
    is_optional = work["jokers_low"] == 0
    used = node >> _USED_AT
    kept = 0
    for index in range(count):
        other = nodes[row, index]
        other_used = other >> _USED_AT
        if other_used == used or (is_optional and other_used < used):
            if _covers(other, node):
                return count
        if (other_used == used or (is_optional and used < other_used)) and _covers(
            node, other
        ):
            continue
        nodes[row, kept] = other
        kept += 1
    nodes[row, kept] = node
    return kept + 1


@kernel
def _most_copies(work: Work, rank: int, placement: int, groups: int) -> int:
    """Returns how many copies of a rank could go to so many groups."""
    copies = 0
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        present = work["must"][card] + work["may"][card] + PLACED[placement, suit]
        copies += min(present, groups)
    return copies


@kernel
def _fill_choices(work: Work, rank: int, placement: int) -> int:
    """Lists the ways to divide a rank's copies, with some jokers placed there.

    Returns:
        How many there are.
    """
    must, may, letters = work["must"], work["may"], work["letters"]
    count = 0
    for box in range(NUM_BOXES):
        most = BOX_HIGH[box]
        if _most_copies(work, rank, placement, most) < 3 * most:
            break
        choice = 0
        is_valid = True
        for suit in range(NUM_SUITS):
            card = suit * NUM_RANKS + rank
            low = must[card] + PLACED[placement, suit]
            high = low + may[card] - BOX_LOW[box, suit]
            if high < 0:
                is_valid = False
                break
            letter = _letter(max(0, low - most), high)
            more = _NO_LETTER
            if may[card] > 0:
                more = _letter(max(0, low + 1 - most), high)
            choice |= letter << (suit * _LETTER_BITS)
            choice |= more << (_MORE_AT + suit * _LETTER_BITS)
        if is_valid:
            letters[rank, placement, count] = choice
            count += 1
    return count


@kernel
def _prepare(work: Work) -> None:
    """Lists the choices of every rank, for every number of jokers to be placed."""
    for rank in range(work["num_ranks"]):
        for placement in range(NUM_PLACEMENTS_OF[work["jokers_high"]]):
            work["num_letters"][rank, placement] = _fill_choices(work, rank, placement)


@kernel
def advance(work: Work, source: int, target: int, rank: int, start: int) -> int:
    """Steps nodes of one layer over a rank into another layer.

    Args:
        work: The workspace, its choices prepared.
        source: The row to step from; forward and backward rows alike.
        target: The row to fill, from empty.
        rank: The rank stepped over.
        start: The first node of the source to step from.

    Returns:
        The first node that was not stepped from for want of room; the number of
        nodes in the source when all were.
    """
    jokers, count = work["walk_high"], 0
    room = 0
    for placement in range(NUM_PLACEMENTS_OF[jokers]):
        room += work["num_letters"][rank, placement]
    for index in range(start, work["counts"][source]):
        if count > 0 and count + room > work["limit"]:
            work["counts"][target] = count
            return index
        node = work["nodes"][source, index]
        used = node >> _USED_AT
        for placement in range(NUM_PLACEMENTS_OF[jokers - used]):
            now_used = (used + NUM_PLACED[placement]) << _USED_AT
            for at in range(work["num_letters"][rank, placement]):
                following = _step(node, work["letters"][rank, placement, at])
                if following >= 0:
                    count = _insert(work, target, count, following | now_used)
    work["counts"][target] = count
    return work["counts"][source]


@kernel
def _is_without_run(choice: int) -> bool:
    """Tells whether a choice of a rank can send every copy to groups."""
    for suit in range(NUM_SUITS):
        if _LETTER_LOW[(choice >> (suit * _LETTER_BITS)) & _LETTER_MASK] > 0:
            return False
    return True


@kernel
def _group_totals(work: Work, rank: int) -> int:
    """Returns the numbers of jokers a rank may take without any run, as bits."""
    totals = 0
    for placement in range(NUM_PLACEMENTS_OF[work["jokers_high"]]):
        for at in range(work["num_letters"][rank, placement]):
            if _is_without_run(work["letters"][rank, placement, at]):
                totals |= 1 << NUM_PLACED[placement]
    return totals


@kernel
def _sums(left: int, right: int) -> int:
    """Returns the sums of two sets of numbers from 0 to 2, as bits, up to 2."""
    sums = 0
    for number in range(3):
        if (left >> number) & 1:
            sums |= right << number
    return sums & 7


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
        totals[rank + 1] = _sums(totals[rank], _group_totals(work, rank))
    for rank in range(last - 1, -1, -1):
        here = _group_totals(work, rank)
        totals[BACKWARD + rank] = _sums(totals[BACKWARD + rank + 1], here)
    return totals[last] & ((2 << work["jokers_high"]) - 1) != 0


@kernel
def _is_in_range(work: Work, totals: int) -> bool:
    """Tells whether some number of jokers is between the fewest and the most."""
    for number in range(work["jokers_low"], work["jokers_high"] + 1):
        if (totals >> number) & 1:
            return True
    return False


@kernel
def _mark_groups_only(work: Work) -> None:
    """Marks what tables without a run prove; their jokers are counted."""
    low, high = work["jokers_low"], work["jokers_high"]
    for rank in range(work["num_ranks"]):
        before = work["group_totals"][rank]
        rest = _sums(before, work["group_totals"][BACKWARD + rank + 1])
        for placement in range(NUM_PLACEMENTS_OF[high]):
            totals = (rest << NUM_PLACED[placement]) & 7
            if not _is_in_range(work, totals):
                continue
            is_more = (totals & ((2 << high) - 1)) >> (low + 1) != 0
            for at in range(work["num_letters"][rank, placement]):
                choice = work["letters"][rank, placement, at]
                if _is_without_run(choice):
                    _mark_group(work, rank, placement, choice, is_more)


@kernel
def _mark_group(
    work: Work, rank: int, placement: int, choice: int, is_more: bool
) -> None:
    """Marks what one choice without a run proves at its rank."""
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        more = (choice >> (_MORE_AT + suit * _LETTER_BITS)) & _LETTER_MASK
        if work["may"][card] > 0 and _LETTER_LOW[more] == 0:
            work["lay"][card] = 1
        if PLACED[placement, suit] > 0:
            work["name"][card] = 1
            if is_more:
                work["name_more"][card] = 1


@kernel
def _accept(work: Work, needs_run: bool) -> None:
    """Fills the last backward layer: what accepts, with a run in some suit or not."""
    row = BACKWARD + work["num_ranks"]
    accept = _same_all(BACKWARD_ACCEPT)
    work["nodes"][row, 0] = accept
    work["counts"][row] = 1
    if needs_run:
        for suit in range(NUM_SUITS):
            change = BACKWARD_ACCEPT_RUN - BACKWARD_ACCEPT
            work["nodes"][row, suit] = accept + (change << (suit * _SET_BITS))
        work["counts"][row] = NUM_SUITS


@kernel
def _begin(work: Work) -> bool:
    """Prepares the choices and both ends of a walk, deciding what it must count.

    Returns:
        Whether tables without a run are a question of their own. If so, or if there
        are none, the walk forgets how many jokers must be placed.
    """
    _prepare(work)
    work["nodes"][0, 0] = _root(work)
    work["counts"][0] = 1
    is_padded = work["jokers_low"] > 0 and work["num_ranks"] >= FIRST_HIGH_ACE_RANKS
    work["is_padded"] = is_padded
    has_groups_only = is_padded and _count_groups_only(work)
    _accept(work, has_groups_only)
    return has_groups_only


@kernel
def _has_accepting(work: Work, rank: int) -> bool:
    """Tells whether a node after the last rank accepts with enough jokers placed."""
    end = BACKWARD + rank
    for index in range(work["counts"][rank]):
        node = work["nodes"][rank, index]
        if node >> _USED_AT >= work["jokers_low"]:
            for at in range(work["counts"][end]):
                if _join(node, work["nodes"][end, at]):
                    return True
    return False


@kernel
def is_completable(work: Work) -> bool:
    """Tells whether `must` with some of `may` and the free jokers splits into melds."""
    low = work["jokers_low"]
    if _begin(work) and _is_in_range(work, work["group_totals"][work["num_ranks"]]):
        return True
    if work["is_padded"]:
        work["jokers_low"] = 0
    work["walk_high"] = work["jokers_high"]
    found = _search(work)
    work["jokers_low"] = low
    return found


@kernel
def _search(work: Work) -> bool:
    """Walks forward layer by layer; where one does not fit, comes back for the rest."""
    last = work["num_ranks"]
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
            start = work["cursors"][rank]
            work["cursors"][rank] = advance(work, rank, rank + 1, rank, start)
            rank += 1
            work["cursors"][rank] = 0
    return False


@kernel
def _walk_forward(work: Work, last: int) -> bool:
    """Fills the forward layers up to the one before a rank; False if one overflows."""
    for rank in range(last):
        if advance(work, rank, rank + 1, rank, 0) < work["counts"][rank]:
            return False
    return True


@kernel
def _walk_backward(work: Work, first: int) -> bool:
    """Fills the backward layers down to the one after a rank; False on overflow."""
    for rank in range(work["num_ranks"] - 1, first, -1):
        source = BACKWARD + rank + 1
        if advance(work, source, source - 1, rank, 0) < work["counts"][source]:
            return False
    return True


@kernel
def _is_lay_open(work: Work, card: int) -> bool:
    """Tells whether a card may be laid is still to be found out."""
    return work["may"][card] > 0 and work["lay"][card] == 0


@kernel
def _is_open(work: Work, rank: int, placement: int) -> bool:
    """Tells whether a choice with this placement could mark anything new."""
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        if _is_lay_open(work, card):
            return True
        if PLACED[placement, suit] > 0 and _is_name_open(work, card):
            return True
    return False


@kernel
def _is_name_open(work: Work, card: int) -> bool:
    """Tells whether this stage could prove a name that no earlier one proved."""
    if work["walk_high"] == work["jokers_high"]:
        return False
    if work["name"][card] == 0:
        return True
    return work["name_more"][card] == 0 and work["hand"][JOKER] > 0


@kernel
def _find_hull(work: Work, row: int) -> None:
    """Collects, suit by suit, the elements that any node of a layer holds."""
    hull = work["hull"]
    hull[:] = 0
    for index in range(work["counts"][row]):
        node = work["nodes"][row, index]
        for suit in range(NUM_SUITS):
            here = (node >> (suit * _SET_BITS)) & _SET_MASK
            hull[suit, 0] |= _LOW[here]
            hull[suit, 1] |= _HIGH[here]


@kernel
def _meets_hull(work: Work, node: int) -> bool:
    """Tells whether a node could join any node of the layer of the hull."""
    hull = work["hull"]
    for suit in range(NUM_SUITS):
        here = (node >> (suit * _SET_BITS)) & _SET_MASK
        if (_LOW[here] & hull[suit, 0]) == 0 and (_HIGH[here] & hull[suit, 1]) == 0:
            return False
    return True


@kernel
def _mark(work: Work, rank: int, node: int, placement: int, choice: int) -> None:
    """Marks what one choice of one forward node proves at its rank."""
    here = _step(node, choice)
    if here < 0 or not _meets_hull(work, here):
        return
    before = node >> _USED_AT
    row, stage = BACKWARD + rank + 1, work["walk_high"]
    for index in range(work["counts"][row]):
        after = work["nodes"][row, index]
        if max(before, after >> _USED_AT) < stage:
            continue  # an earlier stage has tried it
        total = before + NUM_PLACED[placement] + (after >> _USED_AT)
        if total < work["jokers_low"] or total > work["jokers_high"]:
            continue
        if not _join(here, after):
            continue
        for suit in range(NUM_SUITS):
            card = suit * NUM_RANKS + rank
            shift = suit * _SET_BITS
            if PLACED[placement, suit] > 0:
                work["name"][card] = 1
                if total > work["jokers_low"] or work["is_padded"] == 1:
                    work["name_more"][card] = 1
            if _is_lay_open(work, card):
                more = (choice >> (_MORE_AT + suit * _LETTER_BITS)) & _LETTER_MASK
                there = int(_STEP[(node >> shift) & _SET_MASK, more])
                if _meet(there, (after >> shift) & _SET_MASK):
                    work["lay"][card] = 1
        if not _is_open(work, rank, placement):
            return


@kernel
def _mark_rank(work: Work, rank: int) -> None:
    """Marks all that is possible at a rank, joining the layers around it."""
    jokers = work["jokers_high"]
    _find_hull(work, BACKWARD + rank + 1)
    for placement in range(NUM_PLACEMENTS_OF[jokers]):
        for index in range(work["counts"][rank]):
            node = work["nodes"][rank, index]
            if (node >> _USED_AT) + NUM_PLACED[placement] > jokers:
                continue
            if not _is_open(work, rank, placement):
                break
            for at in range(work["num_letters"][rank, placement]):
                choice = work["letters"][rank, placement, at]
                _mark(work, rank, node, placement, choice)


@kernel
def _mark_one_by_one(work: Work) -> None:
    """Marks the same as `_mark_rank` for all ranks, by a question for each card."""
    work["overflows"] += 1
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
        if work["jokers_high"] > 0:
            _name_one(work, card)


@kernel
def _name_one(work: Work, card: int) -> None:
    """Asks whether a free joker may be placed as this card."""
    low, high = work["jokers_low"], work["jokers_high"]
    work["must"][card] += 1
    work["jokers_high"] = high - 1
    work["jokers_low"] = max(0, low - 1)
    if work["name"][card] == 0 and is_completable(work):
        work["name"][card] = 1
    work["jokers_low"] = low
    if work["name_more"][card] == 0 and low < high and is_completable(work):
        work["name_more"][card] = 1
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
    """Returns the first rank with a card that may turn out layable, or num_ranks."""
    for rank in range(work["num_ranks"]):
        for suit in range(NUM_SUITS):
            if _is_lay_open(work, suit * NUM_RANKS + rank):
                return rank
    return work["num_ranks"]


@kernel
def _last_open(work: Work) -> int:
    """Returns the last rank with a card that may turn out layable, or -1."""
    for rank in range(work["num_ranks"] - 1, -1, -1):
        for suit in range(NUM_SUITS):
            if _is_lay_open(work, suit * NUM_RANKS + rank):
                return rank
    return -1


@kernel
def _mark_stage(work: Work, first: int, last: int) -> bool:
    """Marks what nodes of one stage prove at some ranks; False on overflow."""
    if not _walk_forward(work, last) or not _walk_backward(work, first):
        return False
    for rank in range(first, last + 1):
        _mark_rank(work, rank)
    return True


@kernel
def _mark_stages(work: Work) -> bool:
    """Marks stage by stage, names before the last; False on overflow."""
    jokers = work["jokers_high"]
    for stage in range(jokers):
        work["walk_high"] = stage
        if not _mark_stage(work, 0, work["num_ranks"] - 1):
            return False
    first, last = _first_open(work), _last_open(work)
    if last < 0:
        return True
    work["walk_high"] = jokers
    return _mark_stage(work, first, last)


@kernel
def _mark_all(work: Work) -> None:
    """Marks the answers of `must`, `may` and the free jokers, resolved."""
    if work["jokers_high"] == 0:
        _drop_unsupported(work)
        if _last_open(work) < 0:
            return
    low = work["jokers_low"]
    if _begin(work):
        _mark_groups_only(work)
    if work["is_padded"] == 1:
        work["jokers_low"] = 0
    fits = _mark_stages(work)
    work["jokers_low"] = low
    if not fits:
        _mark_one_by_one(work)


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
    hand. A question of no consequence (nothing may be laid, nothing waits) is not
    checked: with an illegal table that nothing completes all answers are 0.
    """
    work["lay"][:] = 0
    work["name"][:] = 0
    work["name_more"][:] = 0
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
