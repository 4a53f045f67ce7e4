"""A policy of any framework as an agent: a callable is enough."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rummy_env.actions import ACTION_NAMES, NUM_ACTIONS

Policy = Callable[[NDArray[np.float32], NDArray[np.int8]], Any]
"""Takes observations `[B, D]` and action masks `[B, 159]`, returns actions `[B]`."""


class CallableError(ValueError):
    """There is no such callable, or what it returns are no legal actions."""


class CallableAgent:
    """Plays what a callable says, and looks whether it may.

    If the callable has a method `reset`, it is given each new seed.

    Args:
        policy: Takes observations, float32 `[B, D]`, and masks, int8 `[B, 159]`;
            returns whole numbers `[B]`, an array or whatever NumPy makes one of.
        name: The name shown in tables.
    """

    def __init__(self, policy: Policy, name: str) -> None:
        self._policy = policy
        self._name = name

    @classmethod
    def load(cls, name: str) -> Self:
        """Returns the agent of `module:callable`.

        Raises:
            CallableError: It cannot be imported, or is no callable.
        """
        module_name, _, attribute = name.partition(":")
        try:
            found: Any = importlib.import_module(module_name)
            for part in attribute.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError, ValueError) as error:
            raise CallableError(
                f"{name!r} is no module:callable that can be imported from here: "
                f"{error}"
            ) from error
        if not callable(found):
            raise CallableError(f"{name!r} is {type(found).__name__}, not a callable")
        return cls(found, name)

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return self._name

    def reset(self, seed: int) -> None:
        """Hands a seed to the callable, if it takes one."""
        reset = getattr(self._policy, "reset", None)
        if callable(reset):
            reset(seed)

    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Returns the callable's actions.

        Args:
            observations: What the player to act sees, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            Action ids, int64 `[B]`.

        Raises:
            CallableError: The actions have another shape or type, or one is illegal.
        """
        actions = np.asarray(self._policy(observations, masks))
        if actions.shape != (len(masks),) or actions.dtype.kind not in "iu":
            raise CallableError(
                f"{self._name} returned {actions.dtype} {list(actions.shape)}; it is "
                f"asked for whole numbers of the shape [{len(masks)}], one a row"
            )
        known = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = masks[np.arange(len(masks)), np.where(known, actions, 0)] == 1
        if not (known & legal).all():
            row = int(np.flatnonzero(~(known & legal))[0])
            raise CallableError(
                f"{self._name} chose {_action(int(actions[row]))} in row {row}, where "
                f"the mask allows {_allowed(masks[row])}"
            )
        return actions.astype(np.int64)


def _action(number: int) -> str:
    """Returns an action for a message."""
    return ACTION_NAMES[number] if 0 <= number < NUM_ACTIONS else str(number)


def _allowed(mask: NDArray[np.int8]) -> str:
    """Returns some legal actions for a message."""
    names = [ACTION_NAMES[action] for action in np.flatnonzero(mask)]
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
