"""Agents by name: a word for those that come with the project, a path for a policy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from agents.base import Agent
from agents.checkpoint import POLICY_NAME
from rummy_env.config import RuleConfig
from rummy_env.errors import nearest

# Modules, not classes: an agent is imported when it is asked for.
_CLASSES: Final = {
    "random": ("agents.random_agent", "RandomAgent"),
    "greedy": ("agents.greedy_agent", "GreedyAgent"),
}
AGENT_NAMES: Final = tuple(_CLASSES)


class UnknownAgentError(ValueError):
    """There is no agent of this name and no policy at this path."""


def make_agent(name: str, config: RuleConfig) -> Agent:
    """Returns the agent of a name, or of a policy file or the folder that holds it.

    Args:
        name: "random", "greedy", or a path such as `runs/quick`.
        config: The game it will play.

    Raises:
        UnknownAgentError: There is no such agent; the nearest name is offered.
        CheckpointError: The policy cannot be read or does not fit.
    """
    if name in _CLASSES:
        module, class_name = _CLASSES[name]
        make: Callable[..., Agent] = getattr(
            importlib.import_module(module), class_name
        )
        return make(num_ranks=config.num_ranks) if name == "greedy" else make()
    path = Path(name)
    if path.is_dir():
        path = path / POLICY_NAME
    if path.is_file():
        # Imported late: whoever plays without a network needs no torch.
        from agents.policy_agent import PolicyAgent

        return PolicyAgent.load(path)
    raise UnknownAgentError(
        f"there is no agent and no policy {name!r}; {nearest(name, AGENT_NAMES)}"
    )
