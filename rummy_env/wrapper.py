"""What PettingZoo's usual wrappers promise, in one that costs little.

PettingZoo's own games stand in three wrappers. Each asks the one below for the agent,
the terminations and so on by name, several times a step, which takes longer than a
step of the game. This one keeps their promises and asks the game itself.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils import wrappers
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from rummy_env.actions import parse_action

ILLEGAL_REWARD: Final = -1.0
"""What an agent gets for an illegal action, which ends the game; others get 0."""


def _of_the_game(name: str) -> property:
    """Returns an attribute that is the game's of this name, once it was reset."""

    def read(self: Wrapper) -> Any:
        if not self._has_reset:
            raise AttributeError(name)  # PettingZoo's `__getattr__` says what is wrong
        return getattr(self.env, name)

    return property(read)


class Wrapper(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """`raw_env` with what PettingZoo's three usual wrappers promise.

    Calls out of order are refused, agents of `agent_iter` must be stepped one by one,
    a step where no agent is left is a warning, and an illegal action ends the game. An
    action is what `raw_env.step` takes; what is no action at all raises. What the game
    keeps by agent (`rewards`, `terminations`, ...) is read from it and cannot be
    assigned here: a wrapper around this one may keep its own.

    Args:
        env: A `raw_env`.
    """

    agents = _of_the_game("agents")
    agent_selection = _of_the_game("agent_selection")
    terminations = _of_the_game("terminations")
    truncations = _of_the_game("truncations")
    rewards = _of_the_game("rewards")
    infos = _of_the_game("infos")
    _cumulative_rewards = _of_the_game("_cumulative_rewards")

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, Any]:
        """Returns what `raw_env.last` does."""
        seen: tuple[Any, float, bool, bool, Any] = self.env.last(observe)
        return seen

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Returns what `raw_env.agent_iter` does."""
        self.env._check_whole()
        return _Turns(self, max_iter)

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Returns what `raw_env.observe` does."""
        seen: dict[str, NDArray[Any]] = self.env.observe(agent)
        return seen

    def state(self) -> NDArray[np.float32]:
        """Returns what `raw_env.state` does."""
        state: NDArray[np.float32] = self.env.state()
        return state

    def step(self, action: Any) -> None:
        """Plays an action of the agent whose turn it is; ends the game if illegal.

        Raises:
            IllegalActionError: It is no action, whatever the position, or one other
                than None for an agent that has terminated.
            RummyError: The environment was not reset, or a step was interrupted.
        """
        game = self.env
        game._check_whole()
        self._has_updated = True
        if not game.agents:
            EnvLogger.warn_step_after_terminated_truncated()
        elif game._is_finished(game.agent_selection):
            game.step(action)
        else:
            number = parse_action(action)
            if game._mask[number]:
                game._play(number)
            else:
                self._end_game()

    def _end_game(self) -> None:
        """Terminates and truncates all, as PettingZoo does at an illegal action."""
        EnvLogger.warn_on_illegal_move()
        game = self.env
        game._cumulative_rewards[game.agent_selection] = 0.0
        game.terminations = dict.fromkeys(game.agents, True)
        game.truncations = dict.fromkeys(game.agents, True)
        game.rewards = dict.fromkeys(game.agents, 0.0)
        game.rewards[game.agent_selection] = ILLEGAL_REWARD
        game._accumulate_rewards()
        game._deads_step_first()

    def load(self, saved: dict[str, Any]) -> None:
        """Goes on from what `raw_env.save` returned."""
        self.env.load(saved)
        self._has_reset = self._has_updated = True

    def render(self) -> str | None:
        """Returns what `raw_env.render` does."""
        self.env._check_whole()
        text: str | None = self.env.render()
        return text

    def __str__(self) -> str:
        return str(self.env)


class _Turns(AECIterable):  # type: ignore[misc]
    """The agents in the order in which they act, as PettingZoo's wrapper gives them."""

    def __iter__(self) -> _Turn:
        return _Turn(self.env, self.max_iter)


class _Turn(AECIterator):  # type: ignore[misc]
    """One loop over them: the game itself is asked who is next."""

    def __init__(self, wrapper: Wrapper, max_iter: int) -> None:
        super().__init__(wrapper.env, max_iter)
        self._wrapper = wrapper

    def __next__(self) -> str:
        agent: str = super().__next__()
        is_stepped = self._wrapper._has_updated
        assert is_stepped, "need to call step() or reset() in a loop over `agent_iter`"
        self._wrapper._has_updated = False
        return agent
