"""Melds out of a witness: what its boxes come to, card by card.

With a box of groups given at each rank the suits are independent (`groups`), and the
sets of the witness from the end (`witness`, `chain`) hold the elements of a suit from
which the rest can be brought to an end. So the ranks are gone through once, from the
ace up, with the open runs themselves for an element: of the counts of copies that may
go to runs, the largest is taken whose successor is in the set behind the rank.

**There is one.** A set from the end is stepped back to without anything left out: an
element is in it iff some count that the box leaves to runs takes it, cut (`automaton`),
into the set behind. So it is closed upward: what simulates an element of it is in it,
as each step of the one simulates that of the other, and acceptance is monotone. The
aces' box joins what walks begin with to the set behind (`take_witness`), so some count
of aces leads into it; `(0, 0, 0, 0)`, for which `VIRGIN` is taken here, simulates that.
From there on the open runs, cut, are in the set before each rank, and some count leads
on: that of the cut element, from which four open runs only differ by one that is worth
nothing.

**Runs.** Copies go to open runs before they begin new ones (`automaton`, One step), to
the latest first. Short runs, which must get one, are later than long ones, and high
aces go to runs with a low one only if there is no other.

**Groups.** What is left of a rank goes to the groups of its box: any copies within a
box do. Of `G` groups a suit misses as many as it is short of `G`; all suits together
miss `G` at most, so they can be dealt out with no group missing two.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.automaton import (
    BIT_OF,
    LETTER_HIGH,
    LETTER_LOW,
    MAX_HIGH_ACES,
    SLICE,
)
from rummy_env.kernel.choices import letter_in
from rummy_env.kernel.groups import BOX_HIGH
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.subsets import WORDS
from rummy_env.kernel.workspace import BACKWARD

Work = Any
"""A record of `workspace.WORKSPACE`."""

NO_CARD: Final = -1
"""What fills a row of a layout behind its cards."""
_ACE: Final = 0


@kernel
def write_melds(work: Work, melds: Any, count: int) -> int:
    """Writes the melds that a witness splits `must` into, by the ranks they begin at.

    Those cut off runs with two aces come last.

    Args:
        work: The workspace; copies that go to runs are taken off `must`.
        melds: Where they are written, int64 `[35, 13]`, -1 from a row on.
        count: That row.

    Returns:
        How many melds there are then. Not checked: that `take_witness` has just taken
        the witness, with this `must` and nothing that `may`.
    """
    for suit in range(NUM_SUITS):
        work["num_open"][suit] = 0
    for rank in range(work["num_ranks"]):
        for suit in range(NUM_SUITS):
            copies = _take_copies(work, suit, rank)
            count = _lay(work, melds, count, suit * NUM_RANKS + rank, copies)
        count = _write_groups(work, melds, count, rank)
    for suit in range(NUM_SUITS):
        held = work["held_aces"][suit]
        count = _lay(work, melds, count, suit * NUM_RANKS + _ACE, held)
    return count


@kernel
def _take_copies(work: Work, suit: int, rank: int) -> int:
    """Takes off `must` the copies of a card that go to runs; returns how many do now.

    They are the most that can, and one count can. Aces are held back, to end runs, as
    few as can be then.
    """
    letter = letter_in(work, suit, rank, work["boxes"][rank])
    for copies in range(LETTER_HIGH[letter], LETTER_LOW[letter] - 1, -1):
        fewest, most = _reserves(work, suit, rank, copies)
        for held in range(fewest, most + 1):
            now = copies - held if rank == _ACE else copies
            if _goes_on(work, suit, rank, now, held):
                work["held_aces"][suit] = held
                work["must"][suit * NUM_RANKS + rank] -= copies
                return now
    return 0


@kernel
def _reserves(work: Work, suit: int, rank: int, copies: int) -> tuple[int, int]:
    """Returns the fewest and the most aces held back if copies of a card go to runs."""
    if rank != _ACE:
        return work["held_aces"][suit], work["held_aces"][suit]
    if work["num_ranks"] < FIRST_HIGH_ACE_RANKS:
        return 0, 0
    return 0, min(copies, MAX_HIGH_ACES)


@kernel
def _goes_on(work: Work, suit: int, rank: int, copies: int, held: int) -> bool:
    """Tells whether the runs of a suit can be ended if copies go to them now.

    And so many aces at the end.
    """
    one, two, more = 0, 0, 0
    for run in range(work["num_open"][suit]):
        length = work["open_lengths"][suit, run]
        one += length == 1
        two += length == 2
        more += length > 2
    free = copies - one - two
    if free < 0:
        return False
    bit = BIT_OF[max(0, free - more), one, two + min(more, free)]
    behind = WORDS[work["chain"][BACKWARD + rank + 1, suit]]
    return (bit << SLICE * held) & behind != 0


@kernel
def _lay(work: Work, melds: Any, count: int, card: int, copies: int) -> int:
    """Lays copies of a card on the open runs of its suit; returns how many melds.

    Runs stand in the order in which they began. The last ones get a card each, and the
    others are ended; if there are too few, what is left begins new ones.
    """
    suit = card // NUM_RANKS
    rows, lengths = work["open_rows"][suit], work["open_lengths"][suit]
    num_open, kept = work["num_open"][suit], 0
    for run in range(max(0, num_open - copies), num_open):
        count = _extend(melds, count, rows[run], lengths[run], card)
        rows[kept], lengths[kept] = rows[run], lengths[run] + 1
        kept += 1
    for run in range(kept, copies):
        melds[count, 0] = card
        rows[run], lengths[run] = count, 1
        count += 1
    work["num_open"][suit] = copies
    return count


@kernel
def _extend(melds: Any, count: int, row: int, length: int, card: int) -> int:
    """Adds a card to the end of a run; returns how many melds.

    If it is the second ace of a run, which has all ranks then, and five at least, its
    last three cards are a run of their own (R11).
    """
    if melds[row, 0] != card:
        melds[row, length] = card
        return count
    for at in range(2):
        melds[count, at] = melds[row, length - 2 + at]
        melds[row, length - 2 + at] = NO_CARD
    melds[count, 2] = card
    return count + 1


@kernel
def _write_groups(work: Work, melds: Any, count: int, rank: int) -> int:
    """Writes the groups of a rank's cards in `must`; returns how many melds.

    A suit is missing in groups that no suit before it is missing in.
    """
    num_groups, first = BOX_HIGH[work["boxes"][rank]], 0
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        behind = first + num_groups - work["must"][card]
        for group in range(num_groups):
            if group < first or group >= behind:
                _add(melds[count + group], card)
        first = behind
    return count + num_groups


@kernel
def _add(meld: Any, card: int) -> None:
    """Adds a card to the end of a group."""
    at = 0
    while meld[at] != NO_CARD:
        at += 1
    meld[at] = card
