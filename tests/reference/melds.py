"""All melds, and whether a table splits into them (R10, R11, R17).

A multiset of cards is held as one integer with a field of four bits for each card
type, so that taking a meld off a table is a subtraction. Rank comes before suit:
the lowest field in use is the lowest rank left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import combinations

from rummy_env.cards import NUM_RANKS, NUM_SUITS, rank_of, suit_of

Meld = tuple[int, ...]
"""Card types of a group by suit, or of a run from its low end."""

LONGEST_PIECE = 5
"""Longer runs are sums of runs of three to five cards."""

NUM_CARDS = NUM_SUITS * NUM_RANKS
FIELD = 4
"""The bits of a card type."""
RANK = FIELD * NUM_SUITS
"""The bits of a rank."""
ONES = sum(1 << FIELD * field for field in range(NUM_CARDS))
"""One copy of every card type."""
SEVENS = 7 * ONES
GUARDS = 8 * ONES
"""The top bit of every field: counts stay below it."""
ACES = ONES & (1 << RANK) - 1
ALL_SUITS = ACES
"""A factor that copies a card of the first suit to all suits of its rank."""
FIRST_SUIT = sum(1 << RANK * rank for rank in range(NUM_RANKS))


def all_groups(num_ranks: int) -> list[Meld]:
    """Returns every group: three or four suits of one rank (R10)."""
    return [
        tuple(suit * NUM_RANKS + rank for suit in suits)
        for rank in range(num_ranks)
        for size in (3, 4)
        for suits in combinations(range(NUM_SUITS), size)
    ]


def all_runs(num_ranks: int, longest: int = NUM_RANKS) -> list[Meld]:
    """Returns every run of three to `longest` cards (R11).

    The ace closes the sequence of ranks a second time from five ranks on. No run
    is longer than the ranks in play, so none holds both aces.
    """
    ranks = list(range(num_ranks)) + ([0] if num_ranks >= 5 else [])
    return [
        tuple(suit * NUM_RANKS + rank for rank in ranks[start : start + length])
        for suit in range(NUM_SUITS)
        for length in range(3, min(longest, num_ranks) + 1)
        for start in range(len(ranks) - length + 1)
    ]


def all_melds(num_ranks: int) -> list[Meld]:
    """Returns every group and every run, of any length."""
    return all_groups(num_ranks) + all_runs(num_ranks)


@cache
def field_of(card: int) -> int:
    """Returns the field of a card type in a packed multiset."""
    return rank_of(card) * NUM_SUITS + suit_of(card)


def card_of(field: int) -> int:
    """Returns the card type of a field."""
    return field % NUM_SUITS * NUM_RANKS + field // NUM_SUITS


@cache
def unit(card: int) -> int:
    """Returns the packed multiset of one card."""
    return 1 << FIELD * field_of(card)


def pack(cards: Iterable[int]) -> int:
    """Returns the packed multiset of cards, each at most seven times."""
    return sum(unit(card) for card in cards)


def pack_counts(counts: Sequence[int]) -> int:
    """Returns the packed multiset of `[52]` counts."""
    return sum(int(n) * unit(card) for card, n in enumerate(counts[:NUM_CARDS]) if n)


@lru_cache(maxsize=1 << 16)
def unpack(bag: int) -> tuple[int, ...]:
    """Returns the card types of a packed multiset, with repeats, in rank order."""
    cards = []
    while bag:
        field = lowest_field(bag)
        cards.append(card_of(field))
        bag -= 1 << FIELD * field
    return tuple(cards)


def lowest_field(bag: int) -> int:
    """Returns the lowest field in use of a packed multiset that is not empty."""
    return ((bag & -bag).bit_length() - 1) // FIELD


def contains(bag: int, part: int) -> bool:
    """Returns whether a packed multiset holds all of another."""
    return ((bag | GUARDS) - part) & GUARDS == GUARDS


def present(bag: int) -> int:
    """Returns a packed set: one copy of each card type of a packed multiset."""
    return (bag + SEVENS & GUARDS) >> FIELD - 1


def supported(cards: int, num_ranks: int) -> int:
    """Returns which of a packed set of cards are in any meld made of them alone."""
    line = cards
    if num_ranks >= 5:
        line |= (cards & ACES) << RANK * num_ranks
    starts = line & line >> RANK & line >> 2 * RANK
    runs = starts | starts << RANK | starts << 2 * RANK
    runs |= runs >> RANK * num_ranks
    c, d, h, s = (cards >> FIELD * suit & FIRST_SUIT for suit in range(NUM_SUITS))
    groups = ALL_SUITS * (c & d & (h | s) | h & s & (c | d))
    return cards & (runs | groups)


@cache
def pieces(num_ranks: int) -> dict[int, list[tuple[int, Meld]]]:
    """Returns groups and runs of up to five cards, packed, by their lowest field.

    The lowest field of a run with the high ace is the ace, as of one with the low.
    """
    found: dict[int, list[tuple[int, Meld]]] = {}
    for meld in all_groups(num_ranks) + all_runs(num_ranks, LONGEST_PIECE):
        lowest = min(field_of(card) for card in meld)
        found.setdefault(lowest, []).append((pack(meld), meld))
    return found


@lru_cache(maxsize=1 << 18)
def splits(bag: int, num_ranks: int) -> bool:
    """Returns whether a packed multiset splits into melds: an exact cover."""
    if not bag:
        return True
    return any(
        splits(bag - piece, num_ranks)
        for piece, _ in pieces(num_ranks).get(lowest_field(bag), [])
        if contains(bag, piece)
    )


def is_legal_table(counts: Sequence[int], num_ranks: int = NUM_RANKS) -> bool:
    """Returns whether effective cards form a legal table (R12).

    Args:
        counts: Copies of each card type, real and named together, `[52]`.
        num_ranks: Ranks in play.
    """
    return splits(pack_counts(counts), num_ranks)


def some_layout(counts: Sequence[int], num_ranks: int = NUM_RANKS) -> list[Meld] | None:
    """Returns melds that the effective cards `[52]` form, or None."""
    bag = pack_counts(counts)
    if not splits(bag, num_ranks):
        return None
    layout = []
    while bag:
        piece, meld = next(
            (piece, meld)
            for piece, meld in pieces(num_ranks)[lowest_field(bag)]
            if contains(bag, piece) and splits(bag - piece, num_ranks)
        )
        layout.append(meld)
        bag -= piece
    return layout
