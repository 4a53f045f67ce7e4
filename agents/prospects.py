"""What a hand and a table are worth to the player whose turn ends there.

Estimates from what the player sees: what stays in hand, what is laid open to others,
how likely an undercut is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agents.position import Counts, Positions
from rummy_env import solver
from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS, POINTS
from rummy_env.config import FIRST_HIGH_ACE_RANKS

_SAVED_BY_JOKER: Final = 3
"""Kinds of card, at most, that a joker alone lets be laid: two on a side, one on the
other, where the table has nothing beside them."""
_CARDS_OF_POINTS: Final = [
    np.flatnonzero(POINTS[:NUM_CARD_TYPES] == points) for points in range(11)
]


class Outlook(NamedTuple):
    """A turn's possible ends, one a row, as the player sees them.

    Attributes:
        table: Cards on the table, jokers as what they are named, `[K, 52]`.
        hand: The own hand, jokers last, `[K, 53]`.
        unseen: Cards neither held nor on the table, jokers last, `[K, 53]`.
        opponents: Cards of each opponent, 0 for none, `[K, 4]`.
        num_named: Jokers on the table, `[K]`.
    """

    table: Counts
    hand: Counts
    unseen: Counts
    opponents: Counts
    num_named: Counts

    @classmethod
    def now(cls, positions: Positions) -> Self:
        """Returns the outlook of positions as they are."""
        return cls(
            table=positions.table + positions.named,
            hand=positions.hand,
            unseen=positions.unseen,
            opponents=positions.opponents,
            num_named=positions.named.sum(axis=1),
        )

    @classmethod
    def after(cls, positions: Positions, melds: solver.Melds, hand: Counts) -> Self:
        """Returns the outlook after melds that leave a hand."""
        now = cls.now(positions)
        return now._replace(
            table=melds.table + melds.named,
            hand=hand,
            num_named=melds.named.sum(axis=1),
        )

    def rows(self, index: NDArray[Any]) -> Self:
        """Returns some of the ends, by index or mask."""
        return type(self)(*(array[index] for array in self))


@dataclass(frozen=True, kw_only=True)
class Weights:
    """What each fact at the end of a turn is worth, in points of score.

    Fitted to the ends of 49,000 turns of two players who both melded greedily, with
    one move in four at random: least squares on the score of the round less the
    other's, standard errors in parentheses.

    Attributes:
        cards: Of each card in the own hand (0.4).
        points: Of each point in it (0.02).
        pairs: Of each card in it that the table and the other cards of the hand could
            make a meld with, if they could be taken freely (0.2).
        one_left: Of exactly one card (0.9).
        two_left: Of exactly two (0.7).
        open: Of the share of unseen cards that fit the table as it lies: a fourth of a
            group, an end of a long run, a place where a run of six splits (3.9).
        half_open: Of the share of unseen cards that two cards of the table would make
            a meld with (3.2).
    """

    cards: float = -0.8
    points: float = -0.07
    pairs: float = 1.0
    one_left: float = 2.9
    two_left: float = 2.1
    open: float = -11.7
    half_open: float = -9.8


def facts(outlook: Outlook, num_ranks: int) -> dict[str, NDArray[np.float64]]:
    """Returns the facts that `Weights` names about ends of turns, `[K]` each."""
    hand, on_table = _planes(outlook.hand[:, :JOKER]), _planes(outlook.table) > 0
    fits, half_fits = _fits(on_table, num_ranks)
    _, pairs = _fits(on_table | (hand > 0), num_ranks)
    unseen = _planes(outlook.unseen[:, :JOKER])
    total = np.maximum(outlook.unseen.sum(axis=1), 1)
    cards = outlook.hand.sum(axis=1)
    found = {
        "cards": cards,
        "points": outlook.hand @ POINTS,
        "pairs": (hand * pairs).sum(axis=(1, 2)),
        "one_left": cards == 1,
        "two_left": cards == 2,
        "open": (unseen * fits).sum(axis=(1, 2)) / total,
        "half_open": (unseen * half_fits).sum(axis=(1, 2)) / total,
    }
    return {name: fact.astype(np.float64) for name, fact in found.items()}


def worth(outlook: Outlook, weights: Weights, num_ranks: int) -> NDArray[np.float64]:
    """Returns what ends of turns are worth if the round goes on, `[K]`.

    Only differences between ends of one turn mean something.
    """
    value = np.zeros(len(outlook.hand))
    for name, fact in facts(outlook, num_ranks).items():
        value += getattr(weights, name) * fact
    return value


def stranded_points(outlook: Outlook, num_ranks: int) -> NDArray[np.int64]:
    """Returns points that surely stay in hand whatever is laid now, `[K]`.

    Quicker than the solver: cards that no meld of the table and the hand can hold,
    less the dearest that jokers may bring along. It is no more than what the best
    meld leaves.
    """
    hand = _planes(outlook.hand[:, :JOKER])
    _, held = _fits((_planes(outlook.table) > 0) | (hand > 0), num_ranks)
    points = POINTS[:JOKER] * outlook.hand[:, :JOKER] * ~held.reshape(-1, JOKER)
    jokers = outlook.hand[:, JOKER] + outlook.num_named
    dearest = np.sort(points, axis=1)[:, ::-1].cumsum(axis=1)
    dearest = np.concatenate([np.zeros((len(points), 1), np.int64), dearest], axis=1)
    saved = dearest[np.arange(len(points)), _SAVED_BY_JOKER * jokers]
    return np.asarray(points.sum(axis=1) - saved)


def _planes(cards: Counts) -> Counts:
    """Returns counts of cards by suit and rank, `[K, 4, 13]`."""
    return cards.reshape(-1, NUM_SUITS, NUM_RANKS)


def undercut_risk(outlook: Outlook) -> NDArray[np.float64]:
    """Returns how likely an opponent holds no more points than the player, `[K]`.

    Opponents' cards are taken for unseen ones, drawn one by one with replacement.
    """
    own = outlook.hand @ POINTS
    most = int(own.max(initial=0))
    total = np.maximum(outlook.unseen.sum(axis=1), 1)
    chance = np.zeros((len(own), most + 1))
    for points in range(1, min(most, 10) + 1):
        cards = _CARDS_OF_POINTS[points]
        chance[:, points] = outlook.unseen[:, cards].sum(axis=1) / total
    safe = np.ones(len(own))
    held = np.zeros((len(own), most + 1))
    held[:, 0] = 1
    at = np.arange(len(own))
    for cards_held in range(1, most + 1):
        held = _with_another(held, chance)
        risk = held.cumsum(axis=1)[at, own]
        safe *= (1 - risk) ** (outlook.opponents == cards_held).sum(axis=1)
    return np.asarray(1 - safe)


def _with_another(
    held: NDArray[np.float64], chance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns the chances of points held with one more card, `[K, points]`."""
    more: NDArray[np.float64] = np.zeros_like(held)
    for points in range(1, held.shape[1]):
        more[:, points:] += held[:, :-points] * chance[:, points : points + 1]
    return more


def _fits(
    present: NDArray[np.bool_], num_ranks: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Returns which cards fit long melds of the cards present, and which any two.

    Whether those cards are free to be taken is not asked.

    Args:
        present: `[K, 4, 13]`.
        num_ranks: Ranks in play.

    Returns:
        Cards beside three of a run or between two and two, or with three of their
        rank; cards that make a meld with two. `[K, 4, 13]` each.
    """
    run = np.zeros((*present.shape[:2], NUM_RANKS + 1), dtype=np.bool_)
    run[..., :NUM_RANKS] = present
    if num_ranks >= FIRST_HIGH_ACE_RANKS:
        run[..., num_ranks] = present[..., 0]
    one, two, three = (_shift(run, -by) for by in (1, 2, 3))
    after_one, after_two, after_three = (_shift(run, by) for by in (1, 2, 3))
    below, above = one & two, after_one & after_two
    long = (below & three) | (above & after_three) | (below & above)
    short = below | above | (one & after_one)
    others = present.sum(axis=1, keepdims=True) - present
    return (
        _fold(long, num_ranks) | (others >= 3),
        _fold(short, num_ranks) | (others >= 2),
    )


def _shift(run: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    """Returns whether the card so many places higher is there."""
    shifted = np.zeros_like(run)
    if by > 0:
        shifted[..., :-by] = run[..., by:]
    else:
        shifted[..., -by:] = run[..., :by]
    return shifted


def _fold(places: NDArray[np.bool_], num_ranks: int) -> NDArray[np.bool_]:
    """Returns cards of places of runs, in which the ace is first and may be last."""
    cards = places[..., :NUM_RANKS].copy()
    if num_ranks >= FIRST_HIGH_ACE_RANKS:
        cards[..., 0] |= places[..., num_ranks]
    return cards
