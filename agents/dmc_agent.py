"""A player that judges its options by a network and takes the best of them."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents import checkpoint
from agents.checkpoint import CheckpointError
from agents.expert_agent import ExpertAgent
from agents.options import (
    NUM_FEATURES,
    SMALL,
    WHOLE,
    OptionConfig,
    Options,
    features,
    find_options,
)
from agents.plans import Plan, Planner
from agents.position import Positions
from agents.prospects import Outlook, undercut_risk
from rummy_env.actions import END, KNOCK, LAY
from rummy_env.config import RuleConfig

PER_VALUE: Final = 100.0
"""Points of score to one of the network's units."""
ALGORITHM: Final = "dmc"
"""What the description of a policy says it was learnt by."""
MOST_RISK: Final = 0.5
"""Chance of an undercut above which nobody knocks."""


@dataclass(frozen=True, kw_only=True)
class OptionNetworkConfig:
    """The shape of the network that judges options.

    Attributes:
        hidden_sizes: Units of each hidden layer.

    Raises:
        ValueError: There is no hidden layer, or one without units.
    """

    hidden_sizes: tuple[int, ...] = (256, 128)

    def __post_init__(self) -> None:
        """Checks the values."""
        object.__setattr__(self, "hidden_sizes", tuple(self.hidden_sizes))
        if not self.hidden_sizes or min(self.hidden_sizes) < 1:
            raise ValueError(
                "option_network.hidden_sizes needs one or more layers of one or more "
                f"units, not {list(self.hidden_sizes)}"
            )


class OptionNetwork(nn.Module):
    """The payoff of an option, in hundreds of points.

    Args:
        config: The shape of the network.
    """

    def __init__(self, config: OptionNetworkConfig) -> None:
        super().__init__()
        self.config = config
        sizes = (NUM_FEATURES, *config.hidden_sizes)
        layers: list[nn.Module] = []
        for size, next_size in itertools.pairwise(sizes):
            layers += [nn.Linear(size, next_size), nn.ReLU()]
        layers.append(nn.Linear(sizes[-1], 1))
        self.layers = nn.Sequential(*layers)

    def forward(self, options: Tensor) -> Tensor:
        """Returns the payoffs of options, float32 `[K, NUM_FEATURES]` to `[K]`."""
        value: Tensor = self.layers(options)
        return value.squeeze(-1)


def describe(
    rules: RuleConfig, options: OptionConfig, network: OptionNetworkConfig
) -> dict[str, Any]:
    """Returns the description of policies and checkpoints; see `checkpoint`."""
    return checkpoint.describe(
        algorithm=ALGORITHM,
        rules=rules.options(),
        options=dataclasses.asdict(options),
        network=dataclasses.asdict(network),
        num_features=NUM_FEATURES,
    )


@torch.no_grad()
def judge(
    network: OptionNetwork, positions: Positions, options: Options, num_ranks: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns the features of options and what a network thinks they pay."""
    known = features(positions, options, num_ranks)
    return known, network(torch.from_numpy(known)).numpy()


def best_of(row: NDArray[np.int64], values: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns the first best option of each position, by index.

    Args:
        row: The position of each option, ascending and without gaps, `[K]`.
        values: What each is worth, `[K]`.
    """
    best = np.full(int(row.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, row, values)
    is_best = np.flatnonzero(values == best[row])
    _, first = np.unique(row[is_best], return_index=True)
    return np.asarray(is_best[first])


def dare(
    positions: Positions, actions: NDArray[np.int64], masks: NDArray[np.int8]
) -> None:
    """Turns the ends of turns into knocks where that is legal and no great risk."""
    rows = np.flatnonzero((masks[:, KNOCK] == 1) & (actions < LAY))
    if len(rows):
        risk = undercut_risk(Outlook.now(positions.rows(rows)))
        actions[rows] = np.where(risk <= MOST_RISK, KNOCK, END)


class HeadStart:
    """Prefers what the expert would do to what looks only a little better.

    What the network thinks of an option is noisy, and the best of several looks better
    than it is. So the expert is left only where that seems worth some points.

    Args:
        rules: The game.
        points: How many.
    """

    def __init__(self, rules: RuleConfig, points: float) -> None:
        self._points = points
        self._expert = ExpertAgent(rules.num_ranks, rules.knock_limit)

    def add(
        self, positions: Positions, options: Options, values: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Returns values with the points added to the options that the expert takes."""
        if self._points == 0:
            return values
        raised = values.copy()
        raised[_options_of(self._expert.plan(positions), options)] += (
            self._points / PER_VALUE
        )
        return raised


def _options_of(plans: Sequence[Plan], options: Options) -> list[int]:
    """Returns which options, by index, the plans of all positions are.

    A plan that is neither to wait nor a small meld is the whole one, which leaves as
    little; if that is no option, the plan is none.
    """
    small = {
        (row, tuple(plan))
        for row, kind, plan in zip(
            options.row.tolist(), options.kind.tolist(), options.plans, strict=True
        )
        if kind == SMALL
    }
    found = []
    for number, row in enumerate(options.row.tolist()):
        plan = plans[row]
        is_whole = plan and (row, tuple(plan)) not in small
        if plan == options.plans[number] or (
            is_whole and options.kind[number] == WHOLE
        ):
            found.append(number)
    return found


class DMCAgent:
    """Takes the option of the highest value. It has no random numbers.

    Args:
        network: What judges.
        rules: The game it was trained for.
        options: Which options there are.
        name: The name shown in tables.

    Attributes:
        rules: The game it was trained for.
    """

    def __init__(
        self,
        network: OptionNetwork,
        rules: RuleConfig,
        options: OptionConfig | None = None,
        *,
        name: str = "dmc",
    ) -> None:
        self.rules = rules
        self._network = network
        self._options = options or OptionConfig()
        self._num_ranks = rules.num_ranks
        self._name = name
        self._head_start = HeadStart(rules, self._options.head_start)
        self._planner = Planner(self._plan, rules.num_ranks)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Returns the agent of a policy or checkpoint, named by the run's folder.

        Raises:
            CheckpointError: There is no policy, or it does not fit this package.
        """
        return cls.of(path, *checkpoint.load_policy(path))

    @classmethod
    def of(
        cls, path: Path, description: Mapping[str, Any], weights: Mapping[str, Tensor]
    ) -> Self:
        """Returns the agent of what `checkpoint.load_policy` read from a path.

        Raises:
            CheckpointError: It does not fit this package.
        """
        try:
            rules = RuleConfig.from_options(**description["rules"])
            options = OptionConfig(**description["options"])
            num_features = description["num_features"]
            config = OptionNetworkConfig(**description["network"])
            network = OptionNetwork(config)
            if num_features == NUM_FEATURES:
                network.load_state_dict(weights)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointError(f"{path} does not fit this version") from error
        if num_features != NUM_FEATURES:
            raise CheckpointError(
                f"{path} knows options by {num_features} features, this version by "
                f"{NUM_FEATURES}"
            )
        return cls(network.eval(), rules, options, name=checkpoint.name_of(path))

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return self._name

    def reset(self, seed: int) -> None:
        """Forgets its plans; there is nothing random."""
        self._planner.reset()

    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Returns an action for each position.

        Args:
            observations: What the player to act sees, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            Action ids, int64 `[B]`.
        """
        positions, actions = self._planner.act(observations, masks)
        dare(positions, actions, masks)
        return actions

    def _plan(self, positions: Positions) -> list[Plan]:
        """Returns the meld of each position, [] to wait."""
        options = find_options(positions, self._options, self._num_ranks)
        _, values = judge(self._network, positions, options, self._num_ranks)
        values = self._head_start.add(positions, options, values)
        return [options.plans[number] for number in best_of(options.row, values)]
