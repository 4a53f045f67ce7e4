"""Prices: a bound on what can still be laid, from a price on every card.

Give each card a price and let melds, cards of the hand and jokers be bought and sold
one by one: the best that each earns by itself, added up, is at least what a legal
table earns, whatever the prices (Lagrangian duality). Good prices make the bound
close; they are looked for by subgradient steps towards the value to be beaten. All
numbers are whole, in `SCALE` parts of a point, so the bound has no rounding in it.
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
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.automaton import MAX_COPIES
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.scoring import RANK_POINT_TABLE

Work = Any
"""A record of `workspace.WORKSPACE`."""

BY_POINTS: Final = 0
BY_CARDS: Final = 1
SCALE: Final = 1 << 12
_CLOSED: Final = -(1 << 40)
"""The price of a card that cannot be had: no meld with it is worth buying."""
_LONGEST: Final = 5
"""Longer runs are sums of runs of three to five cards."""


@kernel
def value_of(card: int, objective: int) -> int:
    """Returns what laying a card is worth."""
    if objective == BY_CARDS:
        return 1
    if card == JOKER:
        return JOKER_POINTS
    return RANK_POINT_TABLE[card % NUM_RANKS]


@kernel
def _is_free(work: Work, card: int) -> bool:
    """Tells whether jokers of this name may leave it, if need be for a card laid."""
    return work["table"][card] + work["open"][card] > 0


@kernel
def _find_supply(work: Work) -> None:
    """Writes which copies must lie and how many may; counts the free jokers."""
    jokers = work["pending"]
    for card in range(NUM_CARD_TYPES):
        lying = work["table"][card] + work["named"][card]
        if _is_free(work, card):
            moving = work["named"][card] - work["locked"][card]
            lying -= moving
            jokers += moving
        work["lying"][card] = lying
    work["free_jokers"] = jokers
    most = jokers + work["open"][JOKER]
    for card in range(NUM_CARD_TYPES):
        present = work["lying"][card] + work["open"][card]
        work["most_copies"][card] = min(MAX_COPIES, present + most)


@kernel
def _price_cards(work: Work, objective: int) -> int:
    """Returns what the cards earn: those that lie are paid for, others may be laid."""
    total = 0
    for card in range(NUM_CARD_TYPES):
        price, lying = work["price"][card], work["lying"][card]
        total -= price * lying
        work["excess"][card] = -lying
        gain = value_of(card, objective) * SCALE - price
        if gain > 0:
            total += gain * work["open"][card]
            work["excess"][card] -= work["open"][card]
    return total


@kernel
def _price_jokers(work: Work, objective: int) -> int:
    """Returns what the jokers earn, all of them as the cheapest card."""
    cheapest = 0
    for card in range(NUM_CARD_TYPES):
        if card % NUM_RANKS < work["num_ranks"]:
            if work["price"][card] < work["price"][cheapest]:
                cheapest = card
    price, count = work["price"][cheapest], work["free_jokers"]
    total = -price * count
    gain = value_of(JOKER, objective) * SCALE - price
    if gain > 0:
        total += gain * work["open"][JOKER]
        count += work["open"][JOKER]
    work["excess"][cheapest] -= count
    return total


@kernel
def _meld_price(work: Work, card: int) -> int:
    """Returns what a card earns in a meld."""
    return work["price"][card] if work["most_copies"][card] > 0 else _CLOSED


@kernel
def _price_groups(work: Work, rank: int) -> int:
    """Returns what the groups of a rank earn: as many of the best as may be."""
    total, lowest, copies = 0, 0, 0
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        total += _meld_price(work, card)
        copies += work["most_copies"][card]
        if _meld_price(work, card) < _meld_price(work, lowest * NUM_RANKS + rank):
            lowest = suit
    least = _meld_price(work, lowest * NUM_RANKS + rank)
    total -= min(0, least)
    if total <= 0:
        return 0
    count = copies // 3
    for suit in range(NUM_SUITS):
        if suit != lowest or least > 0:
            work["excess"][suit * NUM_RANKS + rank] += count
    return total * count


@kernel
def _price_runs(work: Work, suit: int) -> int:
    """Returns what the runs of a suit earn.

    Runs that cover no card more than k times fill k rows in which they do not
    overlap, so this is k times what the best row earns.
    """
    ranks, best, length = work["num_ranks"], work["row_best"], work["row_length"]
    places = ranks + 1 if ranks >= FIRST_HIGH_ACE_RANKS else ranks
    best[0] = 0
    rows = 0
    for place in range(places):
        rows = max(rows, work["most_copies"][suit * NUM_RANKS + place % ranks])
        best[place + 1], length[place + 1] = best[place], 0
        total = 0
        for size in range(1, min(_LONGEST, place + 1) + 1):
            card = suit * NUM_RANKS + (place + 1 - size) % ranks
            total += _meld_price(work, card)
            if size >= 3 and best[place + 1 - size] + total > best[place + 1]:
                best[place + 1] = best[place + 1 - size] + total
                length[place + 1] = size
    place = places
    while place > 0:
        for back in range(1, length[place] + 1):
            work["excess"][suit * NUM_RANKS + (place - back) % ranks] += rows
        place -= max(1, length[place])
    return best[places] * rows


@kernel
def _price_all(work: Work, objective: int) -> int:
    """Returns the bound; writes how many copies too many are bought of each card."""
    total = _price_cards(work, objective) + _price_jokers(work, objective)
    for rank in range(work["num_ranks"]):
        total += _price_groups(work, rank)
    for suit in range(NUM_SUITS):
        total += _price_runs(work, suit)
    return total


@kernel
def _adjust(work: Work, surplus: int) -> bool:
    """Lowers the prices of what is bought too often, and raises the others.

    Returns:
        Whether anything changed.
    """
    norm = 0
    for card in range(NUM_CARD_TYPES):
        norm += work["excess"][card] * work["excess"][card]
    if norm == 0:
        return False
    for card in range(NUM_CARD_TYPES):
        work["price"][card] -= surplus * work["excess"][card] // norm
    return True


@kernel
def may_gain(work: Work, gain: int, objective: int, rounds: int) -> bool:
    """Tells whether the open cards may bring a gain; False is proven.

    Prices are those of the last call, adjusted. Writes `price_bound`, the least bound
    that was seen.

    Args:
        work: The workspace, its open cards known.
        gain: What is to be reached.
        objective: `BY_POINTS` or `BY_CARDS`.
        rounds: How often the prices are adjusted.
    """
    _find_supply(work)
    for index in range(rounds):
        bound = _price_all(work, objective)
        if index == 0 or bound // SCALE < work["price_bound"]:
            work["price_bound"] = bound // SCALE
        if bound < gain * SCALE:
            return False
        if not _adjust(work, bound - gain * SCALE + 1):
            return True
    return True
