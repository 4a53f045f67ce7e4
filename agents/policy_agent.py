"""A trained network as an agent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.checkpoint import CheckpointError, load_policy, name_of
from agents.networks import (
    Network,
    NetworkConfig,
    make_network,
    masked_log_probs,
    sample_actions,
)
from rummy_env.actions import NUM_ACTIONS
from rummy_env.config import RuleConfig


class PolicyAgent:
    """Plays the policy of a network.

    Args:
        network: The network.
        name: The name shown in tables.
        rules: The game it was trained for, where that is known.
        sample: Whether to draw from the policy rather than take its likeliest action.
        seed: Seed of the draws.

    Attributes:
        rules: The game it was trained for, or None.
    """

    def __init__(
        self,
        network: Network,
        *,
        name: str = "policy",
        rules: RuleConfig | None = None,
        sample: bool = False,
        seed: int = 0,
    ) -> None:
        self._network = network
        self._name = name
        self.rules = rules
        self._sample = sample
        self._generator = torch.Generator()
        self.reset(seed)

    @classmethod
    def load(cls, path: Path, *, sample: bool = False, seed: int = 0) -> Self:
        """Returns the agent of a policy or checkpoint, named by the run's folder.

        Raises:
            CheckpointError: There is no policy, or it does not fit this package.
        """
        return cls.of(path, *load_policy(path), sample=sample, seed=seed)

    @classmethod
    def of(
        cls,
        path: Path,
        description: Mapping[str, Any],
        weights: Mapping[str, Tensor],
        *,
        sample: bool = False,
        seed: int = 0,
    ) -> Self:
        """Returns the agent of what `load_policy` read from a path.

        Raises:
            CheckpointError: It does not fit this package.
        """
        try:
            rules = RuleConfig.from_options(**description["rules"])
            num_actions = description["num_actions"]
            network = make_network(
                description["observation_size"],
                num_actions,
                NetworkConfig(**description["network"]),
            )
            network.load_state_dict(weights)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointError(f"{path} does not fit this version") from error
        if num_actions != NUM_ACTIONS:
            raise CheckpointError(
                f"{path} knows {num_actions} actions, the game has {NUM_ACTIONS}"
            )
        return cls(
            network.eval(), name=name_of(path), rules=rules, sample=sample, seed=seed
        )

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return self._name

    def reset(self, seed: int) -> None:
        """Restarts the draws; without `sample` there are none."""
        self._generator.manual_seed(seed)

    @torch.no_grad()
    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Returns an action of the policy for each position.

        Args:
            observations: What the player to act sees, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            Action ids, int64 `[B]`.

        Raises:
            ValueError: The observations are not as long as those trained on.
        """
        if observations.shape[1] != self._network.observation_size:
            raise ValueError(
                f"{self._name} was trained on observations of "
                f"{self._network.observation_size} numbers, not {observations.shape[1]}"
            )
        legal = torch.from_numpy(masks)
        logits, _ = self._network(torch.from_numpy(observations), legal)
        log_probs = masked_log_probs(logits, legal)
        if self._sample:
            chosen = sample_actions(log_probs, self._generator)
        else:
            chosen = log_probs.argmax(dim=-1)
        return np.asarray(chosen.numpy(), dtype=np.int64)
