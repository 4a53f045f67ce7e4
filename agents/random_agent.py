"""The agent that plays any legal action, each equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class RandomAgent:
    """Chooses uniformly among the legal actions.

    Args:
        seed: Seed of the agent's own random numbers.
    """

    def __init__(self, seed: int = 0) -> None:
        self.reset(seed)

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return "random"

    def reset(self, seed: int) -> None:
        """Restarts the agent's random numbers."""
        self._rng = np.random.default_rng(seed)

    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Returns a uniformly drawn legal action for each position.

        Args:
            observations: Not looked at, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            Action ids, int64 `[B]`.
        """
        legal_so_far = np.cumsum(masks, axis=1, dtype=np.int16)
        num_legal = legal_so_far[:, -1]
        chosen = (self._rng.random(len(masks)) * num_legal).astype(np.int16)
        actions = np.argmax(legal_so_far > chosen[:, None], axis=1)
        return np.asarray(actions, dtype=np.int64)
