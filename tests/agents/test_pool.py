"""Who sits beside a learner, and that it learns from its own actions only."""

import dataclasses

import numpy as np
import pytest
import torch

from agents import ppo
from agents.networks import NetworkConfig
from agents.pool import advantages_over_pool
from agents.ppo import Learner, PPOConfig
from agents.registry import UnknownAgentError
from agents.run import RunConfig
from agents.training import train
from rummy_env.config import RuleConfig
from tests.agents.toy import ToyEnv

RULES = RuleConfig(num_players=3)
NETWORK = NetworkConfig(hidden_sizes=(16,), activation="tanh")
RUN = RunConfig(torch_threads=1, env_threads=1, tensorboard=False)
FIRST, LAST = (f"tests.agents.test_pool:{name}_legal" for name in ("first", "last"))
POOLED = PPOConfig(
    num_envs=8,
    num_steps=8,
    num_minibatches=2,
    total_timesteps=12 * 64,
    anneal_lr=False,
    opponents=(FIRST, LAST),
    past_selves=2,
    past_every=3,
    self_share=0.25,
)


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def last_legal(observations, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def new_learner(make=ToyEnv, **changes):
    hyperparameters = dataclasses.replace(POOLED, **changes)
    return Learner.new(RULES, NETWORK, hyperparameters, RUN, make)


def collected(learner):
    batch = ppo.Batch.empty(learner.envs, learner.ppo)
    return batch, ppo.collect(learner, batch)


def test_a_table_is_the_learners_alone_or_has_one_seat_of_it():
    learner = new_learner(num_envs=80)
    own = learner.pool.own_seats()
    assert own[:20].all()
    assert (own[20:].sum(axis=1) == 1).all()
    # Every seat now and then, a third each: about 20 of 60.
    assert own[20:].sum(axis=0).min() > 8
    for seat in range(3):
        acts = learner.pool.is_own(np.full(80, seat))
        np.testing.assert_array_equal(acts, own[:, seat])


def test_without_members_the_learner_has_every_seat():
    assert new_learner(opponents=()).pool.own_seats().all()
    batch, _ = collected(new_learner(opponents=(), past_selves=0, self_share=0.0))
    assert batch.is_own.all()


def test_opponents_play_where_the_learner_does_not():
    learner = new_learner(opponents=(FIRST,), past_selves=0)
    batch, _ = collected(learner)
    others = ~batch.is_own
    assert others[:, 2:].any()
    assert not others[:, :2].any()
    first = batch.masks.numpy().argmax(axis=2)
    np.testing.assert_array_equal(batch.actions.numpy()[others], first[others])
    assert (batch.log_probs.numpy()[others] == 0).all()
    assert (batch.log_probs.numpy()[~others] < 0).all()
    assert learner.global_step == batch.is_own.sum()


def test_seats_change_when_an_episode_begins_and_not_before():
    learner = new_learner(num_envs=40)
    batch = ppo.Batch.empty(learner.envs, learner.ppo)
    changes = 0
    for step in range(8):
        before = learner.pool.state()
        ppo.advance(learner, batch, step)
        after = learner.pool.state()
        for key in ("who", "seat"):
            changed = (before[key] != after[key]).numpy()
            assert not changed[~batch.ended[step]].any()
            changes += changed.sum()
    assert changes > 0


def test_samples_are_the_learners_own_each_once():
    learner = new_learner()
    batch, _ = collected(learner)
    number = torch.arange(64.0).reshape(8, 8)
    batch.advantages.copy_(number)
    given = list(ppo.minibatches(batch, learner.ppo, learner.generator))
    sizes = [len(samples.actions) for samples in given]
    assert len(sizes) == 2
    assert abs(sizes[0] - sizes[1]) <= 1
    order = torch.cat([samples.advantages for samples in given])
    assert sorted(order.tolist()) == number[torch.from_numpy(batch.is_own)].tolist()


def test_what_stands_at_others_steps_changes_no_weight():
    weights = []
    for spoil in (False, True):
        learner = new_learner()
        batch, _ = collected(learner)
        if spoil:
            others = torch.from_numpy(~batch.is_own)
            for name in ("log_probs", "values", "advantages", "returns"):
                getattr(batch, name)[others] = torch.nan
        metrics = ppo.improve(learner, batch)
        assert np.isfinite(list(metrics.values())).all()
        weights.append(learner.network.state_dict())
    for one, other in zip(*(some.values() for some in weights), strict=True):
        assert torch.equal(one, other)


def test_an_update_without_an_action_of_the_learner_is_refused():
    learner = new_learner()
    batch, _ = collected(learner)
    batch.is_own[:] = False
    with pytest.raises(ValueError, match="num_steps"):
        ppo.improve(learner, batch)


def test_the_oldest_self_gives_way_to_the_newest():
    learner = new_learner(opponents=(FIRST,))
    pool, bias = learner.pool, learner.network.value_head.bias
    for version in (1.0, 2.0):
        torch.nn.init.constant_(bias, version)
        pool.add_self()
    members = pool.state()
    # 0 is the opponent, 1 and 2 are the selves; _NOBODY stays at two tables of eight.
    members["who"] = torch.tensor([-1, -1, 0, 1, 2, 0, 1, 2])
    pool.load(members, same_tables=True)
    torch.nn.init.constant_(bias, 3.0)
    pool.add_self()
    assert [weights["value_head.bias"].item() for weights in pool.past] == [2.0, 3.0]
    # Version 2 has moved to 1, and has taken over from version 1.
    assert pool.state()["who"].tolist() == [-1, -1, 0, 1, 1, 0, 1, 1]


def test_a_past_self_plays_as_the_network_did():
    learner = new_learner(
        opponents=(), past_selves=1, past_every=1, self_share=0.0, num_envs=64
    )
    # A network that always names the first legal action, then one that never does.
    head = learner.network.policy_head
    torch.nn.init.zeros_(head.weight)
    head.bias.data[:] = -100 * torch.arange(len(head.bias))
    learner.pool.add_self()
    head.bias.data[:] = 100 * torch.arange(len(head.bias))
    learner.pool.draw(np.ones(64, dtype=bool))
    batch, _ = collected(learner)
    masks, actions = batch.masks.numpy(), batch.actions.numpy()
    rows = masks.reshape(-1, masks.shape[-1])
    first, last = (
        play(None, rows).reshape(8, 64) for play in (first_legal, last_legal)
    )
    np.testing.assert_array_equal(actions, np.where(batch.is_own, last, first))


def test_versions_are_kept_every_so_many_updates(tmp_path):
    learner = new_learner()
    kept = []
    for _ in range(9):
        learner.learn()
        kept.append(len(learner.pool.past))
    assert kept == [0, 0, 1, 1, 1, 2, 2, 2, 2]


def test_resuming_with_a_pool_continues_identically(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    train(new_learner(), RUN, whole)
    # Stopped between two versions, in the middle of episodes.
    half = train(new_learner(total_timesteps=8 * 64), RUN, parts)
    resumed = new_learner()
    resumed.restore(half.checkpoint)
    assert len(resumed.pool.past) == 2
    train(resumed, RUN, parts)
    policies = [(f / "policy.safetensors").read_bytes() for f in (whole, parts)]
    assert policies[0] == policies[1]


def test_another_pool_keeps_the_versions_that_fit(tmp_path):
    learner = new_learner()
    result = train(learner, RUN, tmp_path)
    newest = learner.pool.past[-1]["value_head.bias"]
    resumed = new_learner(past_selves=1, opponents=())
    resumed.restore(result.checkpoint)
    (kept,) = resumed.pool.past
    assert torch.equal(kept["value_head.bias"], newest)
    own = resumed.pool.own_seats()
    assert own[:2].all()
    assert (own[2:].sum(axis=1) == 1).all()


def test_advantages_over_pool():
    scores = np.array([[30, 10, 20], [5, 5, 5], [0, 60, 30]])
    own = np.array([[True, False, False], [True] * 3, [False, False, True]])
    # 30 less (10 + 20) / 2; the learner alone; 30 less (0 + 60) / 2
    assert advantages_over_pool(scores, own).tolist() == [15.0, 0.0]


def test_learns_the_toy_game_beside_opponents(tmp_path):
    learner = new_learner(
        num_envs=32,
        num_steps=32,
        learning_rate=0.01,
        total_timesteps=60_000,
        self_share=0.0,
    )
    train(learner, RUN, tmp_path)
    _, metrics = collected(learner)
    # About 5 actions an episode, 50 points for each right one and others mostly wrong.
    assert metrics["charts/advantage"] > 25


def test_unknown_opponents_are_refused():
    with pytest.raises(UnknownAgentError, match="hoarder"):
        new_learner(opponents=("horder",))
    with pytest.raises(ValueError, match="self_share"):
        dataclasses.replace(POOLED, self_share=1.5)
