"""Whether cards that do not fit, one joker being free, fit without some of them.

Of a hand that does not fit as a whole sets of cards to stay are tried (`best`), the
cheapest first, and to walk over all ranks for each would take long. The walks that
found no place for the joker (`one_joker`, `lowest_name`) have left their layers, and
hulls that allow for cards to stay (`hulls`). Call those layers full.

**Joints.** Let cards stay at some ranks, `first` the lowest, `last` the highest of
them. What can be reached before a rank is the full layer up to `first`, and is walked
anew from there on; what comes to an end from behind a rank is the full layer from
`last` on, and is walked back anew from there. The joker may be of a suit at a rank iff
it joins the layer before it to the one behind. If it is among what stays, the walk from
`first` over `last` must meet the full layer there.

**Harmless.** A step to a node anew has passed a rank at which a card stays. If a full
node at the same place covers it, whatever completes the former completes the latter,
which has laid that card: then a proper part of the set would have done. The same if at
a rank where cards stay some suit, in the same box of groups, comes to nothing that it
does not come to if its cards lie. Every card has a value, so all parts of a set come
before it, and have been refuted: such steps are dropped, and mostly few are left. They
lead to no completion, so the names found are all there are.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from rummy_env.kernel.choices import (
    boxes_at,
    fill_choices,
    in_choice,
    letter_of,
    letters_in_box,
)
from rummy_env.kernel.jit import kernel, outlined
from rummy_env.kernel.one_joker import (
    ALL_SUITS,
    NO_NAME,
    NO_SUIT,
    TOO_WIDE,
    lowest_suit,
)
from rummy_env.kernel.plain import (
    finish_layer,
    image,
    insert_plain,
    is_covered_plain,
    layers_join,
    look_at,
    needs_few,
    plain_room,
    rows_join,
    step_plain,
)
from rummy_env.kernel.workspace import BACKWARD, OUT, OUT_BACK

Work = Any
"""A record of `workspace.WORKSPACE`."""

NO_JOKER: Final = -3
"""No name is needed."""


@outlined
def name_without(work: Work) -> int:
    """Finds the lowest name for a free joker if some cards are left out.

    Those are `left_out`, of `must` and the joker itself; nothing else may be laid.
    Not checked: that the layers are there (`is_refuted`), which means that this joker
    is the only free one, that the hulls allow for it (`may_stay`), and that no proper
    part of the cards will do.

    Returns:
        The name, or `NO_NAME`; `NO_JOKER` if what is left fits, the joker being left
        out; `TOO_WIDE` if the walks cannot tell.
    """
    first = _first_rank(work)
    if first == work["num_ranks"]:
        return NO_JOKER if layers_join(work, 1) else NO_NAME
    last = _last_rank(work)
    _leave_out(work, 1)
    if work["left_out"][JOKER] > 0:
        name = _walk_over(work, first, last)
    else:
        name = _lowest_joint(work, first, last)
    _leave_out(work, -1)
    return name


@kernel
def _is_left_out_at(work: Work, rank: int) -> bool:
    """Tells whether a real card of a rank stays."""
    count = 0
    for suit in range(NUM_SUITS):
        count += work["left_out"][suit * NUM_RANKS + rank]
    return count > 0


@kernel
def _first_rank(work: Work) -> int:
    """Returns the lowest rank at which a real card stays, or num_ranks."""
    for rank in range(work["num_ranks"]):
        if _is_left_out_at(work, rank):
            return rank
    return work["num_ranks"]


@kernel
def _last_rank(work: Work) -> int:
    """Returns the highest rank at which a real card stays; there is one."""
    rank = work["num_ranks"] - 1
    while not _is_left_out_at(work, rank):
        rank -= 1
    return rank


@kernel
def _leave_out(work: Work, sign: int) -> None:
    """Takes the cards that stay from `must` and the choices; with -1 puts them back."""
    for rank in range(work["num_ranks"]):
        if _is_left_out_at(work, rank):
            for suit in range(NUM_SUITS):
                card = suit * NUM_RANKS + rank
                work["must"][card] -= sign * work["left_out"][card]
            fill_choices(work, rank)
            if sign > 0:
                _note_full(work, rank)


@kernel
def _note_full(work: Work, rank: int) -> None:
    """Writes as second word of the choices of a rank that with what is left out laid.

    Of the plain ones, which come first, a box each in ascending order.
    """
    boxes, box, at = boxes_at(work, rank), 0, 0
    while boxes != 0:
        if boxes & 1:
            full = 0
            for suit in range(NUM_SUITS):
                card = suit * NUM_RANKS + rank
                laid = work["must"][card] + work["left_out"][card]
                full |= in_choice(letters_in_box(box, suit, 0, laid), suit)
            work["choices"][rank, at, 1] = full
            at += 1
        boxes >>= 1
        box += 1


@kernel
def _step_on(work: Work, source: int, target: int, place: int) -> bool:
    """Steps a layer to a place, dropping what is harmless; False if it does not fit.

    Behind the last rank there is no full layer forward, so nothing is dropped there.
    """
    rank = place - 1 if place < BACKWARD else place - BACKWARD
    count, room, is_left_out = 0, plain_room(work), _is_left_out_at(work, rank)
    for index in range(work["plain_counts"][source]):
        look_at(work, source, index, place)
        for at in range(work["num_steps"][rank]):
            if is_left_out and not _gains(work, rank, at):
                continue
            if step_plain(work, work["choices"][rank, at, 0]) and needs_few(work):
                if place == work["num_ranks"] or not is_covered_plain(work, place):
                    count = insert_plain(work, target, count)
                    if count > room:
                        return False
    finish_layer(work, target, count)
    return True


@kernel
def _gains(work: Work, rank: int, at: int) -> bool:
    """Tells whether each suit that keeps cards comes to more than if they lay."""
    for suit in range(NUM_SUITS):
        if work["left_out"][suit * NUM_RANKS + rank] > 0:
            word = image(work, suit, letter_of(work["choices"][rank, at, 0], suit, 0))
            full = image(work, suit, letter_of(work["choices"][rank, at, 1], suit, 0))
            if word & ~full == 0:
                return False
    return True


@kernel
def _walk_over(work: Work, first: int, last: int) -> int:
    """Returns `NO_JOKER` if a walk over ranks where cards stay meets what follows."""
    before, row, spare = first, OUT, OUT + 1
    for rank in range(first, last + 1):
        if not _step_on(work, before, row, rank + 1):
            return TOO_WIDE
        before, row, spare = row, spare, row
    return NO_JOKER if rows_join(work, before, BACKWARD + last + 1) else NO_NAME


@kernel
def _lowest_joint(work: Work, first: int, last: int) -> int:
    """Returns the lowest name that joins what is before and what is behind its rank."""
    if not _walk_back(work, last):
        return TOO_WIDE
    found, wanted = NO_NAME, ALL_SUITS
    before, row, spare = 0, OUT, OUT + 1
    for rank in range(work["num_ranks"]):
        if rank <= first:
            before = rank
        behind = OUT_BACK + rank + 1 if rank < last else BACKWARD + rank + 1
        suit = lowest_suit(work, before, rank, behind, wanted)
        if suit != NO_SUIT:
            found = suit * NUM_RANKS + rank
            wanted = (1 << suit) - 1
        if wanted == 0:
            return found
        if first <= rank < work["num_ranks"] - 1:
            if not _step_on(work, before, row, rank + 1):
                return TOO_WIDE
            before, row, spare = row, spare, row
    return found


@kernel
def _walk_back(work: Work, last: int) -> bool:
    """Fills the layers back from the highest rank at which a card stays."""
    behind = BACKWARD + last + 1
    for rank in range(last, 0, -1):
        if not _step_on(work, behind, OUT_BACK + rank, BACKWARD + rank):
            return False
        behind = OUT_BACK + rank
    return True
