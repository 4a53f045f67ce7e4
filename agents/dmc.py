"""Deep Monte Carlo: a network learns what each option pays, from rounds played out.

Zha et al., "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning"
(2021): every choice of a round is labelled with the payoff at its end, a network is
fitted to the labels by least squares, and the player takes the option it values most,
now and then another one. There is no bootstrapping, so no bias from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.base import Agent
from agents.dmc_agent import OptionNetwork, best_of, dare, judge
from agents.options import CARD_PLANES, OptionConfig, find_options
from agents.plans import Plan
from agents.position import Positions, read
from rummy_env import VectorEnv
from rummy_env.actions import DRAW, END, LAY
from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS

PER_VALUE: Final = 100.0
"""Points of score to one of the network's units."""
_NONE: Final = -1


class Choice(NamedTuple):
    """A choice made in a round that still runs: the seat, and what was chosen."""

    seat: int
    features: NDArray[np.float32]


@dataclass
class Samples:
    """Choices of finished rounds with what they paid.

    Attributes:
        features: Float32 `[K, F]`.
        payoffs: In the network's units, float32 `[K]`.
        advantages: Of each finished round, the learner's score over the mean of the
            other seats' agents, with NaN where the learner sat everywhere.
    """

    features: list[NDArray[np.float32]]
    payoffs: list[float]
    advantages: list[float]


class Collector:
    """Plays rounds with a network on some seats and given agents on the others.

    Args:
        envs: The games, of single rounds; no action may be skipped.
        network: What the learner judges by.
        opponents: Who else may sit at a table.
        options: Which options the learner has.
        seed: Of the exploration.
        self_share: The share of tables where the learner sits everywhere.
    """

    def __init__(
        self,
        envs: VectorEnv,
        network: OptionNetwork,
        opponents: Sequence[Agent],
        options: OptionConfig,
        seed: int,
        self_share: float = 0.5,
    ) -> None:
        self._envs, self._network, self._options = envs, network, options
        self._num_ranks = envs.config.num_ranks
        self._opponents = list(opponents)
        self._rng = np.random.default_rng(seed)
        rows = np.arange(envs.num_envs)
        seats = rows % envs.num_players
        is_self = rows < self_share * envs.num_envs
        who = rows % max(1, len(self._opponents))
        # whose seat it is: _NONE for the learner, else the number of an opponent
        self._lineup = np.where(is_self, _NONE, who)[:, None].repeat(
            envs.num_players, axis=1
        )
        self._lineup[rows, seats] = _NONE
        self._plans: list[Plan] = [[] for _ in rows]
        self._choices: list[list[Choice]] = [[] for _ in rows]
        envs.reset()

    def collect(self, num_choices: int, epsilon: float) -> Samples:
        """Plays until so many choices of finished rounds are known."""
        samples = Samples([], [], [])
        while len(samples.payoffs) < num_choices:
            actions = self._act(epsilon)
            self._envs.step(actions)
            for row in np.flatnonzero(self._envs.terminated):
                self._label(int(row), samples)
        return samples

    def _act(self, epsilon: float) -> NDArray[np.int64]:
        """Returns everybody's actions."""
        envs = self._envs
        rows = np.arange(envs.num_envs)
        who = self._lineup[rows, envs.current_player]
        actions = np.zeros(envs.num_envs, dtype=np.int64)
        for number, agent in enumerate(self._opponents):
            some = np.flatnonzero(who == number)
            if len(some):
                seen, masks = envs.observation[some], envs.action_mask[some]
                actions[some] = agent.act(seen, masks)
        own = np.flatnonzero(who == _NONE)
        if len(own):
            actions[own] = self._act_own(own, epsilon)
        return actions

    def _act_own(self, rows: NDArray[np.int64], epsilon: float) -> NDArray[np.int64]:
        """Returns the learner's actions, at the beginning of a meld by a choice."""
        masks = self._envs.action_mask[rows]
        positions = read(self._envs.observation[rows])
        has_plan = np.array([bool(self._plans[row]) for row in rows])
        is_fresh = (positions.laid.sum(axis=1) == 0) & (
            positions.locked.sum(axis=1) == 0
        )
        can_meld = masks[:, LAY:].any(axis=1)
        asked = np.flatnonzero(~has_plan & is_fresh & can_meld)
        if len(asked):
            self._choose(rows[asked], positions.rows(asked), epsilon)
        actions = np.where(masks[:, DRAW] == 1, DRAW, END)
        dare(positions, actions, masks)
        for at, row in enumerate(rows):
            if self._plans[row]:
                actions[at] = self._plans[row].pop(0)
        return actions

    def _choose(
        self, rows: NDArray[np.int64], positions: Positions, epsilon: float
    ) -> None:
        """Chooses an option for each position and notes what was chosen."""
        options = find_options(positions, self._options, self._num_ranks)
        known, values = judge(self._network, positions, options, self._num_ranks)
        explores = self._rng.random(len(rows)) < epsilon
        noise = self._rng.random(len(values))
        chosen = best_of(
            options.row, np.where(explores[options.row], noise, values).astype("f4")
        )
        counts = np.bincount(options.row, minlength=len(rows))
        for at, (row, number) in enumerate(zip(rows, chosen, strict=True)):
            self._plans[row] = list(options.plans[number])
            if counts[at] > 1:
                seat = int(self._envs.current_player[row])
                self._choices[row].append(Choice(seat, known[number]))

    def _label(self, row: int, samples: Samples) -> None:
        """Labels the choices of a round that has ended."""
        scores = self._envs.final_scores[row].astype(np.float64)
        others = (scores.sum() - scores) / (len(scores) - 1)
        payoffs = (scores - others) / PER_VALUE
        for choice in self._choices[row]:
            samples.features.append(choice.features)
            samples.payoffs.append(float(payoffs[choice.seat]))
        own = self._lineup[row] == _NONE
        if not own.all():
            samples.advantages.append(float(scores[own].mean() - scores[~own].mean()))
        self._choices[row], self._plans[row] = [], []


def exchange_suits(
    known: NDArray[np.float32], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Returns features with the suits of each row exchanged at random.

    The rules do not tell suits apart, so what an option pays stays the same.
    """
    size = CARD_PLANES * NUM_CARD_TYPES
    planes = known[:, :size].reshape(-1, CARD_PLANES, NUM_SUITS, NUM_RANKS)
    order = rng.random((len(known), NUM_SUITS)).argsort(axis=1)
    changed = known.copy()
    changed[:, :size] = np.take_along_axis(
        planes, order[:, None, :, None], axis=2
    ).reshape(len(known), size)
    return changed


class Memory:
    """The latest samples, as many as fit.

    Args:
        size: How many.
        num_features: Numbers in each.
    """

    def __init__(self, size: int, num_features: int) -> None:
        self._features = np.zeros((size, num_features), dtype=np.float32)
        self._payoffs = np.zeros(size, dtype=np.float32)
        self._next, self._count = 0, 0

    def add(self, samples: Samples) -> None:
        """Adds samples, over the oldest ones."""
        for known, payoff in zip(samples.features, samples.payoffs, strict=True):
            self._features[self._next] = known
            self._payoffs[self._next] = payoff
            self._next = (self._next + 1) % len(self._payoffs)
            self._count = min(self._count + 1, len(self._payoffs))

    def draw(
        self, count: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns so many of them, drawn with replacement."""
        chosen = rng.integers(self._count, size=count)
        return self._features[chosen], self._payoffs[chosen]


def fit(
    network: OptionNetwork,
    optimizer: torch.optim.Optimizer,
    memory: Memory,
    rng: np.random.Generator,
    num_steps: int,
    batch_size: int,
) -> float:
    """Takes steps towards the payoffs remembered; returns the mean squared error."""
    total = 0.0
    for _ in range(num_steps):
        known, payoffs = memory.draw(batch_size, rng)
        values = network(torch.from_numpy(exchange_suits(known, rng)))
        loss = nn.functional.mse_loss(values, torch.from_numpy(payoffs))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        total += float(loss.detach())
    return total / num_steps
