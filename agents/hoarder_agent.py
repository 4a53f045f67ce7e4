"""The agent that lays nothing before it can end the round by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.plans import Plan, Planner, note
from agents.position import Positions, best_melds, melds_that_leave
from agents.prospects import Outlook, stranded_points
from rummy_env.actions import KNOCK, LAY


class HoarderAgent:
    """Keeps the table closed until it can go out or knock, then lays all it can.

    Holding back costs three draws a turn, and whoever ends the round first is paid for
    every card in the hoard; but a closed table leaves the others little to lay. In the
    last lap it lays what it can. It has no random numbers.

    Args:
        num_ranks: Ranks in play (R2): an observation does not say.
        knock_limit: The most points to knock with (R18).
    """

    def __init__(self, num_ranks: int = 13, knock_limit: int = 5) -> None:
        self._num_ranks = num_ranks
        self._knock_limit = knock_limit
        self._planner = Planner(self._plan, num_ranks)

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return "hoarder"

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
        _, actions = self._planner.act(observations, masks)
        return np.where((masks[:, KNOCK] == 1) & (actions < LAY), KNOCK, actions)

    def _plan(self, positions: Positions) -> list[Plan]:
        """Returns the melds that end the round, and in the last lap all."""
        plans: list[Plan] = [[] for _ in positions.old]
        stranded = stranded_points(Outlook.now(positions), self._num_ranks)
        is_lap = positions.is_lap == 1
        lap = np.flatnonzero(is_lap)
        note(plans, lap, best_melds(positions.rows(lap), self._num_ranks))
        asked = np.flatnonzero(~is_lap & (stranded <= self._knock_limit))
        found, melds = melds_that_leave(
            positions.rows(asked), self._knock_limit, self._num_ranks
        )
        note(plans, asked[found], melds)
        return plans
