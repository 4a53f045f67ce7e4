"""Tempo: who draws the last card of the stock, and small melds that decide it.

Whoever draws the last card has the last turn of the lap (R20): the others have laid
all they can by then, and that player lays on their melds. Players who wait draw three
cards a turn; a meld after the first or the second draw ends the drawing (R6, R7). So
near the end of the stock a small meld at the right time is worth far more than what it
opens to others.

**The others are taken for players who wait**: three cards each turn. Then it takes a
certain number of small melds to draw the last card, and the fewest are best: each opens
something to the others (`melds_needed`).

**Two players who both know this** play a game of Nim: each takes one to three cards,
and who takes the last wins. It is won by leaving four, whatever the other one does, as
long as there are small melds to lay.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.plans import Plan
from agents.position import Counts, Positions
from agents.prospects import Outlook, Weights, worth
from rummy_env import solver
from rummy_env.actions import LAY
from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS, MAX_CARDS

MOST_DRAWS: Final = 3
_NIM: Final = MOST_DRAWS + 1
NEVER: Final = MAX_CARDS


@cache
def melds_needed(num_players: int, nim_below: int) -> NDArray[np.int64]:
    """Returns how many small melds it takes to draw the last card, `[106 + 1]`.

    By the cards that a player leaves in the stock at the end of a turn; `NEVER` where
    it cannot be done. The others draw three cards a turn.

    Args:
        num_players: How many there are.
        nim_below: With fewer cards left, two players play Nim.
    """
    others = MOST_DRAWS * (num_players - 1)
    leaving = np.full(MAX_CARDS + 1, NEVER, dtype=np.int64)
    leaving[0] = 0
    for left in range(others + 1, MAX_CARDS + 1):
        now = left - others
        leaving[left] = _fewest(leaving, now, 0)
    if num_players == 2:
        leaving[1:nim_below] = NEVER
        leaving[_NIM:nim_below:_NIM] = 0
    return leaving


def _fewest(leaving: NDArray[np.int64], stock: int, draws: int) -> int:
    """Returns the fewest melds needed from some point of a turn on."""
    whole = int(leaving[max(0, stock - (MOST_DRAWS - draws))])
    stops = range(1, min(stock, MOST_DRAWS - 1 - draws) + 1)
    return min([whole, *(int(leaving[stock - more]) + 1 for more in stops)])


def should_stop(positions: Positions, nim_below: int) -> NDArray[np.bool_]:
    """Tells where to lay a little now rather than to draw on, `[B]`.

    Only where a card was drawn and another one could be.
    """
    stock, draws = positions.stock, positions.draws
    num_players = 1 + (positions.opponents > 0).sum(axis=1)
    stops = np.zeros(len(stock), dtype=np.bool_)
    for row in np.flatnonzero((draws > 0) & (draws < MOST_DRAWS) & (stock > 0)):
        leaving = melds_needed(int(num_players[row]), nim_below)
        stops[row] = 1 + int(leaving[stock[row]]) < _fewest(
            leaving, int(stock[row]), int(draws[row])
        )
    return stops


def small_melds(
    positions: Positions, weights: Weights, num_ranks: int
) -> list[list[tuple[float, Plan]]]:
    """Returns the smallest melds of each position with what they are worth.

    Three cards of the hand that are a meld by themselves, and single cards that fit
    the table. No joker is laid or moved.
    """
    shown = [
        (row, cards)
        for row in range(len(positions.old))
        for cards in _small_parts(positions.hand[row], positions.table[row], num_ranks)
    ]
    found: list[list[tuple[float, Plan]]] = [[] for _ in positions.old]
    if not shown:
        return found
    rows = np.array([row for row, _ in shown])
    parts = np.zeros((len(shown), JOKER + 1), dtype=np.int64)
    for number, (_, cards) in enumerate(shown):
        np.add.at(parts[number], cards, 1)
    laid, at = parts[:, :NUM_CARD_TYPES], positions.rows(rows)
    fits = solver.legal_tables(at.table + laid, at.named, num_ranks=num_ranks)
    now = Outlook.now(at)
    after = now._replace(hand=now.hand - parts, table=now.table + laid)
    values = worth(after, weights, num_ranks)
    for number in np.flatnonzero(fits).tolist():
        plan = [LAY + card for card in sorted(shown[number][1])]
        found[rows[number]].append((float(values[number]), plan))
    return found


def _small_parts(hand: Counts, table: Counts, num_ranks: int) -> list[list[int]]:
    """Returns parts of a hand that may be small melds."""
    held = hand[:NUM_CARD_TYPES].reshape(NUM_SUITS, NUM_RANKS) > 0
    parts = [[int(card)] for card in np.flatnonzero(held)] if table.any() else []
    for rank in range(num_ranks):
        suits = np.flatnonzero(held[:, rank])
        cards = [int(suit) * NUM_RANKS + rank for suit in suits]
        parts += [cards[:at] + cards[at + 1 :] for at in range(len(cards))][
            : len(cards) if len(cards) == NUM_SUITS else 0
        ]
        parts += [cards] if len(cards) == NUM_SUITS - 1 else []
    has_high_ace = num_ranks >= FIRST_HIGH_ACE_RANKS
    for suit in range(NUM_SUITS):
        for low in range(num_ranks - 2 + has_high_ace):
            ranks = [(low + step) % num_ranks for step in range(3)]
            if held[suit, ranks].all():
                parts.append([suit * NUM_RANKS + rank for rank in ranks])
    return parts
