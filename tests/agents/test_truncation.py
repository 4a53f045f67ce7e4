"""Games broken off for their length, beside the same games under a longer limit."""

import dataclasses

import numpy as np

from agents import ppo
from agents.networks import NetworkConfig
from agents.ppo import Learner, PPOConfig
from agents.run import RunConfig
from agents.truncation import games_near_the_limit, positions_after
from rummy_env import VectorEnv
from rummy_env.config import RuleConfig

RULES = RuleConfig(num_players=2, num_ranks=6, hand_size=5, max_rounds=2)
LONGER = dataclasses.replace(RULES, max_rounds=3)


def games(rules):
    envs = VectorEnv(8, rules, 3, episode="game", reward="zero_sum", skip_forced=True)
    envs.reset()
    return envs


def test_what_would_have_followed_is_what_follows_under_a_longer_limit():
    short, long = games(RULES), games(LONGER)
    rng = np.random.default_rng(1)
    found = np.zeros(8, dtype=bool)
    for _ in range(300):
        actions = np.array([rng.choice(np.flatnonzero(m)) for m in short.action_mask])
        near = games_near_the_limit(short)
        short.step(actions)
        # Rows that were truncated before play another game than under the longer limit.
        first_legal = long.action_mask.argmax(axis=1)
        long.step(np.where(found, first_legal, actions))
        rows = np.flatnonzero(short.truncated & ~found)
        if len(rows):
            seen, masks, players = positions_after(near, rows, actions[rows])
            for seat in range(2):
                np.testing.assert_array_equal(seen[:, seat], long.observe(seat)[rows])
            np.testing.assert_array_equal(masks, long.action_mask[rows])
            np.testing.assert_array_equal(players, long.current_player[rows])
        found |= short.truncated | short.terminated
    assert found.all()


def test_collected_values_follow_truncated_games_only():
    ended = []

    class Watched(VectorEnv):
        def step(self, actions):
            result = super().step(actions)
            ended.append((self.truncated.copy(), self.terminated.copy()))
            return result

    hyperparameters = PPOConfig(
        num_envs=8, num_steps=96, num_minibatches=2, episode="game", reward="score"
    )
    run = RunConfig(torch_threads=1, env_threads=1)
    # At this target some games end and some are broken off.
    rules = dataclasses.replace(RULES, target_score=40)
    network = NetworkConfig(hidden_sizes=(16,))
    learner = Learner.new(rules, network, hyperparameters, run, Watched)
    batch = ppo.Batch.empty(learner.envs, hyperparameters)
    batch.final_values[:] = np.nan
    ppo.collect(learner, batch)
    truncated, terminated = (np.stack(some) for some in zip(*ended, strict=True))
    assert truncated.any()
    assert terminated.any()
    assert (batch.final_values[truncated] != 0).all()
    assert (batch.final_values[~truncated] == 0).all()
