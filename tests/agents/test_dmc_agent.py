"""An agent that judges its options by a network: read back, it plays as it did."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents import checkpoint
from agents.checkpoint import CheckpointError
from agents.dmc_agent import (
    DMCAgent,
    OptionNetwork,
    OptionNetworkConfig,
    best_of,
    describe,
)
from agents.evaluation.__main__ import main
from agents.expert_agent import ExpertAgent
from agents.options import OptionConfig
from agents.registry import common_rules, make_agent
from agents.rollout import choose_actions
from rummy_env import RuleConfig, VectorEnv
from rummy_env.actions import LAY
from rummy_env.observation import view

SMALL = RuleConfig(num_players=2, num_ranks=7, hand_size=6)
SHAPE = OptionNetworkConfig(hidden_sizes=(8,))
OPTIONS = OptionConfig(window=9)


def network(seed=0):
    torch.manual_seed(seed)
    return OptionNetwork(SHAPE)


def saved(folder, **changes):
    """Writes a policy whose description is changed; returns its folder."""
    folder.mkdir()
    description = {**describe(SMALL, OPTIONS, SHAPE), **changes}
    path = folder / checkpoint.POLICY_NAME
    checkpoint.save_policy(path, description, network().state_dict())
    return folder


def played(agent, num_steps=60):
    """Returns what is seen after some steps of everybody's; none may be illegal."""
    envs = VectorEnv(6, SMALL, seed=3)
    envs.reset()
    ended = 0
    for _ in range(num_steps):
        envs.step(choose_actions(envs, [agent] * 2, np.ones(6, dtype=bool)))
        ended += int(envs.terminated.sum())
    assert ended > 0
    return envs.observation.copy()


def test_a_policy_read_back_plays_as_before_and_is_named_by_its_folder(tmp_path):
    agent = make_agent(str(saved(tmp_path / "mine")), SMALL)
    assert isinstance(agent, DMCAgent)
    assert (agent.name, agent.rules) == ("mine", SMALL)
    before = DMCAgent(network(), SMALL, OPTIONS)
    np.testing.assert_array_equal(played(agent), played(before))


@pytest.mark.parametrize("num_players", [2, 3])
def test_with_a_head_start_that_nothing_makes_up_it_plays_as_the_expert(num_players):
    rules = RuleConfig(num_players=num_players, num_ranks=8)
    window = OptionConfig(window=106, num_small=100)
    envs = VectorEnv(20, rules, seed=5)
    envs.reset()
    agents = [
        ExpertAgent(num_ranks=8),
        DMCAgent(network(), rules, replace(window, head_start=10_000)),
        DMCAgent(network(), rules, window),
    ]
    others = np.zeros(2, dtype=int)
    for _ in range(400):
        seen, masks = envs.observation, envs.action_mask
        as_expert, *learnt = [agent.act(seen, masks) for agent in agents]
        lays = view(seen, "laid_any")[:, 0] == 1
        for number, actions in enumerate(learnt):
            # the cards of a meld may come in another order
            differs = np.where(as_expert < LAY, actions != as_expert, actions < LAY)
            others[number] += differs[~lays].sum()
        envs.step(as_expert)
    assert others[0] == 0
    assert others[1] > 50


def test_the_command_that_compares_agents_takes_it(tmp_path, capsys):
    folder = str(saved(tmp_path / "mine"))
    assert common_rules([folder, "greedy"], {}) == SMALL
    assert main([folder, "greedy", "--deals", "2", "--workers", "1"]) == 0
    assert "mine" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algorithm": "magic"}, "learnt by magic"),
        ({"num_features": 3}, "3 features"),
        ({"network": {"hidden_sizes": [9]}}, "does not fit"),
        ({"options": {"wings": 2}}, "does not fit"),
    ],
)
def test_a_policy_of_another_make_is_refused(tmp_path, changes, message):
    with pytest.raises(CheckpointError, match=message):
        make_agent(str(saved(tmp_path / "mine", **changes)), SMALL)


def test_a_policy_for_other_rules_is_refused(tmp_path):
    folder = str(saved(tmp_path / "mine"))
    with pytest.raises(CheckpointError, match="trained for other rules"):
        make_agent(folder, RuleConfig(num_players=2))


def test_what_is_done_does_not_depend_on_what_was_seen_before():
    envs = VectorEnv(20, SMALL, seed=8, skip_forced=True)
    envs.reset()
    agent = DMCAgent(network(), SMALL, OPTIONS)
    for _ in range(40):
        actions = agent.act(envs.observation, envs.action_mask)
        fresh = DMCAgent(network(), SMALL, OPTIONS)
        np.testing.assert_array_equal(
            fresh.act(envs.observation, envs.action_mask), actions
        )
        envs.step(actions)


def test_the_first_of_the_best_options_is_taken():
    row = np.array([0, 0, 0, 1, 2, 2])
    values = np.array([1, 3, 3, -5, 2, 1], dtype=np.float32)
    np.testing.assert_array_equal(best_of(row, values), [1, 3, 4])


def test_an_empty_network_is_refused():
    with pytest.raises(ValueError, match=r"option_network\.hidden_sizes"):
        OptionNetworkConfig(hidden_sizes=())
