"""The value that sees all hands: it does, the policy and its file do not."""

import dataclasses

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from agents import ppo
from agents.checkpoint import CheckpointError
from agents.networks import ActorCritic, NetworkConfig
from agents.policy_agent import PolicyAgent
from agents.ppo import Learner, PPOConfig
from agents.run import RunConfig
from agents.training import train
from rummy_env import VectorEnv
from rummy_env.actions import NUM_ACTIONS
from rummy_env.config import RuleConfig
from rummy_env.observation import SIZE
from rummy_env.state import State

RULES = RuleConfig(num_players=3, num_ranks=6, hand_size=5)
NETWORK = NetworkConfig(hidden_sizes=(16,))
RUN = RunConfig(torch_threads=1, env_threads=1, tensorboard=False)
CENTRAL = PPOConfig(
    num_envs=8,
    num_steps=8,
    num_minibatches=2,
    total_timesteps=4 * 64,
    anneal_lr=False,
    central_critic=True,
)


def new_learner(**changes):
    hyperparameters = dataclasses.replace(CENTRAL, **changes)
    return Learner.new(RULES, NETWORK, hyperparameters, RUN)


def judged(learner, state):
    """Logits and value of the player to act."""
    player = state.current_player
    own, *others = (
        torch.from_numpy(state.observation((player + distance) % 3))[None]
        for distance in range(3)
    )
    masks = torch.from_numpy(state.action_mask())[None]
    with torch.no_grad():
        return ppo.judge(learner, own, masks, torch.stack(others, dim=1))


@pytest.mark.parametrize("is_central", [False, True])
def test_the_critic_sees_hidden_cards_and_the_policy_does_not(is_central):
    learner = new_learner(central_critic=is_central)
    state = State.new(RULES, seed=4)
    other = state.resample_hidden(state.current_player, seed=5)
    assert (state.hand(1) != other.hand(1)).any()
    (logits, value), (other_logits, other_value) = (
        judged(learner, game) for game in (state, other)
    )
    assert torch.equal(logits, other_logits)
    assert torch.equal(value, other_value) is not is_central


def test_collected_others_are_what_the_next_seats_saw():
    seen = []

    class Watched(VectorEnv):
        def step(self, actions):
            seats = np.stack([super(Watched, self).observe(seat) for seat in range(3)])
            seen.append(seats)
            return super().step(actions)

    learner = Learner.new(RULES, NETWORK, CENTRAL, RUN, Watched)
    batch = ppo.Batch.empty(learner.envs, CENTRAL)
    ppo.collect(learner, batch)
    for step in range(8):
        for row in range(8):
            for distance in (1, 2):
                seat = (batch.players[step, row] + distance) % 3
                np.testing.assert_array_equal(
                    batch.others[step, row, distance - 1].numpy(), seen[step][seat, row]
                )


def test_bootstrap_values_are_those_of_the_same_positions_when_acted_on():
    learner = new_learner()
    envs = learner.envs
    seen = np.stack([envs.observe(seat) for seat in range(3)], axis=1)
    given = (envs.action_mask.copy(), envs.current_player.copy())
    values = ppo.seat_values(learner, seen, *given)
    batch = ppo.Batch.empty(envs, CENTRAL)
    with torch.no_grad():
        ppo.choose(learner, batch, 0)
    acting = torch.from_numpy(values)[torch.arange(8), torch.from_numpy(given[1])]
    torch.testing.assert_close(acting, batch.values[0])


def test_a_policy_file_holds_only_what_plays(tmp_path):
    result = train(new_learner(), RUN, tmp_path)
    weights = load_file(result.policy)
    assert weights.keys() == ActorCritic(SIZE, NUM_ACTIONS, NETWORK).state_dict().keys()
    envs = VectorEnv(4, RULES)
    envs.reset()
    for path in (result.policy, result.checkpoint):
        actions = PolicyAgent.load(path).act(envs.observation, envs.action_mask)
        assert envs.action_mask[np.arange(4), actions].all()


def test_both_networks_learn_and_resuming_continues_identically(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    learner = new_learner()
    before = [weights.clone() for weights in learner.critic.parameters()]
    train(learner, RUN, whole)
    for old, new in zip(before, learner.critic.parameters(), strict=True):
        assert not torch.equal(old, new)
    half = train(new_learner(total_timesteps=2 * 64), RUN, parts)
    resumed = new_learner()
    resumed.restore(half.checkpoint)
    train(resumed, RUN, parts)
    policies = [(f / "policy.safetensors").read_bytes() for f in (whole, parts)]
    assert policies[0] == policies[1]
    for one, other in zip(
        learner.critic.parameters(), resumed.critic.parameters(), strict=True
    ):
        assert torch.equal(one, other)


@pytest.mark.parametrize("is_central", [False, True])
def test_restore_refuses_a_training_with_the_other_kind_of_value(tmp_path, is_central):
    short = {"total_timesteps": 64}
    result = train(new_learner(central_critic=is_central, **short), RUN, tmp_path)
    with pytest.raises(CheckpointError, match="central_critic"):
        new_learner(central_critic=not is_central).restore(result.checkpoint)
