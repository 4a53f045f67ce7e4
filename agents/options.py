"""What a player may decide before anything is laid: to wait, or one of some melds.

Options are whole melds, as DouZero's actions are whole combinations of cards (Zha et
al., 2021): there are few of them, and what each leads to is known but for the draws.
So a network can judge them one by one, from what they leave (`features`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.plans import Plan
from agents.position import Counts, Positions, best_melds, hand_after
from agents.prospects import Outlook, Weights, facts, stranded_points
from agents.tempo import MOST_DRAWS, small_melds
from rummy_env.actions import LAY
from rummy_env.cards import JOKER, NUM_CARD_TYPES, POINTS
from rummy_env.config import MAX_PLAYERS

WAIT: Final = 0
WHOLE: Final = 1
SMALL: Final = 2
_NUM_KINDS: Final = 3
_NONE: Final = -1
_MOST_STOCK: Final = 31
_NUM_DRAWS: Final = 4
_FACTS: Final = {
    "cards": 20,
    "points": 100,
    "pairs": 10,
    "one_left": 1,
    "two_left": 1,
    "open": 1,
    "half_open": 1,
}
"""The facts of `prospects` and what each is divided by."""


@dataclass(frozen=True, kw_only=True)
class OptionConfig:
    """Which options there are: to wait, the best meld, small ones.

    Attributes:
        window: With more cards in the stock nothing is laid, unless it may end the
            round or is small.
        small_window: With more cards in the stock no small meld is laid; null for the
            window. Against players who keep tempo (`tempo`) it is needed long before
            the end.
        content: Points that the best meld must leave, at most, to be an option
            before.
        num_small: The most small melds to choose from.
        width: Nodes that the search for the best meld keeps at each rank; a hundred
            cost little and miss little (`solver.best_melds`). Null finds it for sure.
        head_start: Points by which an option must look better than what the expert
            would do, to be taken instead; 0 asks no expert.

    Raises:
        ValueError: A value is out of range.
    """

    window: int = 24
    small_window: int | None = None
    content: int = 5
    num_small: int = 3
    width: int | None = None
    head_start: float = 0.0

    def __post_init__(self) -> None:
        """Checks the values."""
        for name in ("window", "content", "num_small", "head_start"):
            if getattr(self, name) < 0:
                raise ValueError(
                    f"options.{name} is 0 or more, not {getattr(self, name)}"
                )
        if self.small_window is not None and self.small_window < 0:
            raise ValueError(
                f"options.small_window is 0 or more or null, not {self.small_window}"
            )
        if self.width is not None and self.width < 1:
            raise ValueError(f"options.width is 1 or more or null, not {self.width}")


class Options(NamedTuple):
    """Options of some positions, those of one position one after the other.

    Attributes:
        row: The position of each, ascending, `[K]`.
        kind: `WAIT`, `WHOLE` or `SMALL`, `[K]`.
        plans: What each lays, K of them.
        outlook: What each leaves, K rows.
    """

    row: Counts
    kind: Counts
    plans: list[Plan]
    outlook: Outlook


def find_options(positions: Positions, config: OptionConfig, num_ranks: int) -> Options:
    """Returns what may be decided at positions at which nothing is laid yet."""
    now = Outlook.now(positions)
    rows = np.arange(len(positions.old))
    is_lap = positions.is_lap == 1
    is_near = is_lap | (positions.stock <= config.window)
    may_end = stranded_points(now, num_ranks) <= config.content
    whole = _whole_melds(
        positions, np.flatnonzero(is_near | may_end), config.width, num_ranks
    )
    most = config.window if config.small_window is None else config.small_window
    has_small = ~is_lap & (positions.stock <= most)
    small = _small_melds(
        positions, np.flatnonzero(has_small), config.num_small, num_ranks
    )
    wait = Options(rows, np.full(len(rows), WAIT), [[] for _ in rows], now)
    return _joined([wait, whole, small])


def _whole_melds(
    positions: Positions, rows: Counts, width: int | None, num_ranks: int
) -> Options:
    """Returns the melds of most points."""
    asked = positions.rows(rows)
    melds = best_melds(asked, num_ranks, width=width)
    outlook = Outlook.after(asked, melds, hand_after(asked, melds))
    lays = melds.plans[:, 0] != _NONE
    plans = [plan[plan != _NONE].tolist() for plan in melds.plans[lays]]
    kind = np.full(len(plans), WHOLE)
    return Options(rows[lays], kind, plans, outlook.rows(lays))


def _small_melds(
    positions: Positions, rows: Counts, most: int, num_ranks: int
) -> Options:
    """Returns the small melds that are worth most."""
    asked = positions.rows(rows)
    found = small_melds(asked, Weights(), num_ranks)
    chosen = [
        (at, plan)
        for at, melds in enumerate(found)
        for _, plan in sorted(melds, reverse=True)[:most]
    ]
    row = np.array([at for at, _ in chosen], dtype=np.int64)
    plans = [plan for _, plan in chosen]
    laid = np.zeros((len(plans), JOKER + 1), dtype=np.int64)
    for number, plan in enumerate(plans):
        np.add.at(laid[number], np.array(plan) - LAY, 1)
    before = Outlook.now(asked).rows(row)
    after = before._replace(
        hand=before.hand - laid, table=before.table + laid[:, :NUM_CARD_TYPES]
    )
    return Options(rows[row], np.full(len(plans), SMALL), plans, after)


def _joined(parts: list[Options]) -> Options:
    """Returns options as one, ordered by position; within one as given."""
    row = np.concatenate([part.row for part in parts])
    order = np.argsort(row, kind="stable")
    plans = [plan for part in parts for plan in part.plans]
    outlook = Outlook(
        *(
            np.concatenate(arrays)
            for arrays in zip(*(part.outlook for part in parts), strict=True)
        )
    )
    return Options(
        row[order],
        np.concatenate([part.kind for part in parts])[order],
        [plans[number] for number in order],
        outlook.rows(order),
    )


def features(
    positions: Positions, options: Options, num_ranks: int
) -> NDArray[np.float32]:
    """Returns what is known of each option, float32 `[K, NUM_FEATURES]`.

    The cards come first, 52 of a kind, so that suits can be exchanged (`CARD_PLANES`).
    All but `SHARES` are halves: 0, 0.5, 1 and so on.
    """
    outlook, row = options.outlook, options.row
    count = len(row)
    known = facts(outlook, num_ranks)
    at = np.arange(count)
    tempo = np.zeros((count, _NUM_DRAWS * (_MOST_STOCK + 1) * 2), dtype=np.float32)
    stock = _stock_told(positions)[row]
    lays = (options.kind != WAIT).astype(np.int64)
    place = (lays * _NUM_DRAWS + positions.draws[row]) * (_MOST_STOCK + 1) + stock
    tempo[at, place] = 1
    kinds = np.zeros((count, _NUM_KINDS), dtype=np.float32)
    kinds[at, options.kind] = 1
    lap = np.zeros((count, MAX_PLAYERS + 1), dtype=np.float32)
    lap[at, positions.lap_left[row]] = 1
    jokers = np.stack(
        [outlook.hand[:, JOKER], outlook.unseen[:, JOKER], outlook.num_named], axis=1
    )
    parts = [
        outlook.hand[:, :NUM_CARD_TYPES] / 2,
        outlook.table / 2,
        outlook.unseen[:, :NUM_CARD_TYPES] / 2,
        tempo,
        kinds,
        lap,
        jokers / 2,
        outlook.opponents / 20,
        np.stack([known[name] / by for name, by in _FACTS.items()], axis=1),
        (outlook.hand.sum(axis=1) == 0)[:, None],
        (outlook.hand @ POINTS <= 5)[:, None],
    ]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _stock_told(positions: Positions) -> Counts:
    """Returns the cards left in the stock, at most `_MOST_STOCK`, `[B]`.

    Of more cards, by as much as the others draw and a card of one's own is taken away
    as often as needed: that is what a small meld shifts. Two players begin with hardly
    more than that.
    """
    stock, others = positions.stock, (positions.opponents > 0).sum(axis=1)
    more, period = np.maximum(stock - _MOST_STOCK, 0), MOST_DRAWS * others + 1
    shifted = stock - -(-more // period) * period
    return np.where(others == 1, np.minimum(stock, _MOST_STOCK), shifted)


CARD_PLANES: Final = 3
_FIRST_SHARE: Final = (
    CARD_PLANES * NUM_CARD_TYPES
    + 2 * _NUM_DRAWS * (_MOST_STOCK + 1)
    + _NUM_KINDS
    + MAX_PLAYERS
    + 1
    + 3
)
SHARES: Final = slice(_FIRST_SHARE, _FIRST_SHARE + MAX_PLAYERS - 1 + len(_FACTS))
"""The features that may be any number."""
NUM_FEATURES: Final = SHARES.stop + 2
