"""Marks: what walks from both ends prove about the cards at each rank.

A choice at a rank belongs to a completion iff a node before it, the choice, and a node
after it join (`walk`). With one more card of a suit asked for, the join proves that
this card may be laid; with a joker of a suit placed, that a joker may be named so.
What narrow beams do not settle is asked card by card.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.kernel.answers import (
    first_open_rank,
    is_any_lay_open,
    is_any_name_open,
    is_lay_open,
    is_name_open,
    is_rank_open,
    last_open_rank,
    set_name,
)
from rummy_env.kernel.choices import letter_of
from rummy_env.kernel.groups_only import mark_groups_only
from rummy_env.kernel.jit import kernel, outlined
from rummy_env.kernel.joker_totals import allowed_totals, sums
from rummy_env.kernel.nodes import face, level_image, meeting_totals, step_over
from rummy_env.kernel.one_joker import (
    mark_lays,
    mark_lays_with_two,
    mark_names,
    mark_names_with_other,
    walk_around_open,
    walk_for_one_joker,
)
from rummy_env.kernel.plain import is_plainly_completable
from rummy_env.kernel.plain_marks import mark_plain
from rummy_env.kernel.single import is_single, mark_single
from rummy_env.kernel.support import drop_unsupported
from rummy_env.kernel.walk import (
    BEAMS,
    NARROW,
    NUM_QUICK,
    begin_walk,
    is_completable,
    is_soon_completable,
    walk_backward,
    walk_forward,
)
from rummy_env.kernel.witness import mark_witnessed
from rummy_env.kernel.workspace import (
    BACKWARD,
    IS_OPEN,
    NO_HINT,
    NUM_HINTS,
    PLAIN_CAPACITY,
    RELAXED,
)

Work = Any
"""A record of `workspace.WORKSPACE`."""

FEW_OPEN: Final = 6
"""So many open answers, or fewer, are asked one by one."""
_FIRST_WIDTH: Final = 8
"""Nodes in each layer of the first walks for one joker."""


@outlined
def mark_at_home(work: Work) -> None:
    """Marks what `must` and `may` prove, resolved with no joker free."""
    if not drop_unsupported(work) or not is_any_lay_open(work):
        return
    if is_single(work):
        mark_single(work)
        return
    mark_witnessed(work)
    if not mark_plain(work):
        _mark_slowly(work)


@outlined
def mark_free(work: Work) -> None:
    """Marks what `must`, `may` and the free jokers prove, resolved."""
    if is_single(work):
        mark_single(work)
        return
    if work["pending"] == 0 and not is_any_lay_open(work):
        _try_hints(work)
    wanted = work["wanted_names"]
    if not (_mark_with_one(work) and _mark_with_two(work)):
        work["wanted_names"] = wanted
        _mark_slowly(work)
    work["wanted_names"] = wanted


@kernel
def _try_hints(work: Work) -> None:
    """Proves the names of earlier questions, where any two will do and that is all.

    The other joker, if there is one, keeps its name.
    """
    if work["num_names"] >= work["wanted_names"] or work["wanted_names"] > NUM_HINTS:
        return
    low, high = work["jokers_low"], work["jokers_high"]
    work["jokers_low"], work["jokers_high"] = 0, 0
    for number in range(NUM_HINTS):
        card = work["hints"][number]
        # a name out of play is none, though no walk would come across it
        is_name = card != NO_HINT and card % NUM_RANKS < work["num_ranks"]
        if is_name and work["name"][card] == IS_OPEN:
            if _is_name_with_others_home(work, card, high):
                set_name(work, card, False)
    work["jokers_low"], work["jokers_high"] = low, high


@kernel
def _is_name_with_others_home(work: Work, card: int, jokers: int) -> bool:
    """Tells whether a joker may have a name while another one keeps its own."""
    work["must"][card] += 1
    is_found = jokers == 1 and is_plainly_completable(work) == 1
    for home in range(NUM_CARD_TYPES):
        if jokers == 2 and work["home"][home] > 0 and not is_found:
            work["must"][home] += 1
            is_found = is_plainly_completable(work) == 1
            work["must"][home] -= 1
    work["must"][card] -= 1
    return is_found


@kernel
def _mark_with_one(work: Work) -> bool:
    """Marks what tables with exactly one free joker prove; False if too wide.

    Mostly a few nodes of each layer prove all there is; else all of them are taken.
    """
    low, high = work["jokers_low"], work["jokers_high"]
    if low > 1 or last_open_rank(work) < 0:
        return True
    work["jokers_high"] = 1
    work["most_plain"], work["is_cut"] = _FIRST_WIDTH, 0
    is_done = walk_for_one_joker(work) and _mark_around(work, low == 0)
    work["most_plain"] = 0
    if work["is_cut"] == 1 and last_open_rank(work) >= 0:
        is_done = walk_around_open(work) and _mark_around(work, low == 0)
    work["jokers_high"] = high
    return is_done


@kernel
def _mark_around(work: Work, is_more: bool) -> bool:
    """Marks what walks around a free joker prove; False if too wide."""
    mark_names(work, is_more)
    return mark_lays(work)


@kernel
def _mark_with_two(work: Work) -> bool:
    """Marks what tables with two free jokers prove; False if too wide.

    Once the names are settled no more are wanted: `wanted_names` becomes 0.
    """
    if work["jokers_high"] < 2:
        return True
    _mark_with_one_at_home(work)
    if not _mark_names_with_two(work):
        return False
    work["wanted_names"] = 0
    if mark_lays_with_two(work, NARROW) or _mark_with_beams(work, NUM_QUICK):
        return True
    return mark_lays_with_two(work, PLAIN_CAPACITY)


@kernel
def _mark_names_with_two(work: Work) -> bool:
    """Marks the names that tables with two free jokers prove; False if too wide."""
    if not is_any_name_open(work):
        return True
    if not walk_for_one_joker(work):
        return False
    return mark_names_with_other(work, work["jokers_low"] < 2)


@kernel
def _mark_with_one_at_home(work: Work) -> None:
    """Marks what is proved if one of two free jokers keeps its name, one is placed.

    A quick look at the likeliest tables with two jokers; what it misses stays open.
    """
    low, high = work["jokers_low"], work["jokers_high"]
    work["jokers_low"], work["jokers_high"] = 1, 1
    for card in range(NUM_CARD_TYPES):
        if work["home"][card] > 0 and last_open_rank(work) >= 0:
            work["must"][card] += 1
            if walk_for_one_joker(work):
                mark_names(work, low < 2)
                mark_lays(work)
            work["must"][card] -= 1
    work["jokers_low"], work["jokers_high"] = low, high


@outlined
def _mark_slowly(work: Work) -> None:
    """Marks what is open still, however long it takes.

    Walks for all answers together were too wide, but for one of them they mostly are
    not. Of what is open even then, narrow beams settle some together; the rest, and a
    few at once, are asked one by one, at any length.
    """
    _mark_soon(work)
    is_settled = _num_open(work) > FEW_OPEN and _mark_with_beams(work, NUM_QUICK)
    if not is_settled:
        _mark_one_by_one(work)


@kernel
def _mark_soon(work: Work) -> None:
    """Marks what a question for each card tells soon; the rest stays open.

    What is ruled out is asked no more: such cards are not laid, such names barred.
    """
    for card in range(NUM_CARD_TYPES):
        if card % NUM_RANKS < work["num_ranks"]:
            if is_lay_open(work, card):
                _lay_soon(work, card)
            if is_name_open(work, card):
                _name_soon(work, card)


@kernel
def _lay_soon(work: Work, card: int) -> None:
    """Marks whether a card may be laid, if that is soon told."""
    may = work["may"][card]
    work["must"][card] += 1
    work["may"][card] = may - 1
    told = is_soon_completable(work)
    work["must"][card] -= 1
    work["may"][card] = 0 if told == 0 else may
    if told == 1:
        work["lay"][card] = 1


@kernel
def _name_soon(work: Work, card: int) -> None:
    """Marks whether a free joker may be placed as this card, if that is soon told."""
    low, high = work["jokers_low"], work["jokers_high"]
    work["must"][card] += 1
    work["jokers_low"], work["jokers_high"] = max(0, low - 1), high - 1
    told = 1 if work["name"][card] == 1 else is_soon_completable(work)
    if told == 1:
        set_name(work, card, low == 0)
    work["is_barred"][card] = told == 0
    work["jokers_low"] = low
    if told == 1 and 0 < low < high and is_soon_completable(work) == 1:
        set_name(work, card, True)
    work["must"][card] -= 1
    work["jokers_high"] = high


@kernel
def _num_open(work: Work) -> int:
    """Returns of how many cards anything is open still."""
    count = 0
    for card in range(NUM_CARD_TYPES):
        if card % NUM_RANKS < work["num_ranks"]:
            count += is_lay_open(work, card) or is_name_open(work, card)
    return count


@outlined
def _mark_with_beams(work: Work, num_widths: int) -> bool:
    """Marks what is open still by walks with beams and jokers as levels.

    Args:
        work: The workspace.
        num_widths: How many widths of beams to try.

    Returns:
        Whether all is settled.
    """
    if last_open_rank(work) < 0:
        return True
    low = work["jokers_low"]
    has_groups_only = begin_walk(work)
    padded_low = work["jokers_low"]
    if has_groups_only:
        work["jokers_low"] = low
        mark_groups_only(work)
        work["jokers_low"] = padded_low
    is_settled = _widen_beams(work, num_widths)
    work["jokers_low"] = low
    return is_settled


@kernel
def _widen_beams(work: Work, num_widths: int) -> bool:
    """Marks with wider and wider beams; False if the widest settles not all."""
    for number in range(num_widths):
        work["beam"] = min(BEAMS[number], work["limit"])
        first, last = first_open_rank(work), last_open_rank(work)
        if last < 0:
            return True
        walk_backward(work, first)
        walk_forward(work, last)
        for rank in range(first, last + 1):
            _mark_rank(work, rank)
        is_settled = True
        for rank in range(first, last + 1):
            is_settled = is_settled and _is_rank_settled(work, rank)
        if is_settled:
            return True
    return False


@outlined
def _mark_rank(work: Work, rank: int) -> None:
    """Marks all that the beams around a rank prove."""
    work["is_relaxed"] = 0
    _find_hull(work, BACKWARD + rank + 1)
    for index in range(work["counts"][rank]):
        face(work, rank, index, rank)
        for at in range(work["num_choices"][rank]):
            if not is_rank_open(work, rank):
                return
            _mark(work, rank, index, at)


@outlined
def _is_rank_settled(work: Work, rank: int) -> bool:
    """Tells whether no join with a relaxed node speaks for an open answer."""
    count, row = work["counts"][rank], BACKWARD + rank + 1
    if work["num_relaxed"][rank] + work["num_relaxed"][row] == 0:
        return True
    if not is_rank_open(work, rank):
        return True
    work["is_relaxed"], work["is_unsettled"] = 1, 0
    _find_hull(work, row)
    for index in range(count + work["num_relaxed"][rank]):
        node = index if index < count else RELAXED + index - count
        face(work, rank, node, rank)
        for at in range(work["num_choices"][rank]):
            _mark(work, rank, node, at)
            if work["is_unsettled"] == 1:
                return False
    return True


@outlined
def _mark(work: Work, rank: int, index: int, at: int) -> None:
    """Marks what one choice of one forward node proves at its rank.

    Joins of two nodes of the beams are looked at, or, if `is_relaxed`, the others.
    """
    if not step_over(work, work["choices"][rank, at, 0]):
        return
    if not _meets_hull(work):
        return
    _step_open(work, rank, at)
    row, is_exact = BACKWARD + rank + 1, work["is_relaxed"] == 0
    if is_exact or index >= RELAXED:
        for after in range(work["counts"][row]):
            _mark_join(work, rank, row, after)
    if not is_exact:
        for after in range(work["num_relaxed"][row]):
            _mark_join(work, rank, row, RELAXED + after)


@kernel
def _find_hull(work: Work, row: int) -> None:
    """Collects what any node of a layer holds, suit by suit and level by level."""
    hull = work["hull"]
    hull[:] = 0
    count = work["counts"][row]
    for index in range(count + work["num_relaxed"][row]):
        node = index if index < count else RELAXED + index - count
        for suit in range(NUM_SUITS):
            for level in range(work["jokers_high"] + 1):
                hull[suit, level] |= work["nodes"][row, node, suit, level]


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
        totals = sums(totals, of_suit)
    return totals & allowed_totals(work) != 0


@kernel
def _step_open(work: Work, rank: int, at: int) -> None:
    """Writes the node after a choice with one more card laid, and with a joker.

    To `more` and `joker`, for the suits of which something is open.
    """
    choice, lifted = work["choices"][rank, at, 0], work["choices"][rank, at, 1]
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        has_lay, has_name = is_lay_open(work, card), is_name_open(work, card)
        for level in range(work["jokers_high"] + 1):
            more, joker = 0, 0
            for placed in range(level + 1):
                below = level - placed
                if has_lay:
                    letter = letter_of(lifted, suit, placed)
                    more |= level_image(work, suit, below, letter)
                if has_name and placed > 0:
                    letter = letter_of(choice, suit, placed)
                    joker |= level_image(work, suit, below, letter)
            work["more"][suit, level] = more
            work["joker"][suit, level] = joker


@kernel
def _mark_join(work: Work, rank: int, row: int, after: int) -> None:
    """Marks what `here` and one node after it prove, if they join."""
    here, allowed = work["here"], allowed_totals(work)
    first = meeting_totals(work, here, 0, row, after)
    second = meeting_totals(work, here, 1, row, after)
    third = meeting_totals(work, here, 2, row, after)
    fourth = meeting_totals(work, here, 3, row, after)
    black, red = sums(first, second), sums(third, fourth)
    if sums(black, red) & allowed == 0:
        return
    _mark_suit(work, rank, 0, row, after, sums(second, red))
    _mark_suit(work, rank, 1, row, after, sums(first, red))
    _mark_suit(work, rank, 2, row, after, sums(fourth, black))
    _mark_suit(work, rank, 3, row, after, sums(third, black))


@kernel
def _mark_suit(
    work: Work, rank: int, suit: int, row: int, after: int, others: int
) -> None:
    """Marks what a join proves for one suit, the other suits' jokers given.

    A join that involves a relaxed node proves nothing, but unsettles.
    """
    card, allowed = suit * NUM_RANKS + rank, allowed_totals(work)
    lays, names = 0, 0
    if is_lay_open(work, card):
        lays = (
            sums(meeting_totals(work, work["more"], suit, row, after), others) & allowed
        )
    if is_name_open(work, card):
        names = (
            sums(meeting_totals(work, work["joker"], suit, row, after), others)
            & allowed
        )
    if work["is_relaxed"] == 1:
        if lays | names != 0:
            work["is_unsettled"] = 1
        return
    if lays != 0:
        work["lay"][card] = 1
    if names != 0:
        is_more = work["is_padded"] == 1 or names >> (work["jokers_low"] + 1) != 0
        set_name(work, card, is_more)


@kernel
def _mark_one_by_one(work: Work) -> None:
    """Marks the same as `_mark_rank` for all ranks, by a question for each card."""
    work["slow_answers"] += 1
    for card in range(NUM_CARD_TYPES):
        if card % NUM_RANKS >= work["num_ranks"]:
            continue
        if is_lay_open(work, card):
            work["must"][card] += 1
            work["may"][card] -= 1
            if is_completable(work):
                work["lay"][card] = 1
            work["must"][card] -= 1
            work["may"][card] += 1
        if is_name_open(work, card):
            _name_one(work, card)


@kernel
def _name_one(work: Work, card: int) -> None:
    """Asks whether a free joker may be placed as this card."""
    low, high = work["jokers_low"], work["jokers_high"]
    work["must"][card] += 1
    work["jokers_high"] = high - 1
    work["jokers_low"] = max(0, low - 1)
    if work["name"][card] == 0 and is_completable(work):
        set_name(work, card, False)
    work["jokers_low"] = low
    if work["name_more"][card] == 0 and low < high and is_completable(work):
        set_name(work, card, True)
    work["must"][card] -= 1
    work["jokers_high"] = high
