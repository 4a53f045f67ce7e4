"""Where one free joker may go: names, and cards that may be laid with its help.

**Names.** A joker may be named `d` iff some node before the rank of `d`, a choice with
a joker as `d`, and a node behind join. No other joker is free, so plain layers serve.

**A card and a joker.** A card may be laid with the help of one joker iff some place
for the joker completes the table with the card. From the card's rank walk outwards,
forward and backward, with the card laid (plain layers again); at each rank try the
joker (`_joins_with_joker`). The help is nearly always near; without it the walk soon
dies. With two free jokers a name is such a question too: one joker is the card.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.kernel.answers import (
    first_open_rank,
    is_lay_open,
    is_name_open,
    last_open_rank,
    set_name,
)
from rummy_env.kernel.choices import letter_of
from rummy_env.kernel.jit import inlined, kernel, outlined
from rummy_env.kernel.plain import (
    advance_plain,
    begin_plain,
    finish_layer,
    image,
    insert_plain,
    is_covered_plain,
    look_at,
    meets_layer,
    move_plain,
    needs_few,
    plain_room,
    step_suit,
    walk_plain_backward,
    walk_plain_forward,
)
from rummy_env.kernel.workspace import BACKWARD, HULL, OUT

Work = Any
"""A record of `workspace.WORKSPACE`."""

NO_SUIT: Final = -1
ALL_SUITS: Final = (1 << NUM_SUITS) - 1
NOTHING: Final = 0
NAMED: Final = 1
LAID: Final = 2
"""What a card is that a walk goes out from: a joker's name, or laid from the hand."""
NO_NAME: Final = -1
TOO_WIDE: Final = -2


@inlined
def _letter(work: Work, rank: int, at: int, suit: int, extra: int, jokers: int) -> int:
    """Returns the letter of a suit in a choice, with so many jokers placed there.

    Args:
        work: The workspace.
        rank: The rank stepped over.
        at: The choice.
        suit: The suit.
        extra: What else the suit has there: NOTHING, or one card LAID or NAMED.
        jokers: 0 or 1, those beyond the one NAMED.
    """
    if extra == LAID:
        return letter_of(work["choices"][rank, at, 1], suit, jokers)
    return letter_of(work["choices"][rank, at, 0], suit, jokers + extra)


@kernel
def _goes_out(work: Work, rank: int, at: int, suit_of: int, kind: int) -> bool:
    """Writes the step of a choice with a card LAID or NAMED in a suit to `zero`."""
    for suit in range(NUM_SUITS):
        extra = kind if suit == suit_of else NOTHING
        if not step_suit(work, suit, _letter(work, rank, at, suit, extra, 0)):
            return False
    return True


@kernel
def _suits_that_join(
    work: Work, rank: int, at: int, suit_of: int, kind: int, row: int, wanted: int
) -> int:
    """Returns the suits in which a joker makes a choice join a layer, of those wanted.

    Where a suit misses the hull of the layer without a joker, it must be that one.

    Args:
        work: The workspace, looking at a node.
        rank: The rank stepped over.
        at: The choice.
        suit_of: The suit that has one more card, or NO_SUIT.
        kind: What that card is.
        row: The layer.
        wanted: Suits, as bits.
    """
    able = wanted
    for suit in range(NUM_SUITS):
        extra = kind if suit == suit_of else NOTHING
        word = image(work, suit, _letter(work, rank, at, suit, extra, 0))
        work["zero"][suit] = word
        if word & work["plain"][row, HULL, suit] == 0:
            able &= 1 << suit
            if able == 0:
                return 0
    for suit in range(NUM_SUITS):
        if (able >> suit) & 1:
            extra = kind if suit == suit_of else NOTHING
            word = image(work, suit, _letter(work, rank, at, suit, extra, 1))
            work["one"][suit] = word
            if word & work["plain"][row, HULL, suit] == 0:
                able &= ~(1 << suit)
    return _suits_in_layer(work, row, able)


@kernel
def _suits_able(work: Work, rank: int, suit_of: int, row: int, wanted: int) -> int:
    """Returns the suits in which a joker may make any choice join a layer.

    Quickly, by what each suit may do at the rank at the widest without a joker
    (`hulls`, alone): a suit that misses the layer even so must have the joker. All
    those wanted where that is not known.

    Args:
        work: The workspace, looking at a node.
        rank: The rank stepped over.
        suit_of: A suit that has one more card, of which nothing is known, or NO_SUIT.
        row: The layer.
        wanted: Suits, as bits.
    """
    able = wanted
    if work["may_miss"] < NUM_SUITS:
        for suit in range(NUM_SUITS):
            word = image(work, suit, work["widest"][rank, suit])
            if word & work["plain"][row, HULL, suit] == 0 and suit != suit_of:
                able &= 1 << suit
    return able


@kernel
def _suits_in_layer(work: Work, row: int, able: int) -> int:
    """Returns the suits in which a joker makes the step read join a node of a layer."""
    zero, one, found = work["zero"], work["one"], 0
    for joker in range(NUM_SUITS):
        if (able >> joker) & 1:
            without = zero[joker]
            zero[joker] = one[joker]
            if meets_layer(work, row, (zero[0], zero[1], zero[2], zero[3])):
                found |= 1 << joker
            zero[joker] = without
    return found


@kernel
def _joins_with_joker(work: Work, row: int, rank: int, other: int) -> bool:
    """Tells whether a joker at a rank joins two layers, one before, one behind it."""
    for index in range(work["plain_counts"][row]):
        look_at(work, row, index, rank + 1)
        able = _suits_able(work, rank, NO_SUIT, other, ALL_SUITS)
        for at in range(work["num_choices"][rank] if able != 0 else 0):
            if _suits_that_join(work, rank, at, NO_SUIT, LAID, other, able) != 0:
                return True
    return False


@outlined
def walk_for_one_joker(work: Work) -> bool:
    """Prepares plain walks around all that is open; False if too wide."""
    begin_plain(work)
    return walk_around_open(work)


@kernel
def walk_around_open(work: Work) -> bool:
    """Fills the layers around all that is open, prepared; False if too wide."""
    if not walk_plain_backward(work, first_open_rank(work)):
        return False
    return walk_plain_forward(work, last_open_rank(work))


@outlined
def can_place_one(work: Work) -> int:
    """Tells whether one free joker, placed anywhere, completes; -1 if too wide."""
    begin_plain(work)
    if not walk_plain_backward(work, 0):
        return -1
    for rank in range(work["num_ranks"]):
        if _joins_with_joker(work, rank, rank, BACKWARD + rank + 1):
            return 1
        if rank + 1 < work["num_ranks"]:
            if not advance_plain(work, rank, rank + 1, rank + 1):
                return -1
    return 0


@outlined
def can_place_two(work: Work, most: int) -> int:
    """Tells whether two free jokers, placed anywhere, complete.

    Args:
        work: The workspace.
        most: The widest layer to walk with.

    Returns:
        1 or 0; -1 if the walks are too wide to tell.
    """
    limit = work["limit"]
    work["limit"] = min(limit, most)
    found = _find_place_for_two(work)
    work["limit"] = limit
    return found


@kernel
def _find_place_for_two(work: Work) -> int:
    """Tells the same within the limit of the workspace."""
    name = _name_with_other(work, NO_NAME, 0)
    if name == TOO_WIDE:
        return -1
    return 0 if name == NO_NAME else 1


@kernel
def _name_with_other(work: Work, old: int, first: int) -> int:
    """Finds the lowest name that one free joker may have with another's help.

    Args:
        work: The workspace.
        old: A name that is not allowed, or -1.
        first: The first name that is not known to be none.

    Returns:
        The name; `NO_NAME` if there is none, `TOO_WIDE` if the walks cannot tell.
    """
    begin_plain(work)
    last = work["num_ranks"] - 1
    if not (walk_plain_backward(work, 0) and walk_plain_forward(work, last)):
        return TOO_WIDE
    work["needs_two"] = not _is_one_enough(work)
    found = NO_NAME
    for card in range(first, NUM_CARD_TYPES):
        if found == NO_NAME and card % NUM_RANKS <= last and card != old:
            helped = _is_helped(work, card, NAMED)
            if helped != 0:
                found = card if helped == 1 else TOO_WIDE
    work["needs_two"] = 0
    return found


@kernel
def _is_one_enough(work: Work) -> bool:
    """Tells whether one joker completes the table, all layers filled."""
    for rank in range(work["num_ranks"]):
        if _joins_with_joker(work, rank, rank, BACKWARD + rank + 1):
            return True
    return False


@kernel
def _drop_harmless(work: Work, row: int, place: int) -> None:
    """Drops the nodes of a walk out from a joker that gained nothing by it.

    Where one joker is known not to complete: a node that a node without any joker
    covers could be completed by the second joker only if that one could by itself.
    """
    if work["needs_two"] == 0:
        return
    plain, kept = work["plain"], 0
    for index in range(work["plain_counts"][row]):
        for suit in range(NUM_SUITS):
            work["zero"][suit] = plain[row, index, suit]
        if not is_covered_plain(work, place):
            move_plain(work, row, index, kept)
            kept += 1
    finish_layer(work, row, kept)


@kernel
def mark_lays_with_two(work: Work, most: int) -> bool:
    """Marks the cards that may be laid with two jokers' help; False if too wide.

    Args:
        work: The workspace.
        most: The widest layer to walk with.
    """
    is_settled = True
    for card in range(NUM_CARD_TYPES):
        if is_lay_open(work, card):
            work["must"][card] += 1
            work["may"][card] -= 1
            helped = can_place_two(work, most)
            work["must"][card] -= 1
            work["may"][card] += 1
            is_settled = is_settled and helped >= 0
            work["lay"][card] = max(0, helped)
    return is_settled


@outlined
def mark_names(work: Work, is_more: bool) -> None:
    """Marks the names that one joker may have, all others staying."""
    for rank in range(work["num_ranks"]):
        other = BACKWARD + rank + 1
        for index in range(work["plain_counts"][rank]):
            wanted = _open_names(work, rank)
            if wanted == 0:
                break
            look_at(work, rank, index, rank + 1)
            able = _suits_able(work, rank, NO_SUIT, other, wanted)
            for at in range(work["num_choices"][rank] if able != 0 else 0):
                found = _suits_that_join(work, rank, at, NO_SUIT, LAID, other, able)
                for suit in range(NUM_SUITS):
                    if (found >> suit) & 1:
                        set_name(work, suit * NUM_RANKS + rank, is_more)


@kernel
def _open_names(work: Work, rank: int) -> int:
    """Returns the suits, as bits, whose card of a rank is open as a name."""
    suits = 0
    for suit in range(NUM_SUITS):
        if is_name_open(work, suit * NUM_RANKS + rank):
            suits |= 1 << suit
    return suits


@outlined
def mark_lays(work: Work) -> bool:
    """Marks the cards that may be laid with one joker's help; False if too wide."""
    is_settled = True
    for card in range(NUM_CARD_TYPES):
        if is_lay_open(work, card):
            helped = _is_helped(work, card, LAID)
            is_settled = is_settled and helped >= 0
            work["lay"][card] = max(0, helped)
    return is_settled


@outlined
def mark_names_with_other(work: Work, is_more: bool) -> bool:
    """Marks the names one joker may have with another's help; False if too wide.

    Names that are impossible are barred for what is asked next of the same case.
    """
    is_settled = True
    for card in range(NUM_CARD_TYPES):
        if card % NUM_RANKS < work["num_ranks"] and is_name_open(work, card):
            helped = _is_helped(work, card, NAMED)
            is_settled = is_settled and helped >= 0
            work["is_barred"][card] = helped == 0
            if helped == 1:
                set_name(work, card, is_more)
    return is_settled


@outlined
def _is_helped(work: Work, card: int, kind: int) -> int:
    """Tells whether a card and one free joker complete the table; -1 if too wide."""
    if _is_helped_at_rank(work, card, kind):
        return 1
    may_miss = work["may_miss"]
    if kind == NAMED:
        # of two jokers the card is one
        work["may_miss"] = min(may_miss, 1) if may_miss < NUM_SUITS else NUM_SUITS
    helped = _is_helped_after(work, card, kind)
    if helped != 1:
        before = _is_helped_before(work, card, kind)
        helped = before if before == 1 else min(helped, before)
    work["may_miss"] = may_miss
    return helped


@kernel
def _is_helped_at_rank(work: Work, card: int, kind: int) -> bool:
    """Tells whether a joker of the same rank helps a card."""
    rank, suit = card % NUM_RANKS, card // NUM_RANKS
    other = BACKWARD + rank + 1
    for index in range(work["plain_counts"][rank]):
        look_at(work, rank, index, rank + 1)
        able = _suits_able(work, rank, suit, other, ALL_SUITS)
        for at in range(work["num_choices"][rank] if able != 0 else 0):
            if _suits_that_join(work, rank, at, suit, kind, other, able) != 0:
                return True
    return False


@kernel
def _go_out(work: Work, source: int, place: int, card: int, kind: int) -> bool:
    """Fills the first layer of a walk out from a card; False if too wide."""
    rank, suit = card % NUM_RANKS, card // NUM_RANKS
    count = 0
    for index in range(work["plain_counts"][source]):
        look_at(work, source, index, place)
        for at in range(work["num_choices"][rank]):
            if _goes_out(work, rank, at, suit, kind) and needs_few(work):
                count = insert_plain(work, OUT, count)
                if count > plain_room(work):
                    return False
    finish_layer(work, OUT, count)
    _drop_harmless(work, OUT, place)
    return True


@kernel
def _go_on(work: Work, row: int, spare: int, place: int) -> bool:
    """Fills the next layer of a walk out from a card; False if too wide."""
    if not advance_plain(work, row, spare, place):
        return False
    _drop_harmless(work, spare, place)
    return True


@kernel
def _is_helped_after(work: Work, card: int, kind: int) -> int:
    """Tells whether a joker of a higher rank helps a card; -1 if too wide."""
    start = card % NUM_RANKS
    if start + 1 == work["num_ranks"]:
        return 0
    if not _go_out(work, start, start + 1, card, kind):
        return -1
    row, spare = OUT, OUT + 1
    for rank in range(start + 1, work["num_ranks"]):
        if work["plain_counts"][row] == 0:
            return 0
        if _joins_with_joker(work, row, rank, BACKWARD + rank + 1):
            return 1
        if rank + 1 < work["num_ranks"]:
            if not _go_on(work, row, spare, rank + 1):
                return -1
            row, spare = spare, row
    return 0


@kernel
def _is_helped_before(work: Work, card: int, kind: int) -> int:
    """Tells whether a joker of a lower rank helps a card; -1 if too wide."""
    start = card % NUM_RANKS
    if start == 0:
        return 0
    if not _go_out(work, BACKWARD + start + 1, BACKWARD + start, card, kind):
        return -1
    row, spare = OUT, OUT + 1
    for rank in range(start - 1, -1, -1):
        if work["plain_counts"][row] == 0:
            return 0
        if _joins_with_joker(work, rank, rank, row):
            return 1
        if rank > 0:
            if not _go_on(work, row, spare, BACKWARD + rank):
                return -1
            row, spare = spare, row
    return 0


@outlined
def lowest_name(work: Work, old: int) -> int:
    """Returns the lowest name with which one free joker completes.

    Ranks come in ascending order, so once a suit has a name only lower suits matter,
    and the first name in the lowest suit is the lowest of all.

    Args:
        work: The workspace.
        old: A name that is not allowed, or -1.

    Returns:
        The name; `NO_NAME` if there is none, `TOO_WIDE` if the walks cannot tell.
    """
    begin_plain(work)
    if not walk_plain_backward(work, 0):
        return TOO_WIDE
    found, wanted = NO_NAME, ALL_SUITS
    for rank in range(work["num_ranks"]):
        able, behind = _without(wanted, rank, old), BACKWARD + rank + 1
        suit = lowest_suit(work, rank, rank, behind, able)
        if suit != NO_SUIT:
            found = suit * NUM_RANKS + rank
            wanted = (1 << suit) - 1
        if wanted == 0:
            return found
        if rank + 1 < work["num_ranks"]:
            if not advance_plain(work, rank, rank + 1, rank + 1):
                return TOO_WIDE
    return found


@inlined
def _without(suits: int, rank: int, old: int) -> int:
    """Returns suits, as bits, less that of a card if it is of the rank."""
    if old >= 0 and old % NUM_RANKS == rank:
        return suits & ~(1 << (old // NUM_RANKS))
    return suits


@kernel
def lowest_suit(work: Work, row: int, rank: int, other: int, wanted: int) -> int:
    """Returns the lowest suit in which a joker at a rank joins two layers, or NO_SUIT.

    Args:
        work: The workspace.
        row: The layer before the rank.
        rank: The rank.
        other: The layer behind it.
        wanted: The suits asked about, as bits.
    """
    lowest = NO_SUIT
    is_asked = wanted != 0 and work["plain_counts"][other] > 0
    for index in range(work["plain_counts"][row] if is_asked else 0):
        look_at(work, row, index, rank + 1)
        able = _suits_able(work, rank, NO_SUIT, other, wanted)
        for at in range(work["num_choices"][rank] if able != 0 else 0):
            found = _suits_that_join(work, rank, at, NO_SUIT, LAID, other, able)
            if found != 0:
                lowest = 0
                while (found >> lowest) & 1 == 0:
                    lowest += 1
                wanted &= (1 << lowest) - 1
                able &= wanted
            if able == 0:
                break
        if wanted == 0:
            break
    return lowest


@outlined
def lowest_name_of_two(work: Work, old: int, first: int) -> int:
    """Returns the lowest name with which one of two free jokers completes.

    Compiled by itself; see `_name_with_other`.
    """
    return _name_with_other(work, old, first)
