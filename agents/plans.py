"""Melds laid as planned: a plan is made at the first card and followed to its end.

A plan is remembered by the position in which it was made. The cards laid since then
say which that was, so an agent acts as if it had no memory: a plan that is forgotten
is made again as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.position import Counts, Positions, best_melds, read
from rummy_env import solver
from rummy_env.actions import DRAW, END, LAY
from rummy_env.cards import NUM_CARD_TYPES

_NONE: Final = -1
_MOST_PLANS: Final = 100_000

Plan = list[int]
"""Actions of a meld, cards first, then the names of jokers; [] to lay nothing."""


class Planner:
    """Lays melds as planned.

    Args:
        make: Makes plans for positions at which nothing is laid yet.
        num_ranks: Ranks in play.
    """

    def __init__(self, make: Callable[[Positions], list[Plan]], num_ranks: int) -> None:
        self._make = make
        self._num_ranks = num_ranks
        self._plans: dict[bytes, Plan] = {}

    def reset(self) -> None:
        """Forgets all plans."""
        self._plans.clear()

    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> tuple[Positions, NDArray[np.int64]]:
        """Returns the actions that plans call for.

        Args:
            observations: What the player to act sees, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            The positions; action ids, int64 `[B]`, where nothing is to be laid the
            first legal one of draw, end and knock.
        """
        positions = read(observations)
        actions = np.full(len(masks), _NONE)
        can_meld = masks[:, LAY:].any(axis=1)
        has_jokers = positions.locked.any(axis=1) | (positions.old != _NONE)
        for decide, rows in (
            (self._finish, np.flatnonzero(can_meld & has_jokers)),
            (self._follow, np.flatnonzero(can_meld & ~has_jokers)),
        ):
            if len(rows):
                chosen = decide(positions.rows(rows))
                actions[rows] = self._mended(chosen, positions.rows(rows), masks[rows])
        first = np.where(masks[:, DRAW] == 1, DRAW, END)
        return positions, np.where(actions == _NONE, first, actions)

    def _finish(self, positions: Positions) -> NDArray[np.int64]:
        """Returns how a meld goes on whose cards are laid: jokers are named and moved.

        The rest of the hand stays there.
        """
        kept = positions._replace(hand=np.zeros_like(positions.hand))
        return best_melds(kept, self._num_ranks).plans[:, 0]

    def _follow(self, positions: Positions) -> NDArray[np.int64]:
        """Returns the next action of the plan of each position, -1 at its end."""
        starts = _starts(positions)
        keys = [row.tobytes() for row in _keys(starts)]
        if len(self._plans) > _MOST_PLANS:
            self._plans.clear()
        new = {key: row for row, key in enumerate(keys) if key not in self._plans}
        if new:
            made = self._make(starts.rows(np.array(list(new.values()))))
            self._plans.update(zip(new, made, strict=True))
        plans = [self._plans[key] for key in keys]
        done = positions.laid.sum(axis=1).tolist()
        found = [
            plan[at] if at < len(plan) else _NONE
            for plan, at in zip(plans, done, strict=True)
        ]
        return np.array(found, dtype=np.int64)

    def _mended(
        self,
        actions: NDArray[np.int64],
        positions: Positions,
        masks: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        """Returns actions with those replaced that the position does not allow.

        So it is in the middle of a meld that somebody else began, and where a plan
        has a second joker to lay.
        """
        is_legal = masks[np.arange(len(actions)), actions] == 1
        can_stop = masks[:, :LAY].any(axis=1)
        broken = np.where(actions == _NONE, ~can_stop, ~is_legal)
        if broken.any():
            rest = positions.rows(broken)
            actions[broken] = best_melds(rest, self._num_ranks).plans[:, 0]
        return actions


def note(plans: list[Plan], rows: NDArray[np.int64], melds: solver.Melds) -> None:
    """Writes melds as the plans of some rows."""
    for row, plan in zip(rows, melds.plans, strict=True):
        plans[row] = plan[plan != _NONE].tolist()


def _starts(positions: Positions) -> Positions:
    """Returns the positions as they were before the first card of a meld was laid."""
    hand = positions.hand.copy()
    hand[:, :NUM_CARD_TYPES] += positions.laid
    return positions._replace(
        table=positions.table - positions.laid,
        hand=hand,
        laid=np.zeros_like(positions.laid),
    )


def _keys(starts: Positions) -> Counts:
    """Returns what sets positions apart, `[B, K]`; what is unseen follows from it."""
    sizes = np.stack([starts.stock, starts.draws, starts.is_lap], axis=1)
    parts = (starts.table, starts.named, starts.hand, starts.opponents, sizes)
    return np.concatenate(parts, axis=1)
