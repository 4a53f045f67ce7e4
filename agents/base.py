"""What an agent is: something that chooses legal actions for a batch of positions."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Agent(Protocol):
    """Chooses one legal action for each of a batch of positions.

    An agent sees what the player to act may see and nothing else. It keeps no memory
    between calls but its own random numbers, so one agent may sit on several seats
    of many games at once.
    """

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""

    def reset(self, seed: int) -> None:
        """Restarts the agent's random numbers: the same seed, the same choices."""

    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Returns a legal action for each position.

        Args:
            observations: What the player to act sees, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            Action ids, int64 `[B]`.
        """
