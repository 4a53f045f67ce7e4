"""Deep Monte Carlo: a network learns what each option pays, from rounds played out.

Zha et al., "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning"
(2021): every choice of a round is labelled with the payoff at its end, a network is
fitted to the labels by least squares, and the player takes the option it values most,
now and then another one. There is no bootstrapping, so no bias from it.

Read from `Learner` downwards. Hyperparameters are named as in CleanRL's DQN where that
has them.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checkpoint
from agents.base import Agent
from agents.dmc_agent import (
    PER_VALUE,
    HeadStart,
    OptionNetwork,
    OptionNetworkConfig,
    best_of,
    dare,
    describe,
    judge,
)
from agents.options import (
    CARD_PLANES,
    NUM_FEATURES,
    SHARES,
    OptionConfig,
    find_options,
)
from agents.plans import Plan
from agents.position import Positions, read
from agents.registry import make_agent
from agents.run import RunConfig
from rummy_env import VectorEnv
from rummy_env.actions import DRAW, END, LAY
from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import RuleConfig

_NONE: Final = -1
_MOST_SEED: Final = 2**31
_SHOWN: Final = {
    "charts/SPS": "choices/s",
    "charts/advantage": "points ahead",
    "charts/epsilon": "epsilon",
    "losses/value_loss": "loss",
    "losses/explained_variance": "explained variance",
}


@dataclass(frozen=True, kw_only=True)
class DMCConfig:
    """The hyperparameters of Deep Monte Carlo.

    Attributes:
        total_choices: Choices among options to train on, over all games.
        learning_rate: Adam's step size at the start.
        end_learning_rate: Its step size at the end; between them it falls evenly.
        start_e: Share of choices made at random at the start.
        end_e: That share once it has fallen.
        exploration_fraction: Share of the run over which it falls evenly.
        num_envs: Games at once.
        num_choices: Choices of finished rounds to collect, at least, in an update.
        num_steps: Steps of the optimizer in an update.
        batch_size: Choices in each step, drawn from the latest.
        buffer_size: How many of the latest choices are kept; each takes 485 bytes of
            memory and of the checkpoint.
        opponents: Agents to play against, by name or path, one at each table in turn;
            who is named twice sits at twice as many.
        self_share: Share of the games in which the learner sits on every seat; without
            opponents it does in all.

    Raises:
        ValueError: A value is out of range.
    """

    total_choices: int = 2_000_000
    learning_rate: float = 1e-3
    end_learning_rate: float = 1e-4
    start_e: float = 0.3
    end_e: float = 0.03
    exploration_fraction: float = 0.45
    num_envs: int = 128
    num_choices: int = 2048
    num_steps: int = 48
    batch_size: int = 512
    buffer_size: int = 150_000
    opponents: tuple[str, ...] = ("expert", "expert", "hoarder")
    self_share: float = 0.4

    def __post_init__(self) -> None:
        """Checks the values."""
        object.__setattr__(self, "opponents", tuple(self.opponents))
        counts = ("num_envs", "num_choices", "num_steps", "batch_size", "buffer_size")
        for name in ("total_choices", *counts):
            if getattr(self, name) < 1:
                raise ValueError(f"dmc.{name} is 1 or more, not {getattr(self, name)}")
        for name in ("learning_rate", "end_learning_rate"):
            if getattr(self, name) <= 0:
                raise ValueError(f"dmc.{name} is above 0, not {getattr(self, name)}")
        for name in ("start_e", "end_e", "exploration_fraction", "self_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"dmc.{name} is 0 to 1, not {getattr(self, name)}")

    @property
    def num_updates(self) -> int:
        """The updates that make up `total_choices`, at least one."""
        return max(1, self.total_choices // self.num_choices)

    def learning_rate_at(self, progress: float) -> float:
        """Returns the step size for a share of the run, 0 to 1, that is done."""
        fall = self.learning_rate - self.end_learning_rate
        return self.learning_rate - fall * progress

    def epsilon_at(self, progress: float) -> float:
        """Returns the share of random choices for a share of the run that is done."""
        if progress >= self.exploration_fraction:
            return self.end_e
        fall = self.start_e - self.end_e
        return self.start_e - fall * progress / self.exploration_fraction


@dataclass
class Learner:
    """All that changes while training, and what it is saved as.

    Attributes:
        dmc: The hyperparameters.
        network: What an option pays.
        optimizer: Adam over the network.
        collector: The games and the rounds under way.
        memory: What was learnt from last.
        rng: Every random number of the training but the deals.
        description: What a checkpoint of this training fits.
        update: Updates made.
        global_step: Choices trained on.
        epsilon: Share of choices made at random.
        shown: The metrics to show.
    """

    shown: ClassVar[Mapping[str, str]] = _SHOWN

    dmc: DMCConfig
    network: OptionNetwork
    optimizer: torch.optim.Adam
    collector: Collector
    memory: Memory
    rng: np.random.Generator
    description: dict[str, Any]
    update: int = 0
    global_step: int = 0
    epsilon: float = 0.0

    @classmethod
    def new(
        cls,
        rules: RuleConfig,
        network: OptionNetworkConfig,
        options: OptionConfig,
        dmc: DMCConfig,
        run: RunConfig,
    ) -> Self:
        """Returns a learner with fresh games and weights.

        Args:
            rules: The game; an episode is one round.
            network: The shape of the network.
            options: Which options there are.
            dmc: The hyperparameters.
            run: The seed, and the threads of the games.

        Raises:
            ValueError: There is no such opponent, or it is of no use here; see
                `registry.make_agent`.
        """
        made = {name: make_agent(name, rules) for name in dict.fromkeys(dmc.opponents)}
        envs = VectorEnv(dmc.num_envs, rules, run.seed, run.env_threads)
        torch.manual_seed(run.seed)
        judging = OptionNetwork(network)
        rng = np.random.default_rng(run.seed)
        collector = Collector(
            envs,
            judging,
            [made[name] for name in dmc.opponents],
            options,
            rng,
            dmc.self_share,
        )
        return cls(
            dmc=dmc,
            network=judging,
            optimizer=torch.optim.Adam(
                judging.parameters(), lr=dmc.learning_rate, fused=True
            ),
            collector=collector,
            memory=Memory(dmc.buffer_size),
            rng=rng,
            description=describe(rules, options, network),
            epsilon=dmc.start_e,
        )

    @property
    def progress(self) -> float:
        """The share of `total_choices` that is used."""
        return self.update / self.dmc.num_updates

    @property
    def learning_rate(self) -> float:
        """The optimizer's step size."""
        return float(self.optimizer.param_groups[0]["lr"])

    def anneal(self, progress: float) -> None:
        """Sets step size and exploration for a share of the run that is done."""
        self.epsilon = self.dmc.epsilon_at(progress)
        for group in self.optimizer.param_groups:
            group["lr"] = self.dmc.learning_rate_at(progress)

    def learn(self) -> dict[str, float]:
        """Plays, then makes one update from what is remembered; returns its metrics."""
        samples = self.collector.collect(self.dmc.num_choices, self.epsilon)
        self.memory.add(samples)
        loss = fit(
            self.network,
            self.optimizer,
            self.memory,
            self.rng,
            self.dmc.num_steps,
            self.dmc.batch_size,
        )
        self.update += 1
        self.global_step += len(samples.payoffs)
        return {
            "charts/epsilon": self.epsilon,
            **round_metrics(samples),
            "losses/value_loss": loss,
            "losses/explained_variance": 1 - loss / max(self.memory.variance, 1e-8),
        }

    def save(self, folder: Path) -> None:
        """Writes the checkpoint and the policy into the folder."""
        state = {
            "dmc": dataclasses.asdict(self.dmc),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            # as text: its numbers have 128 bits
            "rng": json.dumps(self.rng.bit_generator.state),
            "collector": self.collector.state(),
            "memory": self.memory.state(),
            "update": self.update,
            "global_step": self.global_step,
        }
        path = folder / checkpoint.CHECKPOINT_NAME
        checkpoint.save_checkpoint(path, self.description, state)
        weights = self.network.state_dict()
        checkpoint.save_policy(
            folder / checkpoint.POLICY_NAME, self.description, weights
        )

    def restore(self, path: Path) -> None:
        """Goes on from a checkpoint.

        Rounds go on where they were, unless there are to be more or fewer games or
        others at the tables; then they are dealt anew. What is remembered stays, the
        latest of it where less is to be.

        Raises:
            CheckpointError: It cannot be read or is of another configuration.
        """
        state = checkpoint.load_checkpoint(path)
        checkpoint.check_same(path, state["description"], self.description)
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rng.bit_generator.state = json.loads(state["rng"])
        self.memory.load(state["memory"])
        self.update = state["update"]
        self.global_step = state["global_step"]
        if all(
            state["dmc"][key] == getattr(self.dmc, key)
            for key in ("num_envs", "opponents", "self_share")
        ):
            self.collector.load(state["collector"])


class Choice(NamedTuple):
    """A choice made in a round that still runs: the seat, and what was chosen."""

    seat: int
    features: NDArray[np.float32]


@dataclass
class Samples:
    """Choices of finished rounds with what they paid.

    Attributes:
        features: Float32 `[F]`, K of them.
        payoffs: In the network's units, K of them.
        advantages: The learner's score over the mean of the opponent's, of each
            finished round with an opponent.
        num_rounds: Finished rounds.
    """

    features: list[NDArray[np.float32]] = field(default_factory=list)
    payoffs: list[float] = field(default_factory=list)
    advantages: list[float] = field(default_factory=list)
    num_rounds: int = 0


def round_metrics(samples: Samples) -> dict[str, float]:
    """Returns what finished rounds amount to; NaN where none had an opponent."""
    ahead = samples.advantages
    return {
        "charts/rounds": float(samples.num_rounds),
        "charts/advantage": float(np.mean(ahead)) if ahead else math.nan,
    }


class Collector:
    """Plays rounds with a network on some seats and given agents on the others.

    Args:
        envs: The games, of single rounds; no action may be skipped.
        network: What the learner judges by.
        opponents: Who else may sit at a table.
        options: Which options the learner has.
        rng: What the exploration is drawn from, and seeds of the opponents.
        self_share: The share of tables where the learner sits everywhere; without
            opponents it does at all.
    """

    def __init__(
        self,
        envs: VectorEnv,
        network: OptionNetwork,
        opponents: Sequence[Agent],
        options: OptionConfig,
        rng: np.random.Generator,
        self_share: float = 0.5,
    ) -> None:
        self._envs, self._network, self._options = envs, network, options
        self._num_ranks = envs.config.num_ranks
        self._head_start = HeadStart(envs.config, options.head_start)
        self._opponents = list(opponents)
        self._rng = rng
        rows = np.arange(envs.num_envs)
        seats = rows % envs.num_players
        share = self_share if self._opponents else 1.0
        is_self = rows < share * envs.num_envs
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
        """Plays until so many choices of finished rounds are known.

        Opponents begin anew each time: what they keep in mind is not saved.
        """
        for agent in self._opponents:
            agent.reset(int(self._rng.integers(_MOST_SEED)))
        samples = Samples()
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
        values = self._head_start.add(positions, options, values)
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
        samples.num_rounds += 1
        own = self._lineup[row] == _NONE
        if not own.all():
            samples.advantages.append(float(scores[own].mean() - scores[~own].mean()))
        self._choices[row], self._plans[row] = [], []

    def state(self) -> dict[str, Any]:
        """Returns the games and what was chosen in them, for a checkpoint."""
        games = np.frombuffer(self._envs.save(), dtype=np.uint8)
        made = [
            (row, choice) for row, some in enumerate(self._choices) for choice in some
        ]
        features = np.array([choice.features for _, choice in made], dtype=np.float32)
        return {
            "games": torch.from_numpy(games.copy()),
            "plans": [list(plan) for plan in self._plans],
            "rows": [row for row, _ in made],
            "seats": [choice.seat for _, choice in made],
            "features": torch.from_numpy(features.reshape(-1, NUM_FEATURES)),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Goes on from what `state` returned, with as many games and the same seats."""
        self._envs.load(state["games"].numpy().tobytes())
        self._plans = [list(plan) for plan in state["plans"]]
        self._choices = [[] for _ in self._plans]
        made = zip(
            state["rows"], state["seats"], state["features"].numpy(), strict=True
        )
        for row, seat, features in made:
            self._choices[row].append(Choice(seat, features))


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

    All features but `SHARES` are halves, so a byte holds one exactly.

    Args:
        size: How many.
    """

    def __init__(self, size: int) -> None:
        num_shares = SHARES.stop - SHARES.start
        self._halves = np.zeros((size, NUM_FEATURES), dtype=np.uint8)
        self._shares = np.zeros((size, num_shares), dtype=np.float32)
        self._payoffs = np.zeros(size, dtype=np.float32)
        self._next, self._count = 0, 0

    def __len__(self) -> int:
        """Returns how many there are."""
        return self._count

    @property
    def variance(self) -> float:
        """The variance of the payoffs."""
        return float(self._payoffs[: self._count].var())

    def add(self, samples: Samples) -> None:
        """Adds samples, over the oldest ones."""
        size = len(self._payoffs)
        known = np.array(samples.features[-size:], dtype=np.float32)
        at = (self._next + np.arange(len(known))) % size
        self._halves[at] = known * 2
        self._shares[at] = known[:, SHARES]
        self._payoffs[at] = samples.payoffs[-size:]
        self._next = (self._next + len(at)) % size
        self._count = min(self._count + len(at), size)

    def draw(
        self, count: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns so many of them, drawn with replacement."""
        chosen = rng.integers(self._count, size=count)
        known = self._halves[chosen] * np.float32(0.5)
        known[:, SHARES] = self._shares[chosen]
        return known, self._payoffs[chosen]

    def state(self) -> dict[str, Any]:
        """Returns the samples as tensors, for a checkpoint; they share its memory."""
        return {
            "halves": torch.from_numpy(self._halves[: self._count]),
            "shares": torch.from_numpy(self._shares[: self._count]),
            "payoffs": torch.from_numpy(self._payoffs[: self._count]),
            "next": self._next,
            "size": len(self._payoffs),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Takes over what `state` returned, the latest where less fits."""
        size = len(self._payoffs)
        order = np.arange(len(state["payoffs"]))
        self._next = state["next"]
        if state["size"] != size:  # by age, since the places are no longer the same
            order = np.roll(order, -state["next"])[-size:]
            self._next = len(order) % size
        self._count = len(order)
        self._halves[: self._count] = state["halves"].numpy()[order]
        self._shares[: self._count] = state["shares"].numpy()[order]
        self._payoffs[: self._count] = state["payoffs"].numpy()[order]


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
