"""The same environment with actions in two parts: a kind, and a card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, MultiDiscrete
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from rummy_env.actions import KINDS, LAY, ActionLayout
from rummy_env.env import raw_env
from rummy_env.errors import ConfigError, IllegalActionError


class FactoredActions(BaseWrapper):  # type: ignore[misc]
    """Takes actions as `[kind, card]`, for autoregressive policies.

    The kinds are those of `actions.KINDS`; a kind without a card takes any. In an
    observation, `kind_mask` (int8 `[6]`) and `card_mask` (int8 `[6, 52]`, the legal
    cards of each kind) stand in for `action_mask`.

    Args:
        env: An environment of `manipulation_rummy_v0`, best `raw_env`: standard
            wrappers inside this one see action ids.
    """

    def __init__(self, env: AECEnv) -> None:
        if not isinstance(env, AECEnv) or not isinstance(env.unwrapped, raw_env):
            raise ConfigError(
                "FactoredActions wraps an environment of manipulation_rummy_v0, not "
                f"{type(env).__name__}"
            )
        super().__init__(env)
        self.layout = ActionLayout()
        kinds, cards = self.layout.num_kinds, self.layout.num_cards
        self._action_spaces = {
            agent: MultiDiscrete([kinds, cards]) for agent in env.possible_agents
        }
        self._observation_spaces = {
            agent: Dict(
                {
                    "observation": env.observation_space(agent)["observation"],
                    "kind_mask": Box(0, 1, (kinds,), np.int8),
                    "card_mask": Box(0, 1, (kinds, cards), np.int8),
                }
            )
            for agent in env.possible_agents
        }

    def action_space(self, agent: str) -> MultiDiscrete:
        """Returns the space of `[kind, card]`, always the same object.

        Raises:
            RummyError: There is no such agent.
        """
        self.env.action_space(agent)  # refuses who is no agent
        return self._action_spaces[agent]

    def observation_space(self, agent: str) -> Dict:
        """Returns the space of an agent's observations, always the same object.

        Raises:
            RummyError: There is no such agent.
        """
        self.env.observation_space(agent)  # refuses who is no agent
        return self._observation_spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """Returns what an agent sees, with a mask of kinds and one of cards."""
        seen = self.env.observe(agent)
        mask = seen.pop("action_mask")
        return {
            **seen,
            "kind_mask": self.layout.kind_mask(mask),
            "card_mask": self.layout.card_mask(mask),
        }

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, Any]:
        """Returns what PettingZoo's `last` does, for the agent whose turn it is.

        Raises:
            RummyError: See `raw_env.last`.
        """
        # asked of the game first, which says what is amiss before a reset
        _, *facts = self.env.last(observe=False)
        seen = self.observe(self.agent_selection) if observe else None
        return (seen, *facts)

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Returns the agents in the order in which they act, to be stepped each.

        Raises:
            RummyError: See `raw_env.agent_iter`.
        """
        agents: Iterable[str] = self.env.agent_iter(max_iter)
        return agents

    def step(self, action: Any) -> None:
        """Plays `[kind, card]`, or None for an agent that has terminated.

        Raises:
            IllegalActionError: It is no such pair, or it is not legal now; nothing has
                changed.
        """
        if action is None:
            self.env.step(None)
            return
        try:
            pair = np.asarray(action)
        except (ValueError, TypeError, RuntimeError):
            pair = np.empty(0)
        if pair.shape != (2,) or pair.dtype.kind not in "iu":
            kinds = ", ".join(f"{at} {kind.name}" for at, kind in enumerate(KINDS))
            raise IllegalActionError(
                f"an action is [kind, card] with a kind of {kinds}; not {action!r}"
            )
        kind, card = int(pair[0]), int(pair[1])
        self.env.step(self.layout.join(kind, card if kind >= LAY else 0))
