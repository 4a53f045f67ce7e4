"""Masked proximal policy optimisation by self-play, or against a pool of agents.

Read from `Learner` downwards. Hyperparameters and log keys are named as in CleanRL. The
games are stepped many at once, one network on every seat that is not another agent's
(`pool`). Every action of the network is a sample, and a sample's advantage counts to
the *same seat's* next action (`returns.seat_gae`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from agents import checkpoint, losses
from agents.base import Agent
from agents.networks import (
    CentralCritic,
    Network,
    NetworkConfig,
    make_network,
    masked_log_probs,
    sample_actions,
)
from agents.pool import Pool, advantages_over_pool
from agents.registry import make_agent
from agents.returns import seat_gae
from agents.run import RunConfig
from agents.suits import (
    exchange_actions,
    exchange_masks,
    exchange_seen,
    random_orders,
)
from agents.truncation import games_near_the_limit, positions_after
from rummy_env import VectorEnv
from rummy_env.actions import NUM_ACTIONS
from rummy_env.config import RuleConfig

_SHOWN: Final = {
    "charts/SPS": "steps/s",
    "charts/episodic_return": "score a round",
    "losses/entropy": "entropy",
    "losses/approx_kl": "kl",
    "losses/explained_variance": "explained variance",
}
_SHOWN_OF_POOL: Final = {"charts/advantage": "points ahead"}


@dataclass(frozen=True, kw_only=True)
class PPOConfig:
    """The hyperparameters of PPO, named as in CleanRL.

    Attributes:
        total_timesteps: Actions to play, over all games; those of opponents count.
        learning_rate: Adam's step size at the start.
        anneal_lr: Whether the step size falls to zero over the run.
        num_envs: Games at once.
        num_steps: Actions in each game between updates.
        gamma: Discount from one action of a seat to its next.
        gae_lambda: Lambda of the generalised advantage estimate.
        num_minibatches: Minibatches in an epoch; divides num_envs * num_steps.
        update_epochs: Passes over the samples of an update.
        norm_adv: Whether advantages are normalised in each minibatch.
        clip_coef: Clip range of the probability ratio.
        clip_vloss: Whether the value's change is clipped likewise.
        ent_coef: Weight of the entropy bonus at the start.
        ent_coef_final: Its weight at the end, to which it falls or rises evenly; null
            keeps it as it is.
        vf_coef: Weight of the value loss.
        max_grad_norm: Largest norm of a gradient.
        target_kl: Ends an update's epochs early above this KL divergence; null never.
        episode: What an episode is: a "round", or a "game" to the target score.
        reward: What is learnt from: "score", "zero_sum" or "win".
        reward_scale: Factor on the rewards, to bring returns near 1.
        opponents: Agents to play against, by name or path; one that is named twice
            plays twice as often. Their actions are not trained on.
        past_selves: The most earlier versions of the network to play against; the
            oldest gives way to the newest.
        past_every: Updates from one version that is kept to the next.
        self_share: Share of the tables where the network has every seat. At the others
            it has one, and one opponent or earlier version, drawn anew for every
            episode, all the rest; without any, it has every seat there too.
        central_critic: Whether the values in training come from a network of their own,
            of the same shape, that sees what every seat sees, all hands but not the
            order of the stock. It takes part in no play, and a batch takes as much
            memory more for every other seat.
        augment_suits: Whether the suits of every sample are exchanged at random each
            time it is learnt from; of no use to a network whose suits are shared. What
            `approx_kl` and `clipfrac` say then grows by how far the policy's answers
            to the same position in other suits are apart.

    Raises:
        ValueError: A value is out of range or does not fit the others.
    """

    total_timesteps: int = 50_000_000
    learning_rate: float = 5e-4
    anneal_lr: bool = True
    num_envs: int = 256
    num_steps: int = 64
    gamma: float = 1.0
    gae_lambda: float = 0.95
    num_minibatches: int = 8
    update_epochs: int = 2
    norm_adv: bool = True
    clip_coef: float = 0.2
    clip_vloss: bool = False
    ent_coef: float = 0.05
    ent_coef_final: float | None = None
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float | None = None
    episode: Literal["round", "game"] = "round"
    reward: Literal["score", "zero_sum", "win"] = "zero_sum"
    reward_scale: float = 0.02
    opponents: tuple[str, ...] = ()
    past_selves: int = 0
    past_every: int = 50
    self_share: float = 0.5
    central_critic: bool = False
    augment_suits: bool = False

    def __post_init__(self) -> None:
        """Checks the values."""
        object.__setattr__(self, "opponents", tuple(self.opponents))
        self._check_numbers()
        if self.batch_size % self.num_minibatches:
            raise ValueError(
                f"ppo.num_minibatches is {self.num_minibatches} and does not divide "
                f"num_envs * num_steps = {self.batch_size}"
            )

    def _check_numbers(self) -> None:
        """Checks that every number is in its range."""
        counts = ("num_envs", "num_steps", "num_minibatches", "update_epochs")
        for name in ("total_timesteps", "past_every", *counts):
            if getattr(self, name) < 1:
                raise ValueError(f"ppo.{name} is 1 or more, not {getattr(self, name)}")
        for name in ("learning_rate", "clip_coef", "max_grad_norm", "reward_scale"):
            if getattr(self, name) <= 0:
                raise ValueError(f"ppo.{name} is above 0, not {getattr(self, name)}")
        for name in ("gamma", "gae_lambda", "self_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"ppo.{name} is 0 to 1, not {getattr(self, name)}")
        for name in ("ent_coef", "ent_coef_final", "vf_coef", "past_selves"):
            weight = getattr(self, name)
            if weight is not None and weight < 0:
                raise ValueError(f"ppo.{name} is 0 or more, not {weight}")
        if self.target_kl is not None and self.target_kl <= 0:
            raise ValueError(f"ppo.target_kl is above 0 or null, not {self.target_kl}")

    @property
    def batch_size(self) -> int:
        """The actions of an update."""
        return self.num_envs * self.num_steps

    @property
    def num_updates(self) -> int:
        """The updates that make up `total_timesteps`, at least one."""
        return max(1, self.total_timesteps // self.batch_size)

    @property
    def has_pool(self) -> bool:
        """Whether others than the network will ever play."""
        return bool(self.opponents) or self.past_selves > 0

    def ent_coef_at(self, progress: float) -> float:
        """Returns the entropy's weight for a share of the run, 0 to 1, that is done."""
        if self.ent_coef_final is None:
            return self.ent_coef
        return self.ent_coef + (self.ent_coef_final - self.ent_coef) * progress


@dataclass
class Learner:
    """All that changes while training, and what it is saved as.

    Attributes:
        ppo: The hyperparameters.
        envs: The games.
        network: The policy and, without a critic, the value.
        critic: The value that sees what all seats see, or None.
        optimizer: Adam over both.
        generator: Every random number of the training but the deals.
        pool: Who else plays.
        description: What a checkpoint of this training fits.
        update: Updates made.
        global_step: Actions trained on.
        ent_coef: Weight of the entropy bonus now.
        batch: Memory for the samples of an update.
    """

    ppo: PPOConfig
    envs: VectorEnv
    network: Network
    critic: CentralCritic | None
    optimizer: torch.optim.Adam
    generator: torch.Generator
    pool: Pool
    description: dict[str, Any]
    update: int = 0
    global_step: int = 0
    ent_coef: float = field(init=False)
    batch: Batch = field(init=False)

    def __post_init__(self) -> None:
        """Makes the memory."""
        self.ent_coef = self.ppo.ent_coef
        self.batch = Batch.empty(self.envs, self.ppo)

    @classmethod
    def new(
        cls,
        rules: RuleConfig,
        network: NetworkConfig,
        ppo: PPOConfig,
        run: RunConfig,
        make_envs: Callable[..., VectorEnv] = VectorEnv,
    ) -> Self:
        """Returns a learner with fresh games and weights.

        Args:
            rules: The game.
            network: The shape of the network.
            ppo: The hyperparameters.
            run: The seed, and the threads of the games.
            make_envs: Makes the games, for tests.

        Raises:
            ValueError: There is no such opponent, or it is of no use here; see
                `registry.make_agent`.
        """
        opponents = [make_agent(name, rules) for name in ppo.opponents]
        envs = _new_games(rules, ppo, run, make_envs)
        torch.manual_seed(run.seed)
        sizes = (envs.observation_size, NUM_ACTIONS)
        actor_critic = make_network(*sizes, network)
        critic = (
            CentralCritic(*sizes, envs.num_players, network)
            if ppo.central_critic
            else None
        )
        generator = torch.Generator().manual_seed(run.seed)
        return cls(
            ppo=ppo,
            envs=envs,
            network=actor_critic,
            critic=critic,
            optimizer=_new_optimizer(actor_critic, critic, ppo),
            generator=generator,
            pool=_new_pool(opponents, actor_critic, envs, ppo, generator),
            description=checkpoint.describe(
                rules=rules.options(),
                network=dataclasses.asdict(network),
                observation_size=envs.observation_size,
                num_actions=NUM_ACTIONS,
            ),
        )

    @property
    def shown(self) -> Mapping[str, str]:
        """The metrics to show."""
        return {**_SHOWN, **_SHOWN_OF_POOL} if self.ppo.has_pool else _SHOWN

    @property
    def progress(self) -> float:
        """The share of `total_timesteps` that is used."""
        return self.update / self.ppo.num_updates

    @property
    def learning_rate(self) -> float:
        """The optimizer's step size."""
        return float(self.optimizer.param_groups[0]["lr"])

    def anneal(self, progress: float) -> None:
        """Sets step size and entropy for a share of the run, 0 to 1, that is done."""
        self.ent_coef = self.ppo.ent_coef_at(progress)
        remaining = 1 - progress if self.ppo.anneal_lr else 1.0
        for group in self.optimizer.param_groups:
            group["lr"] = self.ppo.learning_rate * remaining

    def learn(self) -> dict[str, float]:
        """Makes one update from new samples; returns its metrics."""
        metrics = {**collect(self, self.batch), **improve(self, self.batch)}
        if self.ppo.past_selves and self.update % self.ppo.past_every == 0:
            self.pool.add_self()
        return metrics

    def save(self, folder: Path) -> None:
        """Writes the checkpoint and the policy into the folder."""
        games = np.frombuffer(self.envs.save(), dtype=np.uint8)
        state = {
            "ppo": dataclasses.asdict(self.ppo),
            "network": self.network.state_dict(),
            "critic": None if self.critic is None else self.critic.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "games": torch.from_numpy(games.copy()),
            "pool": self.pool.state(),
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

        Games go on where they were, unless there are to be more or fewer of them or
        their episodes differ; then they are dealt anew. Earlier versions in the pool
        stay, and all seats where the games and the rest of the pool do.

        Raises:
            CheckpointError: It cannot be read or is of another configuration.
        """
        state = checkpoint.load_checkpoint(path)
        checkpoint.check_same(path, _description_of(state), self.description)
        critic = state.get("critic")
        if (critic is None) is not (self.critic is None):
            raise checkpoint.CheckpointError(
                f"{path} was trained {'without' if critic is None else 'with'} "
                "ppo.central_critic"
            )
        self.network.load_state_dict(state["network"])
        if self.critic is not None and critic is not None:
            self.critic.load_state_dict(critic)
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        self.update = state["update"]
        self.global_step = state["global_step"]
        same_games = self._is_same(state, "num_envs", "episode", "reward")
        if same_games:
            self.envs.load(state["games"].numpy().tobytes())
        if "pool" in state:  # there was none once
            same_pool = self._is_same(state, "opponents", "past_selves", "self_share")
            self.pool.load(state["pool"], same_tables=same_games and same_pool)

    def _is_same(self, state: Mapping[str, Any], *keys: str) -> bool:
        """Returns whether hyperparameters are those of a saved training."""
        saved = state["ppo"]
        return all(saved.get(key) == getattr(self.ppo, key) for key in keys)


def _new_games(
    rules: RuleConfig,
    ppo: PPOConfig,
    run: RunConfig,
    make_envs: Callable[..., VectorEnv],
) -> VectorEnv:
    """Returns games just dealt."""
    envs = make_envs(
        num_envs=ppo.num_envs,
        config=rules,
        seed=run.seed,
        num_threads=run.env_threads,
        episode=ppo.episode,
        reward=ppo.reward,
        skip_forced=True,
    )
    envs.reset()
    return envs


def _new_optimizer(
    network: Network, critic: CentralCritic | None, ppo: PPOConfig
) -> torch.optim.Adam:
    """Returns Adam over all weights."""
    weights = list(network.parameters())
    if critic is not None:
        weights += critic.parameters()
    return torch.optim.Adam(weights, lr=ppo.learning_rate, eps=1e-5, fused=True)


def _new_pool(
    opponents: Sequence[Agent],
    network: Network,
    envs: VectorEnv,
    ppo: PPOConfig,
    generator: torch.Generator,
) -> Pool:
    """Returns who else plays, seated."""
    return Pool(
        opponents,
        network,
        past_selves=ppo.past_selves,
        self_share=ppo.self_share,
        num_rows=envs.num_envs,
        num_seats=envs.num_players,
        generator=generator,
    )


@dataclass
class Batch:
    """The samples of one update: T steps in N games of P seats.

    Attributes:
        observations: What the acting player saw, float32 `[T, N, D]`.
        masks: The legal actions, int8 `[T, N, A]`.
        others: What each other seat saw, from the next one on, float32
            `[T, N, P - 1, D]`; with a central critic, else `[T, N, 0, D]`.
        actions: The actions taken, int64 `[T, N]`.
        log_probs: Their log probabilities, float32 `[T, N]`.
        values: Values to the acting player, float32 `[T, N]`.
        players: The acting players, int64 `[T, N]`.
        is_own: Whether the network acted, bool `[T, N]`. Other steps are no samples:
            their log probabilities and values are 0, advantages and returns mean
            nothing.
        rewards: Scaled rewards of every seat, float32 `[T, N, P]`.
        ended: Whether an episode ended in the step, bool `[T, N]`.
        final_values: Values to every seat of what would have followed an episode that
            was truncated in the step, else 0, float32 `[T, N, P]`.
        bootstrap: Values to every seat after the last step, float32 `[N, P]`.
        advantages: Float32 `[T, N]`.
        returns: Float32 `[T, N]`.
    """

    observations: Tensor
    masks: Tensor
    others: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    players: NDArray[np.int64]
    is_own: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]
    final_values: NDArray[np.float32]
    bootstrap: NDArray[np.float32]
    advantages: Tensor
    returns: Tensor

    @classmethod
    def empty(cls, envs: VectorEnv, ppo: PPOConfig) -> Self:
        """Returns memory for a batch, used again in every update."""
        steps, rows = shape = (ppo.num_steps, ppo.num_envs)
        num_others = envs.num_players - 1 if ppo.central_critic else 0
        return cls(
            observations=torch.empty((*shape, envs.observation_size)),
            masks=torch.empty((*shape, NUM_ACTIONS), dtype=torch.int8),
            others=torch.empty((*shape, num_others, envs.observation_size)),
            actions=torch.empty(shape, dtype=torch.int64),
            log_probs=torch.empty(shape),
            values=torch.empty(shape),
            players=np.empty(shape, dtype=np.int64),
            is_own=np.empty(shape, dtype=np.bool_),
            rewards=np.empty((steps, rows, envs.num_players), dtype=np.float32),
            ended=np.empty(shape, dtype=np.bool_),
            final_values=np.zeros((steps, rows, envs.num_players), dtype=np.float32),
            bootstrap=np.empty((rows, envs.num_players), dtype=np.float32),
            advantages=torch.empty(shape),
            returns=torch.empty(shape),
        )


@torch.no_grad()
def collect(learner: Learner, batch: Batch) -> dict[str, float]:
    """Plays T steps in every game into the batch, with advantages and returns.

    Nothing follows an episode that terminated; one that was truncated (`max_rounds`
    reached) is worth to its seats what the next round would have been.

    Returns:
        The metrics of the episodes that ended.
    """
    ppo, envs = learner.ppo, learner.envs
    learner.pool.restart()
    finished: list[Finished] = []
    for step in range(ppo.num_steps):
        finished.append(advance(learner, batch, step))
    seen = np.stack([envs.observe(seat) for seat in range(envs.num_players)], axis=1)
    batch.bootstrap[:] = seat_values(
        learner, seen, envs.action_mask, envs.current_player
    )
    advantages, returns = seat_gae(
        batch.values.numpy(),
        batch.players,
        batch.rewards,
        batch.ended,
        batch.bootstrap,
        ppo.gamma,
        ppo.gae_lambda,
        batch.final_values,
    )
    batch.advantages.copy_(torch.from_numpy(advantages))
    batch.returns.copy_(torch.from_numpy(returns))
    learner.global_step += int(batch.is_own.sum())
    scores, own = (np.concatenate(some) for some in zip(*finished, strict=True))
    metrics = episode_metrics(scores, ppo.batch_size)
    return {**metrics, **pool_metrics(scores, own)} if ppo.has_pool else metrics


class Finished(NamedTuple):
    """The episodes that ended in a step.

    Attributes:
        scores: Final scores, `[E, P]`.
        own: Which seats were the network's, `[E, P]`.
    """

    scores: NDArray[np.int64]
    own: NDArray[np.bool_]


def advance(learner: Learner, batch: Batch, step: int) -> Finished:
    """Plays one step in every game and notes what came of it."""
    envs, ppo = learner.envs, learner.ppo
    actions = choose(learner, batch, step)
    batch.players[step] = envs.current_player
    near = games_near_the_limit(envs) if ppo.episode == "game" else {}
    envs.step(actions)
    np.multiply(envs.reward, ppo.reward_scale, out=batch.rewards[step])
    np.logical_or(envs.terminated, envs.truncated, out=batch.ended[step])
    batch.final_values[step] = 0
    if truncated := [row for row in near if envs.truncated[row]]:
        rows = np.array(truncated)
        after = positions_after(near, rows, actions[rows])
        batch.final_values[step, rows] = seat_values(learner, *after)
    ended = batch.ended[step]
    finished = Finished(envs.final_scores[ended], learner.pool.own_seats()[ended])
    learner.pool.draw(ended)
    return finished


def choose(learner: Learner, batch: Batch, step: int) -> NDArray[np.int64]:
    """Chooses an action for every game, `[N]`, and notes what the network drew from."""
    envs = learner.envs
    batch.observations[step] = torch.from_numpy(envs.observation)
    batch.masks[step] = torch.from_numpy(envs.action_mask)
    for distance in range(1, batch.others.shape[2] + 1):
        seats = (envs.current_player + distance) % envs.num_players
        batch.others[step, :, distance - 1] = torch.from_numpy(envs.observe(seats))
    batch.is_own[step] = learner.pool.is_own(envs.current_player)
    rows = torch.from_numpy(batch.is_own[step]).nonzero().squeeze(1)
    masks = batch.masks[step, rows]
    logits, values = judge(
        learner, batch.observations[step, rows], masks, batch.others[step, rows]
    )
    log_probs = masked_log_probs(logits, masks)
    drawn = sample_actions(log_probs, learner.generator)
    actions = np.zeros(envs.num_envs, dtype=np.int64)
    actions[batch.is_own[step]] = drawn.numpy()
    learner.pool.act(envs, actions)
    batch.actions[step] = torch.from_numpy(actions)
    for noted in (batch.log_probs, batch.values):
        noted[step] = 0
    batch.log_probs[step, rows] = log_probs.gather(1, drawn[:, None]).squeeze(1)
    batch.values[step, rows] = values
    return actions


def judge(
    learner: Learner, observations: Tensor, masks: Tensor, others: Tensor
) -> tuple[Tensor, Tensor]:
    """Returns logits, `[B, A]`, and values, `[B]`; arguments as in `CentralCritic`.

    The policy has no way to see the others.
    """
    logits, values = learner.network(observations, masks)
    if learner.critic is not None:
        values = learner.critic(observations, masks, others)
    return logits, values


@torch.no_grad()
def seat_values(
    learner: Learner,
    seen: NDArray[np.float32],
    masks: NDArray[np.int8],
    players: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Returns what positions are worth to every seat, float32 `[K, P]`.

    Args:
        learner: Who judges.
        seen: What every seat sees, `[K, P, D]`.
        masks: The legal actions of who is to act, `[K, A]`.
        players: Who is to act, `[K]`.
    """
    values = np.empty(seen.shape[:2], dtype=np.float32)
    for seat in range(seen.shape[1]):
        own, *others = torch.from_numpy(seen).roll(-seat, dims=1).unbind(1)
        legal = torch.from_numpy(masks * (players == seat)[:, None])
        if learner.critic is None:
            value = learner.network.value(own, legal)
        else:
            value = learner.critic(own, legal, torch.stack(others, dim=1))
        values[:, seat] = value.numpy()
    return values


def episode_metrics(scores: NDArray[np.int64], num_actions: int) -> dict[str, float]:
    """Returns what the ended episodes amount to; NaN where none ended.

    Args:
        scores: Final scores of the ended episodes, `[E, P]`.
        num_actions: Actions taken in all games meanwhile.
    """
    num_episodes = len(scores)
    return {
        "charts/episodes": float(num_episodes),
        "charts/episodic_return": float(scores.mean()) if num_episodes else math.nan,
        "charts/episodic_length": num_actions / num_episodes
        if num_episodes
        else math.nan,
    }


def pool_metrics(scores: NDArray[np.int64], own: NDArray[np.bool_]) -> dict[str, float]:
    """Returns how far the network was ahead of the pool; NaN where they did not meet.

    Args:
        scores: Final scores of the ended episodes, `[E, P]`.
        own: Which seats were the network's, `[E, P]`.
    """
    ahead = advantages_over_pool(scores, own)
    return {"charts/advantage": float(ahead.mean()) if len(ahead) else math.nan}


def improve(learner: Learner, batch: Batch) -> dict[str, float]:
    """Makes one update of the network from the batch.

    Returns:
        The losses, each the mean over the minibatches.
    """
    ppo = learner.ppo
    steps: list[dict[str, Tensor]] = []
    for _ in range(ppo.update_epochs):
        kls = []
        for minibatch in minibatches(batch, ppo, learner.generator):
            if ppo.augment_suits:
                minibatch = in_random_suits(minibatch, learner.generator)
            loss, metrics = ppo_loss(learner, minibatch)
            learner.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            for module in (learner.network, learner.critic):
                if module is not None:
                    clip_grad_norm_(module.parameters(), ppo.max_grad_norm)
            learner.optimizer.step()
            steps.append(metrics)
            kls.append(metrics["losses/approx_kl"])
        if ppo.target_kl is not None and torch.stack(kls).mean() > ppo.target_kl:
            break
    if not steps:
        raise ValueError("the network had no action in an update: raise ppo.num_steps")
    learner.update += 1
    own = torch.from_numpy(batch.is_own)
    explained = losses.explained_variance(batch.values[own], batch.returns[own])
    means = {
        key: float(torch.stack([m[key] for m in steps]).mean()) for key in steps[0]
    }
    return {**means, "losses/explained_variance": float(explained)}


@dataclass(frozen=True)
class Minibatch:
    """Samples of a batch in random order: its fields, each `[B, ...]`."""

    observations: Tensor
    masks: Tensor
    others: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    advantages: Tensor
    returns: Tensor


def _description_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a checkpoint fits; options newer than it had their defaults."""
    saved: dict[str, Any] = state["description"]
    network = {**dataclasses.asdict(NetworkConfig()), **saved.get("network", {})}
    return {**saved, "network": network}


def in_random_suits(samples: Minibatch, generator: torch.Generator) -> Minibatch:
    """Returns the samples with the suits of each exchanged at random.

    The probability that an action was drawn with stays, since the game that it was
    drawn in is the same under other names.
    """
    orders = random_orders(len(samples.actions), generator)
    return dataclasses.replace(
        samples,
        observations=exchange_seen(samples.observations, orders),
        masks=exchange_masks(samples.masks, orders),
        others=exchange_seen(samples.others, orders),
        actions=exchange_actions(samples.actions, orders),
    )


def minibatches(
    batch: Batch, ppo: PPOConfig, generator: torch.Generator
) -> Iterator[Minibatch]:
    """Yields every sample of the batch once, in minibatches of nearly equal size."""
    names = [field.name for field in dataclasses.fields(Minibatch)]
    flat = {name: getattr(batch, name).flatten(0, 1) for name in names}
    own = torch.from_numpy(batch.is_own).flatten().nonzero().squeeze(1)
    order = own[torch.randperm(len(own), generator=generator)]
    count = min(ppo.num_minibatches, len(own))
    for chosen in order.tensor_split(count) if count else ():
        yield Minibatch(**{name: values[chosen] for name, values in flat.items()})


def ppo_loss(learner: Learner, samples: Minibatch) -> tuple[Tensor, dict[str, Tensor]]:
    """Returns the loss `[]`, and its parts detached for the log."""
    ppo = learner.ppo
    logits, values = judge(learner, samples.observations, samples.masks, samples.others)
    log_probs = masked_log_probs(logits, samples.masks)
    chosen = log_probs.gather(1, samples.actions[:, None]).squeeze(1)
    log_ratio = chosen - samples.log_probs
    advantages = samples.advantages
    if ppo.norm_adv:
        advantages = losses.normalized(advantages)
    policy_loss = losses.clipped_policy_loss(log_ratio, advantages, ppo.clip_coef)
    if ppo.clip_vloss:
        value_loss = losses.clipped_value_loss(
            values, samples.values, samples.returns, ppo.clip_coef
        )
    else:
        value_loss = losses.value_loss(values, samples.returns)
    entropy = losses.entropy(log_probs)
    loss = policy_loss - learner.ent_coef * entropy + ppo.vf_coef * value_loss
    log_ratio = log_ratio.detach()
    parts: Mapping[str, Tensor] = {
        "losses/value_loss": value_loss,
        "losses/policy_loss": policy_loss,
        "losses/entropy": entropy,
        "losses/old_approx_kl": losses.old_approx_kl(log_ratio),
        "losses/approx_kl": losses.approx_kl(log_ratio),
        "losses/clipfrac": losses.clip_fraction(log_ratio, ppo.clip_coef),
    }
    return loss, {key: part.detach() for key, part in parts.items()}
