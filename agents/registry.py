"""Agents by name: a word for those that come with the project, a path for a policy."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agents.base import Agent
from agents.callable_agent import CallableAgent
from agents.checkpoint import POLICY_NAME, CheckpointError, differences, load_policy
from rummy_env.config import MAX_PLAYERS, MIN_PLAYERS, RuleConfig
from rummy_env.errors import nearest

if TYPE_CHECKING:
    from agents.dmc_agent import DMCAgent
    from agents.policy_agent import PolicyAgent

# Modules, not classes: an agent is imported when it is asked for.
_CLASSES: Final = {
    "random": ("agents.random_agent", "RandomAgent"),
    "greedy": ("agents.greedy_agent", "GreedyAgent"),
    "hoarder": ("agents.hoarder_agent", "HoarderAgent"),
    "expert": ("agents.expert_agent", "ExpertAgent"),
    "search": ("agents.search_agent", "SearchAgent"),
}
# The rules that an agent is told, as arguments: an observation does not say them.
_TOLD: Final = {
    "greedy": ("num_ranks",),
    "hoarder": ("num_ranks", "knock_limit"),
    "expert": ("num_ranks", "knock_limit"),
    "search": ("rules",),
}
# Weights that come with the project, by name: one file for each number of players.
_SHIPPED: Final = {"dmc": "dmc-{num_players}.safetensors"}
WEIGHTS: Final = Path(__file__).parent / "weights"
"""The folder that they are in."""
AGENT_NAMES: Final = (*_CLASSES, *_SHIPPED)
# Policies read from files, by what they were learnt by; the first do not say it.
_LEARNT: Final = {
    "ppo": ("agents.policy_agent", "PolicyAgent"),
    "dmc": ("agents.dmc_agent", "DMCAgent"),
}


class UnknownAgentError(ValueError):
    """There is no agent of this name and no policy at this path."""


def make_agent(name: str, config: RuleConfig) -> Agent:
    """Returns the agent of a name, or of a policy file or the folder that holds it.

    Args:
        name: One of `AGENT_NAMES`, a path such as `runs/quick`, or a callable such as
            `my_module:policy`; see `callable_agent`.
        config: The game it will play.

    Raises:
        UnknownAgentError: There is no such agent; the nearest name is offered.
        CheckpointError: The policy cannot be read, or was trained for other rules.
        CallableError: The callable cannot be imported.
    """
    if name in _CLASSES:
        make: Callable[..., Agent] = _imported(*_CLASSES[name])
        known = {**dataclasses.asdict(config), "rules": config}
        return make(**{rule: known[rule] for rule in _TOLD.get(name, ())})
    if _is_callable(name):
        return CallableAgent.load(name)
    agent = _load_shipped(name, config) if name in _SHIPPED else _load(name)
    if found := differences(_options(agent), config.options()):
        raise CheckpointError(f"{name} was trained for other rules: {found}")
    return agent


def _imported(module: str, name: str) -> Any:
    """Returns what a module calls by a name."""
    return getattr(importlib.import_module(module), name)


def _is_callable(name: str) -> bool:
    """Tells whether a name is of the form module:callable, and no path."""
    return ":" in name and not Path(name).exists()


def shipped_players(name: str) -> list[int]:
    """Returns for how many players weights of a name come with the project."""
    numbers = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    return [n for n in numbers if _shipped_path(name, n).is_file()]


def _shipped_path(name: str, num_players: int) -> Path:
    """Returns where weights of a name are, or would be."""
    return WEIGHTS / _SHIPPED[name].format(num_players=num_players)


def _load_shipped(name: str, config: RuleConfig) -> PolicyAgent | DMCAgent:
    """Returns the agent of weights that come with the project."""
    path = _shipped_path(name, config.num_players)
    if not path.is_file():
        there = " and ".join(map(str, shipped_players(name)))
        has = f"weights of {name} are there for {there}" if there else "none are there"
        raise UnknownAgentError(
            f"no weights of {name} are shipped for {config.num_players} players, "
            f"{has}: train your own with configs/dmc.yaml"
        )
    return _load(str(path))


def _load(name: str) -> PolicyAgent | DMCAgent:
    """Returns the agent of a path."""
    path = Path(name)
    if path.is_dir():
        path = path / POLICY_NAME
        if not path.is_file():
            raise UnknownAgentError(f"{name} holds no policy, no {POLICY_NAME}")
    if not path.is_file():
        raise UnknownAgentError(
            f"there is no agent and no policy {name!r}; {nearest(name, AGENT_NAMES)}"
        )
    description, weights = load_policy(path)
    algorithm = description.get("algorithm", "ppo")
    if algorithm not in _LEARNT:
        raise CheckpointError(
            f"{path} was learnt by {algorithm}, of which this version knows nothing"
        )
    agent: PolicyAgent | DMCAgent = _imported(*_LEARNT[algorithm]).of(
        path, description, weights
    )
    return agent


def _options(agent: PolicyAgent | DMCAgent) -> dict[str, Any]:
    """Returns the rule options that a policy read from a file was trained for."""
    assert agent.rules is not None
    return agent.rules.options()


def common_rules(names: Sequence[str], given: Mapping[str, Any]) -> RuleConfig:
    """Returns the game that all of some agents are to play.

    Args:
        names: The agents, as `make_agent` takes them.
        given: Rule options by name; where a policy is among the agents, it says the
            others.

    Raises:
        ConfigError: An option has a wrong value.
        UnknownAgentError: See `make_agent`.
        CheckpointError: A policy cannot be read, or two of them, or one and an option
            given, say different rules.
    """
    trained = {
        name: _options(_load(name))
        for name in names
        if name not in AGENT_NAMES and not _is_callable(name)
    }
    if not trained:
        return RuleConfig.from_options(**given)
    first, *others = trained
    for name in others:
        if found := differences(trained[name], trained[first]):
            raise CheckpointError(
                f"{name} was trained for other rules than {first}: {found}"
            )
    asked = {**trained[first], **given}
    if found := differences(trained[first], asked):
        raise CheckpointError(f"{first} was trained for other rules: {found}")
    return RuleConfig.from_options(**asked)
