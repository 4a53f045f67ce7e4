"""A rule-based player: waits with a closed table, and keeps tempo near the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.plans import Plan, Planner, note
from agents.position import (
    Counts,
    Positions,
    best_melds,
    hand_after,
    melds_that_leave,
    some_melds,
)
from agents.prospects import (
    Outlook,
    Weights,
    stranded_points,
    undercut_risk,
    worth,
)
from agents.tempo import should_stop, small_melds
from rummy_env import solver
from rummy_env.actions import END, KNOCK, LAY
from rummy_env.cards import JOKER, NUM_CARD_TYPES, POINTS

_NONE: Final = -1


@dataclass(frozen=True, kw_only=True)
class ExpertParameters:
    """How the expert judges.

    Attributes:
        content: Points in hand that it is content to be left with: it lays a meld that
            leaves no more, though it cannot knock.
        hurry: Cards of an opponent, by number of players from two to five, with which
            or fewer it lays all it can before that opponent ends the round.
        most_risk: Chance of an undercut above which it does not knock.
        kinds_held: Kinds of card, the cheapest of a meld, each of which it thinks of
            keeping when it hurries.
        nim_below: With fewer cards left in the stock, at two players, it takes the
            other one for a player who knows that leaving four wins the last card, and
            not for one who waits; see `tempo`. Up to 5 that makes no difference.
        weights: How it chooses among melds when it hurries, and among small ones.
    """

    content: int = 5
    hurry: tuple[int, int, int, int] = (0, 0, 0, 0)
    most_risk: float = 0.5
    kinds_held: int = 2
    nim_below: int = 8
    weights: Weights = field(default_factory=Weights)


class ExpertAgent:
    """Waits until a meld ends the round; lays all it can in the last lap.

    Near the end of the stock it lays a small meld, rather than draw on, where that
    brings it the last card and with it the last turn of the lap (`tempo`).

    It has no random numbers: what it does follows from what the player sees. Its rules,
    with what they brought in points a round over its opponent and 95 % intervals, on
    the same deals in all seats; all but the first were measured before it kept tempo:

    - Keeping tempo, at two players. 300 deals against a hoarder: +62.1 ± 1.5 where it
      takes the other one for a player who waits (`nim_below` 5), +53.6 ± 1.9 where for
      one who knows better (8, the default). The latter beats the former by 53.6 ± 1.9
      too, as much as a hoarder: it never leaves it a place to stop, so not one action
      was another than a hoarder's. Against greedy with all these rules: two players,
      2,000 deals, +62.3 ± 0.7; three, 25 deals, +76.8 ± 13.6; four, 15 deals,
      +58.5 ± 14.0. A hoarder alone against experts, 300 deals: -9.6 ± 4.4 against two,
      -14.5 ± 3.3 against three.
    - Waiting with a closed table, drawing up to three cards a turn: nearly everything.
      Two players, 2,000 deals against greedy: +53.1 [51.8, 54.3]; three players, 25
      deals of one against two and two against one: +71.4 [53.6, 87.5]; four, 15 deals:
      +53.9 [39.7, 67.7]. Who lays early gives the others a table to lay on.
    - Waiting even when the last card is drawn, as the lap is still to come: two
      players, 200 deals against greedy: +38.5 [33.4, 43.1] without it, +53.9
      [49.9, 57.7] with it.
      Laying with four cards left in the stock loses 42.2 [38.6, 45.8] to a hoarder.
    - Hurrying when an opponent has few cards, choosing the meld by what it leaves and
      opens (`prospects.Weights`): off. With three cards or fewer it cost about 1 point
      at two players, 6 at three and 11 at four, within the intervals but always a
      cost; with five or fewer at two players, 7.
    - Being content with ten points instead of five: off. 200 deals against a hoarder,
      -0.8 [-2.5, 0.7].
    - Holding back cards in the last lap so as to open less: not done. 200 deals
      against a hoarder, -1.5 [-2.2, -0.7].
    - Not knocking where an undercut is likelier than not: no difference seen. Whoever
      has so few points would have knocked.

    Args:
        num_ranks: Ranks in play (R2): an observation does not say.
        knock_limit: The most points to knock with (R18).
        parameters: How it judges.
    """

    def __init__(
        self,
        num_ranks: int = 13,
        knock_limit: int = 5,
        parameters: ExpertParameters | None = None,
    ) -> None:
        self._num_ranks = num_ranks
        self._parameters = parameters or ExpertParameters()
        self._content = max(knock_limit, self._parameters.content)
        self._planner = Planner(self.plan, num_ranks)

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return "expert"

    def reset(self, seed: int) -> None:
        """Forgets its plans; there is nothing random."""
        self._planner.reset()

    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Returns an action for each position.

        Args:
            observations: What the player to act sees, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            Action ids, int64 `[B]`.
        """
        positions, actions = self._planner.act(observations, masks)
        rows = np.flatnonzero((masks[:, KNOCK] == 1) & (actions < LAY))
        if len(rows):
            risk = undercut_risk(Outlook.now(positions.rows(rows)))
            dares = risk <= self._parameters.most_risk
            actions[rows] = np.where(dares, KNOCK, END)
        return actions

    def plan(self, positions: Positions) -> list[Plan]:
        """Returns the meld for each position, [] to wait.

        Args:
            positions: Positions at which nothing is laid yet.
        """
        plans: list[Plan] = [[] for _ in positions.old]
        is_lap = positions.is_lap == 1
        lap = np.flatnonzero(is_lap)
        note(plans, lap, best_melds(positions.rows(lap), self._num_ranks))
        stranded = stranded_points(Outlook.now(positions), self._num_ranks)
        asked = np.flatnonzero(~is_lap & (stranded <= self._content))
        found, melds = melds_that_leave(
            positions.rows(asked), self._content, self._num_ranks
        )
        note(plans, asked[found], melds)
        waits = np.array([not plan for plan in plans]) & ~is_lap
        hurry = np.flatnonzero(waits & self._must_hurry(positions))
        if len(hurry):
            self._hurry(plans, hurry, positions.rows(hurry))
        waits &= np.array([not plan for plan in plans])
        self._keep_tempo(
            plans,
            np.flatnonzero(waits & should_stop(positions, self._parameters.nim_below)),
            positions,
        )
        return plans

    def _keep_tempo(
        self, plans: list[Plan], rows: NDArray[np.int64], positions: Positions
    ) -> None:
        """Writes the small melds that end the drawing where that is worth it."""
        if not len(rows):
            return
        weights = self._parameters.weights
        choices = small_melds(positions.rows(rows), weights, self._num_ranks)
        for row, melds in zip(rows, choices, strict=True):
            if melds:
                plans[row] = max(melds)[1]

    def _must_hurry(self, positions: Positions) -> NDArray[np.bool_]:
        """Tells where somebody else may soon end the round."""
        sizes, judged = positions.opponents, self._parameters
        others = (sizes > 0).sum(axis=1)
        limits = np.array([0, *judged.hurry])[others]
        is_near = ((sizes > 0) & (sizes <= limits[:, None])).any(axis=1)
        return np.asarray(is_near)

    def _hurry(
        self, plans: list[Plan], rows: NDArray[np.int64], positions: Positions
    ) -> None:
        """Writes the best melds of positions where there is no time to wait."""
        candidates = self._candidates(positions)
        at = positions.rows(candidates.row)
        outlook = Outlook.after(at, candidates.melds, candidates.hand)
        values = worth(outlook, self._parameters.weights, self._num_ranks)
        best = np.full(len(rows), -np.inf)
        np.maximum.at(best, candidates.row, values)
        # the first of equals is written last
        for chosen in np.flatnonzero(values == best[candidates.row])[::-1]:
            plan = candidates.melds.plans[chosen]
            plans[rows[candidates.row[chosen]]] = plan[plan != _NONE].tolist()

    def _candidates(self, positions: Positions) -> Candidates:
        """Returns the melds to choose from, that of most points first in each row."""
        melds = best_melds(positions, self._num_ranks)
        hand = hand_after(positions, melds)
        rows = np.arange(len(hand))
        laid = positions.hand - hand
        asides = [
            (row, shown)
            for row in rows
            for shown in self._hands_to_show(positions.hand[row], laid[row])
        ]
        some = np.array([row for row, _ in asides], dtype=np.int64)
        shown = np.array([hand for _, hand in asides], dtype=np.int64)
        parts = [
            Candidates(rows, melds, hand),
            self._find(positions, rows, positions.hand, "cards"),
            self._find(positions, some, shown.reshape(-1, JOKER + 1), "points"),
        ]
        return _joined(parts)

    def _find(
        self, positions: Positions, rows: Counts, shown: Counts, objective: str
    ) -> Candidates:
        """Returns the best melds of some positions with a part of the hand alone."""
        asked = positions.rows(rows)._replace(hand=shown)
        melds = best_melds(asked, self._num_ranks, objective)
        kept = melds.plans[:, 0] != _NONE
        hand = positions.hand[rows] - shown + hand_after(asked, melds)
        return Candidates(rows[kept], some_melds(melds, kept), hand[kept])

    def _hands_to_show(self, hand: Counts, laid: Counts) -> list[Counts]:
        """Returns parts of a hand to ask about where a meld lays some cards of it.

        Without its jokers; without each of the cheapest kinds of card laid.
        """
        kinds = np.flatnonzero(laid[:NUM_CARD_TYPES])
        kinds = kinds[np.argsort(POINTS[kinds], kind="stable")]
        kept = [JOKER] if laid[JOKER] else []
        if len(kinds) > 1:
            kept += kinds[: self._parameters.kinds_held].tolist()
        return [np.where(np.arange(JOKER + 1) == kind, 0, hand) for kind in kept]


class Candidates(NamedTuple):
    """Melds to choose from.

    Attributes:
        row: The position of each, `[K]`.
        melds: The melds.
        hand: What they leave in hand, `[K, 53]`.
    """

    row: Counts
    melds: solver.Melds
    hand: Counts


def _joined(parts: list[Candidates]) -> Candidates:
    """Returns candidates as one; plans are padded to the longest."""
    longest = max(part.melds.plans.shape[1] for part in parts)
    plans = [
        np.pad(
            part.melds.plans,
            ((0, 0), (0, longest - part.melds.plans.shape[1])),
            constant_values=_NONE,
        )
        for part in parts
    ]
    return Candidates(
        row=np.concatenate([part.row for part in parts]),
        melds=solver.Melds(
            plans=np.concatenate(plans),
            table=np.concatenate([part.melds.table for part in parts]),
            named=np.concatenate([part.melds.named for part in parts]),
            exists=np.concatenate([part.melds.exists for part in parts]),
        ),
        hand=np.concatenate([part.hand for part in parts]),
    )
