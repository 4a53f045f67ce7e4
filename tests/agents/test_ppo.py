import csv
import dataclasses
import json
import math
import os
import signal

import numpy as np
import pytest
import torch

from agents import ppo
from agents.checkpoint import CheckpointError
from agents.networks import NetworkConfig
from agents.policy_agent import PolicyAgent
from agents.ppo import Learner, PPOConfig
from agents.run import RunConfig
from agents.training import train
from rummy_env.config import RuleConfig
from tests.agents.toy import POINTS, ToyEnv

RULES = RuleConfig(num_players=3)
NETWORK = NetworkConfig(hidden_sizes=(16,), activation="tanh")
RUN = RunConfig(torch_threads=1, env_threads=1, tensorboard=False)
SMALL = PPOConfig(num_envs=8, num_steps=8, num_minibatches=2, total_timesteps=50 * 64)


def new_learner(hyperparameters=SMALL, rules=RULES, network=NETWORK, make=ToyEnv):
    return Learner.new(rules, network, hyperparameters, RUN, make)


def updates(num_updates):
    return dataclasses.replace(SMALL, total_timesteps=num_updates * SMALL.batch_size)


def rows_of(folder):
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def without_time(rows):
    return [{key: row[key] for key in row if key != "charts/SPS"} for row in rows]


def test_same_seed_same_first_fifty_losses(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        train(new_learner(), RUN, tmp_path / name)
    rows = [without_time(rows_of(tmp_path / name)) for name in ("a", "b")]
    assert len(rows[0]) == 50
    assert rows[0] == rows[1]


def test_resuming_continues_identically(tmp_path):
    fixed = {"anneal_lr": False}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    train(new_learner(dataclasses.replace(updates(10), **fixed)), RUN, whole)
    first = dataclasses.replace(updates(4), **fixed)
    result = train(new_learner(first), RUN, parts)
    assert result.is_complete
    resumed = new_learner(dataclasses.replace(updates(10), **fixed))
    resumed.restore(result.checkpoint)
    assert (resumed.update, resumed.global_step) == (4, 4 * 64)
    train(resumed, RUN, parts)
    assert without_time(rows_of(whole)) == without_time(rows_of(parts))
    policies = [(f / "policy.safetensors").read_bytes() for f in (whole, parts)]
    assert policies[0] == policies[1]


def test_rows_after_the_checkpoint_are_dropped_on_resuming(tmp_path):
    result = train(new_learner(updates(2)), RUN, tmp_path)
    lost = {**rows_of(tmp_path)[-1], "update": 3}
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write(json.dumps(lost) + "\n" + '{"update": 4, "cut')
    resumed = new_learner(updates(4))
    resumed.restore(result.checkpoint)
    train(resumed, RUN, tmp_path)
    assert [row["update"] for row in rows_of(tmp_path)] == [1, 2, 3, 4]
    assert rows_of(tmp_path)[2] != lost
    with (tmp_path / "metrics.csv").open(newline="") as file:
        assert [row["update"] for row in csv.DictReader(file)] == ["1", "2", "3", "4"]


def test_log_has_the_usual_keys(tmp_path):
    train(new_learner(updates(1)), RUN, tmp_path)
    names = "value_loss policy_loss entropy old_approx_kl approx_kl clipfrac"
    expected = {f"losses/{name}" for name in f"{names} explained_variance".split()}
    names = "SPS learning_rate episodes episodic_return episodic_length"
    expected |= {f"charts/{name}" for name in names.split()}
    assert rows_of(tmp_path)[0].keys() == expected | {"update", "global_step"}


def test_learns_the_toy_game(tmp_path):
    quick = dataclasses.replace(
        updates(60),
        num_envs=32,
        num_steps=16,
        learning_rate=0.01,
        total_timesteps=30_000,
    )
    result = train(new_learner(quick), RUN, tmp_path)
    first, *_, last = [row["losses/entropy"] for row in rows_of(tmp_path)]
    assert last < first / 2
    agent = PolicyAgent.load(result.policy)
    envs = ToyEnv(num_envs=200, config=RULES, seed=9)
    envs.step(agent.act(envs.observation, envs.action_mask))
    # By chance a fifth would be right.
    assert (envs.reward.sum(axis=1) == POINTS).mean() > 0.95


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_finishes_the_update_saves_and_gives_back_the_signal(
    tmp_path, number, capfd
):
    class Interrupted(ToyEnv):
        steps = 0

        def step(self, actions):
            Interrupted.steps += 1
            if Interrupted.steps == 12:  # in the middle of the second update
                os.kill(os.getpid(), number)
            return super().step(actions)

    before = signal.getsignal(number)
    result = train(new_learner(make=Interrupted), RUN, tmp_path)
    assert not result.is_complete
    assert result.global_step == 2 * SMALL.batch_size
    assert Interrupted.steps == 16
    assert signal.getsignal(number) is before
    assert "then saving" in capfd.readouterr().err
    resumed = new_learner()
    resumed.restore(result.checkpoint)
    assert resumed.update == 2


def test_a_second_signal_stops_at_once(tmp_path):
    class Interrupted(ToyEnv):
        def step(self, actions):
            os.kill(os.getpid(), signal.SIGINT)
            return super().step(actions)

    with pytest.raises(KeyboardInterrupt):
        train(new_learner(make=Interrupted), RUN, tmp_path)


def test_minutes_end_a_run(tmp_path):
    run = dataclasses.replace(RUN, max_minutes=0.5 / 60)
    endless = updates(10**9)
    result = train(new_learner(endless), run, tmp_path)
    assert result.is_complete
    rates = [row["charts/learning_rate"] for row in rows_of(tmp_path)]
    assert len(rates) > 1
    # Annealed by the clock, since that is what will end the run.
    assert rates[-1] < 0.5 * rates[0]


def test_restore_refuses_other_rules_and_other_networks(tmp_path):
    result = train(new_learner(updates(1)), RUN, tmp_path)
    other = new_learner(
        rules=RuleConfig(num_players=3, knock_limit=10),
        network=NetworkConfig(hidden_sizes=(16,), activation="relu"),
    )
    with pytest.raises(CheckpointError) as caught:
        other.restore(result.checkpoint)
    assert "rules.knock_limit is 5 there, 10 here" in str(caught.value)
    assert "network.activation is tanh there, relu here" in str(caught.value)


def test_another_number_of_games_is_dealt_anew(tmp_path):
    result = train(new_learner(updates(1)), RUN, tmp_path)
    more = dataclasses.replace(updates(3), num_envs=16, num_steps=4)
    learner = new_learner(more)
    learner.restore(result.checkpoint)
    assert learner.envs.num_envs == 16
    assert train(learner, RUN, tmp_path).global_step == 3 * 64


def test_every_sample_is_used_once_an_epoch():
    learner = new_learner()
    batch = ppo.Batch.empty(learner.envs, SMALL)
    ppo.collect(learner, batch)
    batch.advantages.copy_(torch.arange(64.0).reshape(8, 8))
    given = list(ppo.minibatches(batch, SMALL, learner.generator))
    assert [len(minibatch.actions) for minibatch in given] == [32, 32]
    order = torch.cat([minibatch.advantages for minibatch in given])
    assert order.tolist() != list(range(64))
    assert sorted(order.tolist()) == list(range(64))
    # The fields of a sample stay together.
    actions = torch.cat([minibatch.actions for minibatch in given])
    assert torch.equal(actions, batch.actions.flatten()[order.long()])


def test_collected_samples_are_what_was_played():
    learner = new_learner()
    batch = ppo.Batch.empty(learner.envs, SMALL)
    metrics = ppo.collect(learner, batch)
    chosen = batch.masks.gather(2, batch.actions[..., None])
    assert (chosen == 1).all()
    _, values = learner.network(
        batch.observations.flatten(0, 1), batch.masks.flatten(0, 1)
    )
    torch.testing.assert_close(values, batch.values.flatten())
    assert metrics["charts/episodes"] == batch.ended.sum() > 0
    assert batch.is_own.all()
    # Rewards are scaled: the toy pays 50 points, 1 after the default scale of 0.02.
    assert set(np.unique(batch.rewards)) == {0.0, 1.0}


def test_episode_metrics():
    scores = np.array([[30, 0, 0], [0, 60, 0]])
    # 90 points over two episodes of three seats: 15 a seat.
    assert ppo.episode_metrics(scores, 50) == {
        "charts/episodes": 2.0,
        "charts/episodic_return": 15.0,
        "charts/episodic_length": 25.0,
    }
    nothing = ppo.episode_metrics(np.zeros((0, 3), dtype=np.int64), 50)
    assert math.isnan(nothing["charts/episodic_return"])


def test_target_kl_ends_the_epochs():
    many = dataclasses.replace(
        SMALL, update_epochs=50, learning_rate=0.05, target_kl=1e-3
    )
    learner = new_learner(many)
    batch = ppo.Batch.empty(learner.envs, many)
    ppo.collect(learner, batch)
    ppo.improve(learner, batch)
    made = learner.optimizer.state[learner.network.value_head.bias]["step"].item()
    assert made < 50 * many.num_minibatches


def test_entropy_moves_evenly_to_its_final_weight():
    learner = new_learner(dataclasses.replace(SMALL, ent_coef=0.1, ent_coef_final=0.02))
    assert learner.ent_coef == 0.1
    weights = []
    for progress in (0.0, 0.25, 1.0):
        learner.anneal(progress)
        weights.append(learner.ent_coef)
    # 0.1 less 0, a quarter and all of the 0.08 between.
    assert weights == pytest.approx([0.1, 0.08, 0.02])
    fixed = new_learner(dataclasses.replace(SMALL, ent_coef=0.1))
    fixed.anneal(0.75)
    assert fixed.ent_coef == 0.1


def test_the_loss_has_the_entropy_at_its_weight_now():
    learner = new_learner()
    batch = ppo.Batch.empty(learner.envs, SMALL)
    ppo.collect(learner, batch)
    samples = next(iter(ppo.minibatches(batch, SMALL, learner.generator)))
    learner.ent_coef = 0.0
    without, parts = ppo.ppo_loss(learner, samples)
    learner.ent_coef = 0.25
    loss, _ = ppo.ppo_loss(learner, samples)
    expected = without - 0.25 * parts["losses/entropy"]
    torch.testing.assert_close(loss, expected)
