"""Training on the game itself."""

import pytest

from agents.evaluation import EvaluationConfig, play_match
from agents.networks import NetworkConfig
from agents.policy_agent import PolicyAgent
from agents.ppo import Learner, PPOConfig
from agents.random_agent import RandomAgent
from agents.run import RunConfig
from agents.training import train
from rummy_env.config import RuleConfig

SMALL_GAME = RuleConfig(num_players=2, num_ranks=6, hand_size=7)
RUN = RunConfig(torch_threads=1, env_threads=1, tensorboard=False)


def test_one_update_on_the_game_is_finite_and_repeats(tmp_path):
    ppo_config = PPOConfig(
        num_envs=8, num_steps=32, num_minibatches=2, total_timesteps=512
    )
    network = NetworkConfig(hidden_sizes=(16,))
    weights = []
    for name in ("a", "b"):
        learner = Learner.new(SMALL_GAME, network, ppo_config, RUN)
        (tmp_path / name).mkdir()
        result = train(learner, RUN, tmp_path / name)
        weights.append(result.policy.read_bytes())
        assert result.global_step == 512
    assert weights[0] == weights[1]


def test_resuming_goes_on_with_the_same_games(tmp_path):
    def updates(number):
        return PPOConfig(
            num_envs=8,
            num_steps=16,
            num_minibatches=2,
            total_timesteps=number * 128,
            anneal_lr=False,
        )

    network = NetworkConfig(hidden_sizes=(16,))
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    expected = train(Learner.new(SMALL_GAME, network, updates(4), RUN), RUN, whole)
    half = train(Learner.new(SMALL_GAME, network, updates(2), RUN), RUN, parts)
    resumed = Learner.new(SMALL_GAME, network, updates(4), RUN)
    resumed.restore(half.checkpoint)
    result = train(resumed, RUN, parts)
    assert result.policy.read_bytes() == expected.policy.read_bytes()


@pytest.mark.slow
def test_training_beats_random_within_a_minute(tmp_path):
    ppo_config = PPOConfig(
        num_envs=64,
        num_steps=64,
        num_minibatches=4,
        learning_rate=1e-3,
        total_timesteps=200_000,
    )
    network = NetworkConfig(hidden_sizes=(128,))
    learner = Learner.new(SMALL_GAME, network, ppo_config, RUN)
    result = train(learner, RUN, tmp_path)
    match = play_match(
        PolicyAgent.load(result.policy),
        RandomAgent(),
        SMALL_GAME,
        EvaluationConfig(deals=300, num_threads=1),
    )
    # Clearly: the whole interval, not the mean, and three rounds of five.
    assert match.difference.low > 0
    assert match.win_rate.low > 0.6
