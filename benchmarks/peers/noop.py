"""A game of nothing behind AEC: what PettingZoo itself costs, bare and wrapped.

Two agents act in turn; an action changes nothing, and observation and mask have the
sizes of ours. No environment with random masked play can be faster through this API.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from benchmarks.peers import aec, protocol
from benchmarks.peers.protocol import Figure, Order

NUM_AGENTS = 2
NUM_ACTIONS = 159
SIZE = 738
LENGTH = 200
"""Actions a game."""


class NoopEnv(AECEnv):  # type: ignore[misc]
    """Alternates between agents, and ends after `LENGTH` actions."""

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo declares it so)
        "name": "noop_v0",
        "render_modes": [],
        "is_parallelizable": False,
    }

    def __init__(self) -> None:
        super().__init__()
        self.render_mode = None
        self.possible_agents = [f"player_{p}" for p in range(NUM_AGENTS)]
        self._observation_space = Dict(
            {
                "observation": Box(0.0, 1.0, (SIZE,), np.float32),
                "action_mask": Box(0, 1, (NUM_ACTIONS,), np.int8),
            }
        )
        self._action_spaces = {
            agent: Discrete(NUM_ACTIONS) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Dict:
        """Returns the space of what an agent sees."""
        return self._observation_space

    def action_space(self, agent: str) -> Discrete:
        """Returns the space of an agent's actions."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Begins a game."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._count = 0

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Returns zeros, and a mask with half of the actions."""
        mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
        mask[::2] = 1
        return {"observation": np.zeros(SIZE, dtype=np.float32), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Hands over to the next agent."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._count += 1
        if self._count == LENGTH:
            self.terminations = dict.fromkeys(self.agents, True)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.agent_selection = self.possible_agents[self._count % NUM_AGENTS]
        self._accumulate_rewards()


def wrapped() -> Any:
    """Returns the game in the three wrappers of PettingZoo's own games."""
    game = wrappers.TerminateIllegalWrapper(NoopEnv(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(game))


def raw_steps(order: Order) -> dict[str, Figure]:
    """Measures the bare environment."""
    return {"noop_raw_env": aec.steps(NoopEnv(), order)}


def wrapped_steps(order: Order) -> dict[str, Figure]:
    """Measures it in the wrappers."""
    return {"noop_env": aec.steps(wrapped(), order)}


if __name__ == "__main__":
    protocol.run([raw_steps, wrapped_steps], ["pettingzoo"])
