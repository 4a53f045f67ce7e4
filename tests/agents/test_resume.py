"""Trainings that are stopped, by the budget or by force, and go on."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import train as command
from agents.checkpoint import load_checkpoint, load_policy
from agents.networks import NetworkConfig
from agents.ppo import Learner, PPOConfig
from agents.run import RunConfig
from rummy_env.config import RuleConfig

RULES = RuleConfig(num_players=2, num_ranks=6, hand_size=5, max_rounds=2)
RUN = RunConfig(torch_threads=1, env_threads=1, tensorboard=False)
PLAIN = PPOConfig(num_envs=8, num_steps=16, num_minibatches=2, total_timesteps=6 * 128)
ALL = dataclasses.replace(
    PLAIN,
    episode="game",
    ent_coef_final=0.0,
    opponents=("random", "greedy"),
    past_selves=2,
    past_every=2,
    self_share=0.25,
    central_critic=True,
    augment_suits=True,
)
WAIT_S = 120


def learnt(learner, count):
    """The metrics of so many more updates of a run."""
    metrics = []
    for _ in range(count):
        learner.anneal(learner.progress)
        metrics.append(learner.learn())
    return metrics


def assert_same_weights(one, other):
    for name in ("network", "critic"):
        modules = getattr(one, name), getattr(other, name)
        if modules[0] is None:
            assert modules[1] is None
            continue
        first, second = (module.state_dict() for module in modules)
        assert first.keys() == second.keys()
        assert all(torch.equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize(
    ("hyperparameters", "suits"),
    [(PLAIN, "plain"), (ALL, "plain"), (ALL, "shared")],
    ids=["plain", "all", "all-shared"],
)
def test_a_restored_learner_goes_on_bit_for_bit(tmp_path, hyperparameters, suits):
    def new():
        network = NetworkConfig(hidden_sizes=(16,), suits=suits)
        return Learner.new(RULES, network, hyperparameters, RUN)

    whole, again, first = new(), new(), new()
    curve = learnt(whole, 6)
    # Not compared with ==: NaN stands where no episode ended.
    assert json.dumps(learnt(again, 6)) == json.dumps(curve)
    assert_same_weights(whole, again)
    learnt(first, 3)
    first.save(tmp_path)
    resumed = new()
    resumed.restore(tmp_path / "checkpoint.pt")
    assert json.dumps(learnt(resumed, 3)) == json.dumps(curve[3:])
    assert_same_weights(whole, resumed)
    assert (resumed.update, resumed.global_step) == (6, whole.global_step)


def test_a_checkpoint_from_before_newer_options_is_resumed(tmp_path):
    network = NetworkConfig(hidden_sizes=(16,))
    old = Learner.new(RULES, network, PLAIN, RUN)
    old.save(tmp_path)
    path = tmp_path / "checkpoint.pt"
    state = load_checkpoint(path)
    del state["description"]["network"]["suits"], state["pool"], state["critic"]
    for name in ("opponents", "past_selves", "self_share"):
        del state["ppo"][name]
    torch.save(state, path)
    resumed = Learner.new(RULES, network, PLAIN, RUN)
    resumed.restore(path)
    assert_same_weights(old, resumed)


def wait_for(is_true):
    end = time.monotonic() + WAIT_S
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
def test_a_killed_training_goes_on_from_its_last_checkpoint(
    tmp_path, monkeypatch, capsys
):
    flags = (
        "--rules.num_players=2 --rules.num_ranks=6 --rules.hand_size=5 "
        "--network.hidden_sizes=[16] --ppo.num_envs=8 --ppo.num_steps=16 "
        "--ppo.num_minibatches=2 --ppo.past_selves=2 --ppo.past_every=1 "
        "--run.torch_threads=1 --run.env_threads=1 --run.tensorboard=false "
        f"--evaluation.opponents=[] --run.output_dir={tmp_path}"
    ).split()
    # A checkpoint after every update, so that the blow may fall on a write.
    often = ["--run.checkpoint_minutes=1e-9", "--ppo.total_timesteps=1000000000"]
    script = Path(command.__file__)
    process = subprocess.Popen(
        [sys.executable, str(script), *flags, *often], stdout=subprocess.DEVNULL
    )
    folder = tmp_path / "ppo"
    policy = folder / "policy.safetensors"  # written after the checkpoint
    path = folder / "checkpoint.pt"
    try:
        wait_for(lambda: policy.exists() or process.poll() is not None)
        time.sleep(0.3)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert load_policy(policy)
    made = load_checkpoint(path)["update"]
    assert made >= 1
    more = [f"--ppo.total_timesteps={128 * (made + 2)}", f"--resume={path}"]
    monkeypatch.setattr(sys, "argv", ["train.py", *flags, *more])
    assert command.main() == 0
    assert load_checkpoint(path)["update"] == made + 2
    rows = (folder / "metrics.jsonl").read_text().splitlines()
    updates = [json.loads(row)["update"] for row in rows]
    assert updates == list(range(1, made + 3))
