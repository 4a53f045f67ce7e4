"""What is remembered of an earlier question saves time and changes no answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rummy_env import RuleConfig
from rummy_env.actions import ACTION_NAMES
from rummy_env.kernel import calls
from rummy_env.kernel.calls import new_workspaces
from rummy_env.record import new_states
from rummy_env.rules import new_mask

CONFIGS = [
    RuleConfig(num_players=2),
    RuleConfig(num_players=3),
    RuleConfig(num_players=5),
    RuleConfig(num_players=2, num_ranks=4, hand_size=6),
    RuleConfig(num_players=3, num_ranks=6, hand_size=5, jokers_per_pack=1),
    RuleConfig(num_players=2, packs=1, hand_size=9),
]


def positions(config: RuleConfig, rounds: int, seed: int) -> Iterator[NDArray[Any]]:
    """Yields the game at every step of random rounds, blank between them."""
    rng, options = np.random.default_rng(seed), config.to_array()
    states, works, mask = new_states(), new_workspaces(), new_mask()
    for game in range(rounds):
        calls.start_game(states, options, seed * 1000 + game)
        action = calls.NO_ACTION
        while calls.play(states, options, works, action, mask):
            yield states.copy()
            action = int(rng.choice(np.flatnonzero(mask)))


def ask(states: NDArray[Any], config: RuleConfig, works: NDArray[Any]) -> list[str]:
    """Returns what is legal, as a workspace with its memory says."""
    mask = new_mask()
    calls.play(states, config.to_array(), works, calls.NO_ACTION, mask)
    return [ACTION_NAMES[action] for action in np.flatnonzero(mask)]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: f"{c.num_players}-{c.packs}")
def test_r12_to_r16_any_memory_gives_the_same_answers(config: RuleConfig) -> None:
    """That of the last step, of one long ago, of another hand, of none."""
    rng = np.random.default_rng(1)
    last, mixed = new_workspaces(), new_workspaces()
    memories = np.zeros(40, dtype=last["memory"].dtype)
    for number, states in enumerate(positions(config, 12, 3)):
        expected = ask(states, config, new_workspaces())
        assert ask(states, config, last) == expected
        assert ask(states, config, last) == expected  # the very same question again
        mixed["memory"] = memories[rng.integers(len(memories))]
        assert ask(states, config, mixed) == expected
        memories[number % len(memories)] = last["memory"][0]


def test_a_memory_saves_work() -> None:
    """Or the test above would prove nothing."""
    config = RuleConfig(num_players=3)
    with_memory, without = new_workspaces(), new_workspaces()
    for states in positions(config, 5, 4):
        ask(states, config, with_memory)
        without["memory"] = np.zeros(1, dtype=without["memory"].dtype)
        ask(states, config, without)
    assert with_memory["num_looks"][0] < 0.9 * without["num_looks"][0]


def test_memories_of_lost_and_grown_hands_are_used() -> None:
    """Each way in which one question can follow from another comes up."""
    config, seen = RuleConfig(num_players=2), set()
    works = new_workspaces()
    for states in positions(config, 10, 5):
        works["lay"] = 0
        works["grown"] = -1
        ask(states, config, works)
        if (works["grown"] >= 0).any():
            seen.add("grown")
        elif (works["lay"] == -1).any():
            seen.add("narrower")
    assert seen == {"grown", "narrower"}
