"""One way to split a table, remembered: a box of groups at each rank.

Most questions differ little from the one before: a card went to a run or to a group.
So a *witness*, the boxes (`groups`) in which the table, or the table with cards of a
hand, last split, is followed before anything is searched for. With one box a rank
nothing branches: a set a suit, a look-up a rank (`subsets`), from both ends. Where that
misses, one rank may take another box.

What a witness proves is proved. Only the numbers of boxes are kept; letters are read
anew from the `must` and `may` at hand, and a box that the cards cannot fill has none
(`NO_LETTER`, the empty set). Forward sets do not look ahead at the next rank's room, so
they hold what can be reached and what that simulates, nothing else; so sets that meet
in all suits are a split. What a witness does not prove is open. So it may be out of
date, of another game, or of no table at all.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.kernel.answers import is_lay_open
from rummy_env.kernel.automaton import MAX_COPIES
from rummy_env.kernel.choices import boxes_at, letter_in, letter_in_more
from rummy_env.kernel.jit import kernel, outlined
from rummy_env.kernel.plain import joins_layer
from rummy_env.kernel.subsets import AT_ACCEPT, BACK, WORDS, number_after, root_of
from rummy_env.kernel.workspace import BACKWARD

Work = Any
"""A record of `workspace.WORKSPACE`."""

_ANY_ROOM: Final = MAX_COPIES
"""The turn of steps forward: what follows is not looked at."""


@outlined
def is_witnessed(work: Work) -> bool:
    """Tells whether what lies, with any of what may, splits as the witness says.

    That is in its boxes, or with another box at one rank, which is noted then. If it
    does not, the question is open. Not checked: that no joker is free, and that the
    boxes are numbers below `NUM_BOXES` (`memory.recall_witness`).
    """
    num_ranks = work["num_ranks"]
    _begin(work)
    last = _follow(work)
    if last == num_ranks:
        if _meets_at(work, num_ranks):
            return True
        last -= 1
    return _mend(work, _follow_back(work), last)


@kernel
def _begin(work: Work) -> None:
    """Writes the sets that the witness begins with at both ends."""
    end = BACKWARD + work["num_ranks"]
    for suit in range(NUM_SUITS):
        work["chain"][0, suit] = root_of(work["num_ranks"])
        work["chain"][end, suit] = AT_ACCEPT


@kernel
def _step(work: Work, rank: int, box: int) -> bool:
    """Writes the sets behind a rank, from those before it; False if one is empty."""
    is_alive = True
    for suit in range(NUM_SUITS):
        letter, number = letter_in(work, suit, rank, box), work["chain"][rank, suit]
        number = number_after(work, number, letter, _ANY_ROOM)
        work["chain"][rank + 1, suit] = number
        is_alive &= WORDS[number] != 0
    return is_alive


@kernel
def _step_back(work: Work, rank: int, box: int) -> bool:
    """Writes the sets before a rank, from those behind it; False if one is empty."""
    row, is_alive = BACKWARD + rank, True
    for suit in range(NUM_SUITS):
        letter, number = letter_in(work, suit, rank, box), work["chain"][row + 1, suit]
        number = number_after(work, number, letter, BACK)
        work["chain"][row, suit] = number
        is_alive &= WORDS[number] != 0
    return is_alive


@kernel
def _follow(work: Work) -> int:
    """Follows the witness; returns the rank that it does not get over, or num_ranks."""
    for rank in range(work["num_ranks"]):
        if not _step(work, rank, work["boxes"][rank]):
            return rank
    return work["num_ranks"]


@kernel
def _follow_back(work: Work) -> int:
    """Follows it back from before a rank; returns the rank where it ends.

    The first rank, if it gets over all.
    """
    for rank in range(work["num_ranks"] - 1, -1, -1):
        if not _step_back(work, rank, work["boxes"][rank]):
            return rank
    return 0


@kernel
def _meets_at(work: Work, rank: int) -> bool:
    """Tells whether the sets before a rank, from both ends, meet."""
    is_met = True
    for suit in range(NUM_SUITS):
        here = WORDS[work["chain"][rank, suit]]
        is_met &= here & WORDS[work["chain"][BACKWARD + rank, suit]] != 0
    return is_met


@kernel
def _mend(work: Work, first: int, last: int) -> bool:
    """Looks for another box, at one of some ranks, that joins what is around it."""
    for rank in range(first, last + 1):
        boxes, box = boxes_at(work, rank), 0
        while boxes != 0:
            if boxes & 1 and _joins(work, rank, box):
                work["boxes"][rank] = box
                return True
            boxes >>= 1
            box += 1
    return False


@kernel
def _suits_apart(work: Work, rank: int, box: int) -> int:
    """Returns the suits, as bits, in which a box does not join what is around it."""
    apart = 0
    for suit in range(NUM_SUITS):
        letter, number = letter_in(work, suit, rank, box), work["chain"][rank, suit]
        word = WORDS[number_after(work, number, letter, _ANY_ROOM)]
        behind = WORDS[work["chain"][BACKWARD + rank + 1, suit]]
        apart |= (word & behind == 0) << suit
    return apart


@kernel
def _joins(work: Work, rank: int, box: int) -> bool:
    """Tells whether a box joins what is around it."""
    return _suits_apart(work, rank, box) == 0


@outlined
def mark_witnessed(work: Work) -> None:
    """Marks the cards that the witness proves may be laid, no joker being free."""
    if not is_witnessed(work):
        return
    # both get over all ranks: it splits
    _follow(work)
    _follow_back(work)
    for rank in range(work["num_ranks"]):
        _mark_at(work, rank)


@kernel
def _mark_at(work: Work, rank: int) -> None:
    """Marks what the witness with any box at a rank proves of the rank's cards."""
    is_open = False
    for suit in range(NUM_SUITS):
        is_open |= is_lay_open(work, suit * NUM_RANKS + rank)
    boxes, box = boxes_at(work, rank) if is_open else 0, 0
    while boxes != 0:
        if boxes & 1:
            _mark_box(work, rank, box)
        boxes >>= 1
        box += 1


@kernel
def _mark_box(work: Work, rank: int, box: int) -> None:
    """Marks what the witness with a box proves: the other suits join as they are."""
    apart = _suits_apart(work, rank, box)
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        if apart & ~(1 << suit) == 0 and is_lay_open(work, card):
            letter = letter_in_more(work, suit, rank, box)
            number = number_after(work, work["chain"][rank, suit], letter, _ANY_ROOM)
            behind = WORDS[work["chain"][BACKWARD + rank + 1, suit]]
            work["lay"][card] = WORDS[number] & behind != 0


@outlined
def take_witness(work: Work) -> None:
    """Notes a witness from the layers of walks that met half-way (`plain`).

    From a node that joins, boxes are chosen outwards so that each step joins a node of
    the layer it comes to. There is such a box. A node `n` of a layer was stepped to
    from a node `m` of the layer beside it, by some box. If our sets share an element
    with `n`, in each suit some count of that box takes that element (or, going back, is
    taken by one) to an element of `m`. `keep` does not hide it from `m`: what comes of
    real cards fits the ranks passed, and what can still be accepted is alive. What room
    has added to a set (`automaton`, Neighbours) steps as the element that it was added
    for, since no card has more copies than there is room for. The aces' box joins what
    walks forward begin with to the sets behind it: that set of the very beginning is in
    none of those that a step back leads to.

    Not checked: that `is_plainly_completable` has just said 1, with these `must` and
    `may`, and `most_plain` 0.
    """
    num_ranks, middle = work["num_ranks"], work["num_ranks"] // 2
    _begin(work)
    _turn_to_joining(work, middle)
    for rank in range(middle, num_ranks):
        _choose(work, rank)
    for rank in range(num_ranks - 1, middle - 1, -1):
        _step_back(work, rank, work["boxes"][rank])
    for rank in range(middle - 1, 0, -1):
        _choose_back(work, rank)
    _mend(work, 0, 0)


@kernel
def _turn_to_joining(work: Work, middle: int) -> None:
    """Writes the sets of a node before a rank that joins one from the other end."""
    for index in range(work["plain_counts"][middle]):
        for suit in range(NUM_SUITS):
            work["zero"][suit] = work["plain"][middle, index, suit]
            work["chain"][middle, suit] = work["plain_numbers"][middle, index, suit]
        if joins_layer(work, BACKWARD + middle):
            return


@kernel
def _choose(work: Work, rank: int) -> None:
    """Steps over a rank by a box with which a node behind it joins."""
    boxes, box, is_found = boxes_at(work, rank), 0, False
    while boxes != 0 and not is_found:
        if boxes & 1 and _step(work, rank, box):
            for suit in range(NUM_SUITS):
                work["zero"][suit] = WORDS[work["chain"][rank + 1, suit]]
            is_found = joins_layer(work, BACKWARD + rank + 1)
            if is_found:
                work["boxes"][rank] = box
        boxes >>= 1
        box += 1


@kernel
def _choose_back(work: Work, rank: int) -> None:
    """Steps back over a rank by a box with which a node before it joins."""
    boxes, box, is_found = boxes_at(work, rank), 0, False
    while boxes != 0 and not is_found:
        if boxes & 1 and _step_back(work, rank, box):
            for suit in range(NUM_SUITS):
                work["zero"][suit] = WORDS[work["chain"][BACKWARD + rank, suit]]
            is_found = joins_layer(work, rank)
            if is_found:
                work["boxes"][rank] = box
        boxes >>= 1
        box += 1
