"""The networks, and how a mask turns their outputs into a policy."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Final, Literal, cast

import torch
from torch import Tensor, nn

from agents.suits import PLAYED, PLAYED_BESIDE, SEEN, SEEN_BESIDE
from rummy_env.actions import NUM_ACTIONS
from rummy_env.observation import SIZE

MASKED_LOGIT: Final = -1e8
"""Stands for minus infinity: its exponential is exactly 0, and 0 times it is no NaN."""

_ACTIVATIONS: Final = {"relu": nn.ReLU, "tanh": nn.Tanh}


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """The shape of the network.

    Attributes:
        hidden_sizes: Units of each hidden layer, shared by policy and value.
        activation: The nonlinearity after each hidden layer.
        sees_mask: Whether the mask is an input too, so that what can be laid on the
            table at hand need not be worked out anew from the cards.
        suits: "plain" takes all cards as one vector; "shared" applies the same weights
            to each suit, each layer with the mean of all suits beside it, so that
            positions that differ by an exchange of suits are the same to it.

    Raises:
        ValueError: There is no hidden layer, or one without units, or a word is
            unknown.
    """

    hidden_sizes: tuple[int, ...] = (256, 256)
    activation: Literal["relu", "tanh"] = "relu"
    sees_mask: bool = True
    suits: Literal["plain", "shared"] = "plain"

    def __post_init__(self) -> None:
        """Checks the values."""
        object.__setattr__(self, "hidden_sizes", tuple(self.hidden_sizes))
        if not self.hidden_sizes or min(self.hidden_sizes) < 1:
            raise ValueError(
                "network.hidden_sizes needs one or more layers of one or more units, "
                f"not {list(self.hidden_sizes)}"
            )
        if self.activation not in _ACTIVATIONS:
            raise ValueError(
                f"network.activation is one of {', '.join(_ACTIVATIONS)}, "
                f"not {self.activation!r}"
            )
        if self.suits not in ("plain", "shared"):
            raise ValueError(
                f"network.suits is one of plain, shared, not {self.suits!r}"
            )


def _linear(num_inputs: int, num_outputs: int, gain: float) -> nn.Linear:
    """Returns a layer with orthogonal weights times `gain` and biases of zero."""
    layer = nn.Linear(num_inputs, num_outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def _trunk(num_inputs: int, config: NetworkConfig) -> nn.Sequential:
    """Returns the hidden layers."""
    layers: list[nn.Module] = []
    for size, next_size in itertools.pairwise((num_inputs, *config.hidden_sizes)):
        layers.append(_linear(size, next_size, math.sqrt(2)))
        layers.append(_ACTIVATIONS[config.activation]())
    return nn.Sequential(*layers)


class ActorCritic(nn.Module):
    """A policy and a value over one shared trunk, for every seat the same.

    Args:
        observation_size: Length D of an observation.
        num_actions: Length A of a mask.
        config: The shape of the network.
    """

    def __init__(
        self, observation_size: int, num_actions: int, config: NetworkConfig
    ) -> None:
        super().__init__()
        self.observation_size = observation_size
        self.num_actions = num_actions
        self.config = config
        num_inputs = observation_size + num_actions * config.sees_mask
        self.trunk = _trunk(num_inputs, config)
        # A small gain starts the policy near uniform over the legal actions.
        self.policy_head = _linear(config.hidden_sizes[-1], num_actions, 0.01)
        self.value_head = _linear(config.hidden_sizes[-1], 1, 1.0)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Returns unmasked logits and values.

        Args:
            observations: Float32 `[B, D]`.
            masks: Int8 `[B, A]`; all 0 for a player who is not to act.

        Returns:
            Logits float32 `[B, A]` and values float32 `[B]`.
        """
        features = self._features(observations, masks)
        return self.policy_head(features), self.value_head(features).squeeze(-1)

    def value(self, observations: Tensor, masks: Tensor) -> Tensor:
        """Returns the values alone, float32 `[B]`; arguments as in `forward`."""
        features = self._features(observations, masks)
        return cast(Tensor, self.value_head(features).squeeze(-1))

    def _features(self, observations: Tensor, masks: Tensor) -> Tensor:
        """Returns the last hidden layer, float32 `[B, H]`."""
        if self.config.sees_mask:
            observations = torch.cat((observations, masks.float()), dim=-1)
        return cast(Tensor, self.trunk(observations))


class SuitTrunk(nn.Module):
    """Hidden layers with the same weights for each suit.

    A layer maps a suit's features h_s to `act(A h_s + B mean_s(h_s) + b)`, after Zaheer
    et al., Deep Sets (2017), arXiv:1703.06114; what is of no suit stands beside the
    first mean. Exchanging suits in the input exchanges them in the output.

    Args:
        num_seats: Seats P whose observations it sees.
        config: The shape of the network.
    """

    def __init__(self, num_seats: int, config: NetworkConfig) -> None:
        super().__init__()
        self.sees_mask = config.sees_mask
        num_inputs = num_seats * SEEN.shape[1] + PLAYED.shape[1] * config.sees_mask
        num_beside = num_seats * len(SEEN_BESIDE) + len(PLAYED_BESIDE) * self.sees_mask
        sizes = (num_inputs, *config.hidden_sizes)
        # Two layers of gain 1 add up to the variance of one of gain sqrt(2).
        self.own = nn.ModuleList(
            _linear(*pair, 1.0) for pair in itertools.pairwise(sizes)
        )
        self.all = nn.ModuleList(
            _linear(size + (num_beside if number == 0 else 0), next_size, 1.0)
            for number, (size, next_size) in enumerate(itertools.pairwise(sizes))
        )
        self.activation = _ACTIVATIONS[config.activation]()

    def forward(self, observations: Tensor, masks: Tensor) -> Tensor:
        """Returns the last hidden layer of each suit, float32 `[B, 4, H]`.

        Args:
            observations: What some seats see, float32 `[B, P, D]`.
            masks: Int8 `[B, A]`.
        """
        hidden = observations[..., SEEN].transpose(1, 2).flatten(2)
        beside = observations[..., SEEN_BESIDE].flatten(1)
        if self.sees_mask:
            legal = masks.float()
            hidden = torch.cat((hidden, legal[:, PLAYED]), dim=-1)
            beside = torch.cat((beside, legal[:, PLAYED_BESIDE]), dim=-1)
        for number, (own, of_all) in enumerate(zip(self.own, self.all, strict=True)):
            pooled = hidden.mean(dim=1)
            if number == 0:
                pooled = torch.cat((pooled, beside), dim=-1)
            hidden = self.activation(own(hidden) + of_all(pooled)[:, None])
        return hidden


class SuitActorCritic(nn.Module):
    """A policy and a value to which suits are interchangeable.

    Card actions come from their suit's features, the others and the value from the
    mean over the suits.

    Args:
        observation_size: Length D of an observation.
        num_actions: Length A of a mask.
        config: The shape of the network.

    Raises:
        ValueError: The lengths are not those of the game.
    """

    def __init__(
        self, observation_size: int, num_actions: int, config: NetworkConfig
    ) -> None:
        super().__init__()
        if (observation_size, num_actions) != (SIZE, NUM_ACTIONS):
            raise ValueError(
                "network.suits is shared only where an observation has "
                f"{SIZE} numbers and a mask {NUM_ACTIONS}"
            )
        self.observation_size = observation_size
        self.num_actions = num_actions
        self.config = config
        self.trunk = SuitTrunk(1, config)
        size = config.hidden_sizes[-1]
        self.card_head = _linear(size, PLAYED.shape[1], 0.01)
        self.other_head = _linear(size, len(PLAYED_BESIDE), 0.01)
        self.value_head = _linear(size, 1, 1.0)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Returns unmasked logits and values; see `ActorCritic.forward`."""
        suits = self.trunk(observations[:, None], masks)
        pooled = suits.mean(dim=1)
        logits = suits.new_empty(len(suits), self.num_actions)
        logits[:, PLAYED] = self.card_head(suits)
        logits[:, PLAYED_BESIDE] = self.other_head(pooled)
        return logits, self.value_head(pooled).squeeze(-1)

    def value(self, observations: Tensor, masks: Tensor) -> Tensor:
        """Returns the values alone, float32 `[B]`; arguments as in `forward`."""
        pooled = self.trunk(observations[:, None], masks).mean(dim=1)
        return cast(Tensor, self.value_head(pooled).squeeze(-1))


Network = ActorCritic | SuitActorCritic


def make_network(
    observation_size: int, num_actions: int, config: NetworkConfig
) -> Network:
    """Returns a policy and a value; arguments as in `ActorCritic`.

    Raises:
        ValueError: See `SuitActorCritic`.
    """
    if config.suits == "shared":
        return SuitActorCritic(observation_size, num_actions, config)
    return ActorCritic(observation_size, num_actions, config)


class CentralCritic(nn.Module):
    """A value that sees what all seats see; for training, since no player may.

    Args:
        observation_size: Length D of an observation.
        num_actions: Length A of a mask.
        num_seats: Seats P.
        config: The shape of the network.
    """

    def __init__(
        self,
        observation_size: int,
        num_actions: int,
        num_seats: int,
        config: NetworkConfig,
    ) -> None:
        super().__init__()
        self.config = config
        num_inputs = observation_size * num_seats + num_actions * config.sees_mask
        self.trunk: nn.Module
        if config.suits == "shared":
            self.trunk = SuitTrunk(num_seats, config)
        else:
            self.trunk = _trunk(num_inputs, config)
        self.value_head = _linear(config.hidden_sizes[-1], 1, 1.0)

    def forward(self, observations: Tensor, masks: Tensor, others: Tensor) -> Tensor:
        """Returns the values to a seat, float32 `[B]`.

        Args:
            observations: What the seat sees, float32 `[B, D]`.
            masks: Int8 `[B, A]`; all 0 for a seat that is not to act.
            others: What each other seat sees, from the next one on, `[B, P - 1, D]`.
        """
        seen = torch.cat((observations[:, None], others), dim=1)
        if self.config.suits == "shared":
            features = self.trunk(seen, masks).mean(dim=1)
        else:
            inputs = seen.flatten(1)
            if self.config.sees_mask:
                inputs = torch.cat((inputs, masks.float()), dim=-1)
            features = self.trunk(inputs)
        return cast(Tensor, self.value_head(features).squeeze(-1))


def masked_log_probs(logits: Tensor, masks: Tensor) -> Tensor:
    """Returns the log probabilities of a softmax over the legal actions.

    `log pi(a) = l_a - log sum_{b legal} exp(l_b)` for legal a. The probability of an
    illegal action is exactly 0, and the gradient of its logit exactly zero. A row
    without legal actions becomes uniform over all.

    Args:
        logits: Float32 `[B, A]`.
        masks: Nonzero where legal, `[B, A]`.

    Returns:
        Float32 `[B, A]`, about -1e8 where illegal.
    """
    return torch.where(masks != 0, logits, MASKED_LOGIT).log_softmax(dim=-1)


def sample_actions(log_probs: Tensor, generator: torch.Generator) -> Tensor:
    """Draws an action from each row's distribution, by inverting its running sum.

    The first action whose running sum reaches a threshold drawn from `(0, total]`: an
    action of probability 0 never is the first.

    Args:
        log_probs: Float32 `[B, A]`.
        generator: Where the random numbers come from.

    Returns:
        Action ids, int64 `[B]`.
    """
    running = log_probs.exp().cumsum(dim=-1)
    uniform = torch.rand(len(log_probs), generator=generator)
    threshold = (1 - uniform) * running[:, -1]
    return (running < threshold[:, None]).sum(dim=-1)
