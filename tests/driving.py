"""Ways to play a game for a test: at random from a seed, or by what the game says."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummy_env import RuleConfig, State
from rummy_env.manipulation_rummy_v0 import raw_env

SMALL_GAME: dict[str, Any] = {"num_ranks": 6, "hand_size": 5, "target_score": 60}
"""Options of a game that takes a few quick rounds."""
NO_CHOICE: dict[str, Any] = {"num_ranks": 4, "hand_size": 5, "jokers_per_pack": 0}
"""Options for two players under which 3 in 100 rounds hold no choice at all."""


@functools.cache
def no_choice_seed() -> int:
    """Returns the first seed whose first round under those options holds no choice."""
    config = RuleConfig(num_players=2, **NO_CHOICE)
    for seed in range(1000):
        state = State.new(config, seed)
        while len(legal := state.legal_actions()) == 1:
            state.apply_action(legal[0])
        if not legal:
            return seed
    raise AssertionError("every round holds a choice")


def random_action(mask: NDArray[np.int8], rng: np.random.Generator) -> int:
    """Returns one of the legal actions, all as likely."""
    return int(rng.choice(np.flatnonzero(mask)))


def random_actions(
    masks: NDArray[np.int8], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Returns one of the legal actions in every row, all as likely."""
    return (masks * (1.0 - rng.random(masks.shape))).argmax(axis=1)


def chosen_action(text: str, mask: NDArray[np.int8]) -> int:
    """Returns a legal action that follows from the text of the game alone."""
    legal = np.flatnonzero(mask)
    return int(legal[zlib.crc32(text.encode()) % len(legal)])


def play_on(state: State, rng: np.random.Generator, num_actions: int = -1) -> None:
    """Plays random actions, to the end of the round unless a number is given."""
    while num_actions != 0 and state.outcome() is None:
        state.apply_action(random_action(state.action_mask(), rng))
        num_actions -= 1


def play_until(
    config: RuleConfig, seed: int, is_wanted: Callable[[State], bool]
) -> State:
    """Returns the first game from a seed on that comes to a wanted position."""
    for game in range(seed, seed + 100):
        state = State.new(config, game)
        rng = np.random.default_rng(game)
        while state.outcome() is None:
            if is_wanted(state):
                return state
            state.apply_action(random_action(state.action_mask(), rng))
    raise AssertionError("no game came to such a position")


def trace(env: raw_env) -> list[Any]:
    """Plays a game on to its end; returns all that its agents see of it."""
    seen: list[Any] = []
    for agent in env.agent_iter():
        observation, *facts = env.last()
        seen.append((agent, env.state().tobytes(), facts, dict(env.rewards)))
        seen.append({key: array.tobytes() for key, array in observation.items()})
        is_finished = env.terminations[agent] or env.truncations[agent]
        env.step(None if is_finished else next_action(env))
    return seen


def next_action(env: raw_env) -> int:
    """Returns what `chosen_action` says of a running environment."""
    mask = env.observe(env.agent_selection)["action_mask"]
    return chosen_action(env.game().to_text(), mask)
