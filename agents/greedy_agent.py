"""The agent that lays the most points it can, every time, and knocks when it may."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.position import read
from rummy_env import solver
from rummy_env.actions import DRAW, END, KNOCK, LAY


class GreedyAgent:
    """Melds as soon as it can, as much as it can; else knocks, else ends, else draws.

    It has no random numbers: the same position, the same action.

    Args:
        num_ranks: Ranks in play (R2): an observation does not say.
    """

    def __init__(self, num_ranks: int = 13) -> None:
        self._num_ranks = num_ranks

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return "greedy"

    def reset(self, seed: int) -> None:
        """Does nothing: there is nothing random."""

    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Returns the greedy action for each position.

        Args:
            observations: What the player to act sees, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            Action ids, int64 `[B]`.
        """
        actions = np.where(
            masks[:, KNOCK] == 1, KNOCK, np.where(masks[:, END] == 1, END, DRAW)
        )
        can_meld = np.flatnonzero(masks[:, LAY:].any(axis=1))
        if len(can_meld):
            melds = self._best_melds(observations[can_meld])
            has_meld = melds >= 0
            actions[can_meld[has_meld]] = melds[has_meld]
        return actions.astype(np.int64)

    def _best_melds(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns the first action of the best meld of each position, or -1."""
        positions = read(observations)
        return solver.best_actions(
            table=positions.table,
            named=positions.named,
            locked=positions.locked,
            hand=positions.hand,
            old=positions.old,
            num_ranks=self._num_ranks,
        )
