import numpy as np
import pytest

from agents.checkpoint import CheckpointError
from agents.networks import ActorCritic, NetworkConfig
from agents.policy_agent import PolicyAgent
from agents.random_agent import RandomAgent
from agents.registry import UnknownAgentError, make_agent
from agents.rollout import choose_actions, play_first_episodes
from agents.training import train
from rummy_env.actions import NUM_ACTIONS
from rummy_env.config import RuleConfig
from tests.agents.test_ppo import RUN, new_learner, updates
from tests.agents.toy import ToyEnv

RULES = RuleConfig(num_players=3)


def some_masks(num_rows, rng):
    masks = (rng.random((num_rows, NUM_ACTIONS)) < 0.1).astype(np.int8)
    masks[np.arange(num_rows), rng.integers(NUM_ACTIONS, size=num_rows)] = 1
    return masks


def policy_agent(**options):
    network = ActorCritic(8, NUM_ACTIONS, NetworkConfig(hidden_sizes=(8,)))
    return PolicyAgent(network, **options)


@pytest.mark.parametrize(
    "agent",
    [RandomAgent(), policy_agent(), policy_agent(sample=True)],
    ids=["random", "likeliest", "sampled"],
)
def test_agents_play_legal_actions_and_repeat_after_reset(agent):
    rng = np.random.default_rng(0)
    masks = some_masks(500, rng)
    seen = rng.random((500, 8), dtype=np.float32)
    agent.reset(5)
    actions = agent.act(seen, masks)
    assert actions.shape == (500,)
    assert actions.dtype == np.int64
    assert masks[np.arange(500), actions].all()
    agent.reset(5)
    np.testing.assert_array_equal(agent.act(seen, masks), actions)


def test_random_agent_is_uniform():
    masks = np.zeros((60_000, NUM_ACTIONS), dtype=np.int8)
    masks[:, [0, 7, 158]] = 1
    actions = RandomAgent(1).act(np.zeros((60_000, 1), np.float32), masks)
    counts = np.bincount(actions, minlength=NUM_ACTIONS)[[0, 7, 158]]
    # Expected 20,000 each, deviation sqrt(60,000 * 2/9) = 115.
    assert np.abs(counts - 20_000).max() < 4 * 115


def test_policy_agent_refuses_observations_of_another_length():
    with pytest.raises(ValueError, match="8 numbers, not 9"):
        policy_agent().act(np.zeros((1, 9), np.float32), np.ones((1, 159), np.int8))


def test_registry_makes_agents_by_name_and_by_path(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    result = train(new_learner(updates(1)), RUN, folder)
    assert make_agent("random", RULES).name == "random"
    for path in (folder, result.policy):
        assert make_agent(str(path), RULES).name == "mine"


def test_registry_offers_the_nearest_name(tmp_path):
    with pytest.raises(UnknownAgentError, match="did you mean 'random'"):
        make_agent("ramdom", RULES)
    with pytest.raises(UnknownAgentError, match="no policy"):
        make_agent(str(tmp_path), RULES)
    (tmp_path / "policy.safetensors").write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match="damaged"):
        make_agent(str(tmp_path), RULES)


class Noting:
    """Plays the first legal action and notes which seats it was asked for."""

    def __init__(self, name):
        self.name = name
        self.seats = set()
        self.num_calls = 0

    def reset(self, seed):
        pass

    def act(self, observations, masks):
        assert len(observations) == len(masks) > 0
        self.num_calls += 1
        self.seats |= set(observations[:, 5:].argmax(axis=1))
        return masks.argmax(axis=1)


def test_each_agent_plays_its_own_seats_in_one_batch():
    envs = ToyEnv(num_envs=20, config=RULES)
    one, two = Noting("one"), Noting("two")
    active = np.ones(20, dtype=bool)
    for _ in range(10):
        envs.step(choose_actions(envs, [one, two, one], active))
    assert one.seats == {0, 2}
    assert two.seats == {1}
    assert one.num_calls <= 10


def test_ended_rows_are_asked_for_no_more():
    envs = ToyEnv(num_envs=4, config=RULES)
    agent = Noting("one")
    actions = choose_actions(envs, [agent] * 3, np.zeros(4, dtype=bool))
    assert agent.num_calls == 0
    np.testing.assert_array_equal(actions, envs.action_mask.argmax(axis=1))


def test_first_episodes_are_the_same_deals_every_time():
    envs = ToyEnv(num_envs=30, config=RULES, seed=1)
    agent = Noting("one")
    first = play_first_episodes(envs, [agent] * 3, seed=4)
    again = play_first_episodes(envs, [agent] * 3, seed=4)
    other = play_first_episodes(envs, [agent] * 3, seed=5)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    # The first legal action, `draw`, is right for one hint of four.
    assert 0 < first.sum() < 30 * 7 * 50


def test_as_many_agents_as_seats():
    envs = ToyEnv(num_envs=2, config=RULES)
    with pytest.raises(ValueError, match="3 seats"):
        play_first_episodes(envs, [RandomAgent()] * 2, seed=0)
