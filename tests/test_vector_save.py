"""`VectorEnv.save` and `load`: games go on as if nothing had been."""

import numpy as np
import pytest

from rummy_env import RuleConfig, VectorEnv
from rummy_env.errors import ConfigError

CONFIG = RuleConfig(num_players=2, num_ranks=6, hand_size=7)
ARRAYS = "observation action_mask current_player reward terminated final_scores"


def make(num_envs=6, config=CONFIG, num_threads=1):
    return VectorEnv(num_envs, config, seed=3, num_threads=num_threads)


def play(envs, num_steps):
    """Plays the last legal action of every row and returns all that is seen."""
    seen = []
    for _ in range(num_steps):
        envs.step(158 - envs.action_mask[:, ::-1].argmax(axis=1))
        seen += [getattr(envs, name).copy() for name in (*ARRAYS.split(), "game_seed")]
    return seen


@pytest.mark.parametrize("num_threads", [1, 2])
def test_loaded_games_go_on_the_same(num_threads):
    envs = make()
    envs.reset()
    play(envs, 50)
    content = envs.save()
    expected = play(envs, 100)
    other = make(num_threads=num_threads)
    other.load(content)
    for ours, theirs in zip(play(other, 100), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(other.num_applied, envs.num_applied)
    # The arrays are overwritten in place, so what others hold of them stays good.
    envs.load(content)
    for ours, theirs in zip(play(envs, 100), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "other",
    [
        make(num_envs=5),
        make(config=RuleConfig(num_players=3)),
        make(config=RuleConfig(num_players=2, num_ranks=7, hand_size=7)),
    ],
    ids=["games", "players", "ranks"],
)
def test_other_games_are_refused_and_nothing_changes(other):
    envs = make()
    envs.reset()
    other.reset()
    before = other.observation.copy()
    with pytest.raises(ConfigError, match=r"saved (with|under)"):
        other.load(envs.save())
    np.testing.assert_array_equal(other.observation, before)


@pytest.mark.parametrize("content", [b"", b"nothing of the kind", b"PK\x03\x04cut"])
def test_damaged_content_is_refused(content):
    with pytest.raises(ConfigError, match="not what"):
        make().load(content)
