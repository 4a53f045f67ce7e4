"""What a batch of observations says, as whole numbers: cards counted, sizes, flags.

Scripted agents think in cards. All of it is read from the observations alone, so it is
what the player to act may know.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rummy_env import solver
from rummy_env.actions import LAY
from rummy_env.cards import JOKER, POINTS
from rummy_env.config import MIN_PLAYERS
from rummy_env.observation import view

# What `observation.SECTIONS` says that numbers are divided by.
_PER_HAND = 20
_PER_STOCK = 100
_NO_CARD = -1

Counts = NDArray[np.int64]


class Positions(NamedTuple):
    """Positions of a batch, each as the player to act sees it.

    Attributes:
        table: Real cards on the table, `[B, 52]`.
        named: Jokers on the table by name, `[B, 52]`.
        locked: Those of them named this turn, `[B, 52]`.
        laid: Real cards laid this turn, `[B, 52]`.
        hand: The own hand, jokers last, `[B, 53]`.
        unseen: Cards neither held nor on the table, jokers last, `[B, 53]`.
        old: The name that a waiting joker gave up, or -1, `[B]`.
        opponents: Cards of each opponent in seat order, 0 for none, `[B, 4]`.
        stock: Cards left in the stock, `[B]`.
        draws: Cards drawn this turn, `[B]`.
        is_lap: Whether it is the last lap, 1 or 0, `[B]`.
        lap_left: Turns left in it, this one included, or 0, `[B]`.
    """

    table: Counts
    named: Counts
    locked: Counts
    laid: Counts
    hand: Counts
    unseen: Counts
    old: Counts
    opponents: Counts
    stock: Counts
    draws: Counts
    is_lap: Counts
    lap_left: Counts

    def rows(self, index: NDArray[Any]) -> Self:
        """Returns some of the positions, by index or mask."""
        return type(self)(*(array[index] for array in self))


def read(observations: NDArray[np.float32]) -> Positions:
    """Returns what observations `[B, D]` say."""
    released = _counts(observations, "released")
    num_players = view(observations, "num_players").argmax(axis=1) + MIN_PLAYERS
    opponents = view(observations, "opponents")[:, :, 1]
    return Positions(
        table=_counts(observations, "table"),
        named=_counts(observations, "named"),
        locked=_counts(observations, "locked"),
        laid=_counts(observations, "laid"),
        hand=_with_jokers(observations, "hand", "own_jokers"),
        unseen=_with_jokers(observations, "unseen", "unseen_jokers"),
        old=np.where(released.any(axis=1), released.argmax(axis=1), _NO_CARD),
        opponents=_whole(opponents * _PER_HAND),
        stock=_whole(view(observations, "stock_left")[:, 0] * _PER_STOCK),
        draws=view(observations, "draws").argmax(axis=1),
        is_lap=_whole(view(observations, "is_lap")[:, 0]),
        lap_left=_whole(view(observations, "lap_left")[:, 0] * num_players),
    )


def best_melds(
    positions: Positions,
    num_ranks: int,
    objective: str = "points",
    width: int | None = None,
) -> solver.Melds:
    """Returns the best meld of each position; see `solver.best_melds`."""
    return solver.best_melds(
        table=positions.table,
        named=positions.named,
        locked=positions.locked,
        hand=positions.hand,
        old=positions.old,
        objective=objective,
        num_ranks=num_ranks,
        width=width,
    )


def melds_that_leave(
    positions: Positions, most: int, num_ranks: int
) -> tuple[NDArray[np.int64], solver.Melds]:
    """Finds melds that leave few points in hand, much quicker than the best melds.

    Cards of more points must be laid, so they are put on the table as the question
    is asked, and whether it can be made legal is soon known.

    Args:
        positions: Positions at which nothing is laid yet.
        most: The most points to leave.
        num_ranks: Ranks in play.

    Returns:
        The positions that have such melds, by index, and the melds, each
        with at least a card to lay.
    """
    forced = np.where(POINTS[:JOKER] > most, positions.hand[:, :JOKER], 0)
    hand = positions.hand.copy()
    hand[:, :JOKER] -= forced
    asked = positions._replace(table=positions.table + forced, hand=hand)
    melds = best_melds(asked, num_ranks)
    left = hand_after(asked, melds)
    lays = (melds.plans[:, 0] != _NO_CARD) | forced.any(axis=1)
    found = np.flatnonzero(melds.exists & lays & (left @ POINTS <= most))
    plans = [_with_forced(forced[row], melds.plans[row]) for row in found]
    longest = max((len(plan) for plan in plans), default=1)
    padded = np.full((len(found), longest), _NO_CARD, dtype=np.int64)
    for plan, into in zip(plans, padded, strict=True):
        into[: len(plan)] = plan
    return found, some_melds(melds, found)._replace(plans=padded)


def _with_forced(forced: Counts, plan: Counts) -> Counts:
    """Returns a plan that lays some cards first."""
    first = LAY + np.repeat(np.arange(JOKER), forced)
    return np.concatenate([first, plan[plan != _NO_CARD]])


def some_melds(melds: solver.Melds, index: NDArray[Any]) -> solver.Melds:
    """Returns some of the melds, by index or mask."""
    return solver.Melds(
        melds.plans[index], melds.table[index], melds.named[index], melds.exists[index]
    )


def hand_after(positions: Positions, melds: solver.Melds) -> Counts:
    """Returns what the melds leave in hand, jokers last, `[B, 53]`."""
    jokers = melds.named.sum(axis=1) - positions.named.sum(axis=1)
    jokers -= positions.old != _NO_CARD
    laid = np.concatenate([melds.table - positions.table, jokers[:, None]], axis=1)
    return np.asarray(positions.hand - laid)


def _whole(values: NDArray[np.float32]) -> Counts:
    """Returns numbers that are whole but for rounding as whole numbers."""
    return np.rint(values).astype(np.int64)


def _counts(observations: NDArray[np.float32], name: str) -> Counts:
    """Returns copies of each card from a section of planes, `[B, 52]`."""
    planes = view(observations, name).reshape(len(observations), -1, 52)
    return _whole(planes.sum(axis=1))


def _with_jokers(observations: NDArray[np.float32], name: str, jokers: str) -> Counts:
    """Returns copies of each card and, last, of the joker, `[B, 53]`."""
    count = _whole(view(observations, jokers) * 2)
    return np.concatenate([_counts(observations, name), count], axis=1)
