"""Scores: what hands are worth, what a round brings, what a game comes to."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.cards import (
    JOKER,
    JOKER_POINTS,
    NUM_CARD_TYPES,
    NUM_SUITS,
    RANK_POINTS,
)
from rummy_env.config import BONUS_TO_ALL_AT, NUM_PLAYERS_AT, TARGET_SCORE_AT
from rummy_env.kernel.jit import entry

RUNNING: Final = 0
BY_KNOCK: Final = 1
BY_GOING_OUT: Final = 2
BY_LAP: Final = 3

UNDERCUT_BONUS: Final = 10
OUT_BONUS: Final = 25
TARGET_BONUS: Final = 100
ROUND_BONUS: Final = 25

RANK_POINT_TABLE: Final = np.array(RANK_POINTS, dtype=np.int64)
"""Points of each rank, int64 `[13]`."""
_CARD_POINTS: Final = np.tile(RANK_POINT_TABLE, NUM_SUITS)
"""Points of each card type, int64 `[52]`."""


@entry
def hand_points(hand: Any) -> int:
    """Returns the points of a hand of counts, `[53]` (R3)."""
    points = int(hand[JOKER]) * JOKER_POINTS
    for card in range(NUM_CARD_TYPES):
        points += hand[card] * _CARD_POINTS[card]
    return points


@entry
def score_round(points: Any, count: int, ended: int, by: int, scores: Any) -> int:
    """Scores a round (R21 to R26).

    Args:
        points: Points in each hand, `[players]`.
        count: How many players there are.
        ended: `BY_KNOCK`, `BY_GOING_OUT` or `BY_LAP`.
        by: Who knocked or went out; ignored after a lap.
        scores: Where each player's score of the round is written, `[players]`.

    Returns:
        Who scores as winner, a bit for each player.
    """
    lowest = points[0]
    total = 0
    for player in range(count):
        lowest = min(lowest, points[player])
        total += points[player]
    winners = 0
    for player in range(count):
        if points[player] == lowest:
            winners |= 1 << player
    if ended == BY_KNOCK and winners != 1 << by:
        winners &= ~(1 << by)  # a tied knocker loses the tie (R22)
    bonus = 0
    if ended == BY_GOING_OUT:
        bonus = OUT_BONUS
    elif ended == BY_KNOCK and winners != 1 << by:
        bonus = UNDERCUT_BONUS
    for player in range(count):
        is_winner = (winners >> player) & 1
        scores[player] = is_winner * (total - count * lowest + bonus)
    return winners


@entry
def total_game(scores: Any, rounds_won: Any, config: Any, totals: Any) -> int:
    """Adds the bonuses at the end of a game (R28, R29).

    Args:
        scores: Scores so far, `[players]`; some reach the target.
        rounds_won: Rounds each player won, `[players]`.
        config: The options.
        totals: Where the totals are written, `[players]`.

    Returns:
        Who has the highest total, a bit for each player.
    """
    best = -1
    winners = 0
    for player in range(config[NUM_PLAYERS_AT]):
        total = int(scores[player])
        is_at_target = total >= config[TARGET_SCORE_AT]
        if is_at_target:
            total += TARGET_BONUS
        if not is_at_target or config[BONUS_TO_ALL_AT] == 1:
            total += ROUND_BONUS * rounds_won[player]
        totals[player] = total
        if total > best:
            best, winners = total, 0
        if total == best:
            winners |= 1 << player
    return winners
