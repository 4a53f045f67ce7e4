"""Whom a learner plays against: given agents and earlier versions of itself.

A table has either the learner on every seat or on one, with one member of the pool on
all the others. Whoever sits there is drawn anew when an episode begins.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.base import Agent
from agents.networks import Network
from agents.policy_agent import PolicyAgent
from rummy_env import VectorEnv

_NOBODY: Final = -1
_MOST_SEED: Final = 2**31 - 1


class Pool:
    """The agents that sit beside a learner, and where.

    Args:
        agents: Given agents; one that is named twice is drawn twice as often.
        network: The learner's network, of which earlier versions are kept.
        past_selves: The most earlier versions to keep.
        self_share: Share of the tables where the learner has every seat; the others
            wait for a first member likewise.
        num_rows: Tables.
        num_seats: Seats at each.
        generator: Every random number here.

    Attributes:
        past: Weights of earlier versions; the oldest gives way to the newest.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        network: Network,
        *,
        past_selves: int,
        self_share: float,
        num_rows: int,
        num_seats: int,
        generator: torch.Generator,
    ) -> None:
        self._given = list(agents)
        self._network = network
        self._most_past = past_selves
        self._num_seats = num_seats
        self._generator = generator
        self._is_shared = np.arange(num_rows) >= self_share * num_rows
        self.past: list[dict[str, Tensor]] = []
        self._agents: list[Agent] = list(agents)
        # Who sits beside the learner, _NOBODY where it has all seats, and its own seat.
        self._who = np.full(num_rows, _NOBODY, dtype=np.int64)
        self._seat = np.zeros(num_rows, dtype=np.int64)
        self.draw(np.ones(num_rows, dtype=np.bool_))

    def draw(self, begun: NDArray[np.bool_]) -> None:
        """Draws who sits where at the tables whose episode has just begun, `[N]`."""
        rows = np.flatnonzero(begun & self._is_shared)
        if not len(rows) or not self._agents:
            return
        self._who[rows] = self._integers(len(self._agents), len(rows))
        self._seat[rows] = self._integers(self._num_seats, len(rows))

    def _integers(self, most: int, count: int) -> NDArray[np.int64]:
        """Returns random numbers from 0 to `most - 1`, `[count]`."""
        numbers = torch.randint(most, (count,), generator=self._generator)
        return np.asarray(numbers.numpy(), dtype=np.int64)

    def own_seats(self) -> NDArray[np.bool_]:
        """Returns which seats are the learner's, bool `[N, P]`."""
        seats = np.arange(self._num_seats)
        is_own: NDArray[np.bool_] = self._seat[:, None] == seats
        is_own |= (self._who == _NOBODY)[:, None]
        return is_own

    def is_own(self, players: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns where the learner is to act, bool `[N]`, for who is to act, `[N]`."""
        is_own: NDArray[np.bool_] = players == self._seat
        is_own |= self._who == _NOBODY
        return is_own

    def restart(self) -> None:
        """Gives every member random numbers anew.

        What members keep in mind is not saved, so a learner calls this before each
        update: one that was resumed then plays as one that never stopped.
        """
        for agent in self._agents:
            agent.reset(int(self._integers(_MOST_SEED, 1)[0]))

    def act(self, envs: VectorEnv, actions: NDArray[np.int64]) -> None:
        """Writes the members' actions where they are to act, `[N]`."""
        others = ~self.is_own(envs.current_player)
        for number, agent in enumerate(self._agents):
            rows = np.flatnonzero(others & (self._who == number))
            if len(rows):
                seen, masks = envs.observation[rows], envs.action_mask[rows]
                actions[rows] = agent.act(seen, masks)

    def add_self(self) -> None:
        """Keeps the network as it is now; the oldest leaves where there are enough."""
        is_full = len(self.past) == self._most_past
        weights = {
            name: tensor.detach().clone()
            for name, tensor in self._network.state_dict().items()
        }
        self._keep([*self.past, weights])
        if is_full:
            # Those that stay moved down by one; the next oldest plays on for the one
            # that left.
            oldest = len(self._given)
            moved = self._who > oldest
            self._who[moved] -= 1

    def _keep(self, past: Sequence[dict[str, Tensor]]) -> None:
        """Makes the latest of the versions members."""
        self.past = list(past)[-self._most_past :] if self._most_past else []
        self._agents = self._given + [self._agent_of(some) for some in self.past]

    def _agent_of(self, weights: Mapping[str, Tensor]) -> Agent:
        """Returns an earlier version as an agent, which draws its actions."""
        network = copy.deepcopy(self._network)
        network.load_state_dict(weights)
        return PolicyAgent(network.eval(), name="past self", sample=True)

    def state(self) -> dict[str, Any]:
        """Returns all that `load` needs, as tensors, for a checkpoint."""
        return {
            "past": self.past,
            "who": torch.from_numpy(self._who.copy()),
            "seat": torch.from_numpy(self._seat.copy()),
        }

    def load(self, state: Mapping[str, Any], *, same_tables: bool) -> None:
        """Goes on from what `state` returned, with the latest versions where fewer fit.

        Args:
            state: What was saved.
            same_tables: Whether the games go on and who sits there stays; if not,
                all that is drawn anew.
        """
        self._keep(state["past"])
        if same_tables:
            self._who[:] = state["who"].numpy()
            self._seat[:] = state["seat"].numpy()
        else:
            self._who[:] = _NOBODY
            self.draw(np.ones(len(self._who), dtype=np.bool_))


def advantages_over_pool(
    scores: NDArray[np.int64], own: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Returns how far the learner was ahead in each episode that had a member in it.

    Args:
        scores: Final scores, `[E, P]`.
        own: Which seats were the learner's, `[E, P]`.

    Returns:
        The learner's score less the mean of the others', one number for each episode
        with others.
    """
    shared = ~own.all(axis=1)
    scores, own = scores[shared], own[shared]
    others = np.where(own, 0, scores).sum(axis=1) / np.maximum((~own).sum(axis=1), 1)
    ahead: NDArray[np.float64] = np.where(own, scores, 0).sum(axis=1) - others
    return ahead
