"""The AEC environment keeps to PettingZoo's conventions, game after game."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils import wrappers

from rummy_env import (
    ConfigError,
    IllegalActionError,
    RummyError,
    manipulation_rummy_v0,
)
from rummy_env.actions import NUM_ACTIONS
from rummy_env.manipulation_rummy_v0 import ENV_ID, env, raw_env
from rummy_env.rewards import EPISODES, REWARDS
from tests.driving import SMALL_GAME, random_action

MAKERS = [env, raw_env]
# what PettingZoo says of every environment whose observations are dicts
DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
}


@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("make", MAKERS)
def test_the_api_test_passes_with_its_two_warnings_only(
    make: Callable[..., Any], episode: str
) -> None:
    game = make(num_players=3, episode=episode)
    for index, agent in enumerate(game.possible_agents):
        game.action_space(agent).seed(index)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(game, num_cycles=200)
    assert {str(warning.message) for warning in caught} == DICT_WARNINGS


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("make", MAKERS)
def test_the_seed_test_passes(make: Callable[..., Any], skip_forced: bool) -> None:
    seed_test(lambda: make(num_players=4, skip_forced=skip_forced), num_cycles=30)


def check_agents(game: Any) -> None:
    """Checks that what PettingZoo keeps by agent is there for exactly the agents."""
    agents = set(game.agents)
    for kept in (game.rewards, game.terminations, game.truncations, game.infos):
        assert type(kept) is dict
        assert set(kept) == agents
    for agent in game.possible_agents:
        observation = game.observe(agent)
        assert game.observation_space(agent).contains(observation)
        is_to_act = (
            agent in agents
            and agent == game.agent_selection
            and not game.terminations[agent]
            and not game.truncations[agent]
        )
        assert observation["action_mask"].any() == is_to_act


def play_through(game: Any, seed: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Plays a random episode; returns the sums each agent got, and the outcome."""
    rng = np.random.default_rng(seed)
    received = dict.fromkeys(game.possible_agents, 0.0)
    given = dict.fromkeys(game.possible_agents, 0.0)
    outcomes = []
    game.reset(seed=seed)
    for index, agent in enumerate(game.agent_iter()):
        if index % 7 == 0 or game.terminations[agent]:
            check_agents(game)
        observation, reward, terminated, truncated, info = game.last()
        received[agent] += reward
        if terminated or truncated:
            outcomes.append(info["outcome"])
            assert not observation["action_mask"].any()
            game.step(None)
        else:
            assert not info
            game.step(random_action(observation["action_mask"], rng))
            for each, gain in game.rewards.items():
                given[each] += gain
    check_agents(game)
    assert len(outcomes) == len(received)
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert received == pytest.approx(given)
    return received, outcomes[0]


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("make", MAKERS)
def test_rewards_add_up_to_the_result(
    make: Callable[..., Any], num_players: int, episode: str, reward: str
) -> None:
    game = make(num_players=num_players, episode=episode, reward=reward, **SMALL_GAME)
    received, outcome = play_through(game, seed=num_players)
    sums = np.array(list(received.values()))
    is_game = episode == "game"
    assert outcome["game_over"] or not is_game
    scores = np.array(outcome["totals" if is_game else "round_scores"])
    if reward == "score":
        np.testing.assert_array_equal(sums, scores)
    elif reward == "zero_sum":
        others = (scores.sum() - scores) / (num_players - 1)
        np.testing.assert_allclose(sums, scores - others, atol=1e-3)
        assert sums.sum() == pytest.approx(0.0, abs=1e-3)
    else:
        winners = outcome["game_winners" if is_game else "winners"]
        expected = np.isin(np.arange(num_players), winners) / len(winners)
        np.testing.assert_allclose(sums, expected)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_the_full_game_is_played_to_its_end(num_players: int) -> None:
    received, outcome = play_through(raw_env(num_players=num_players), seed=1)
    assert outcome["game_over"]
    assert not outcome["truncated"]
    assert list(received.values()) == outcome["totals"]


def kept_by(game: raw_env) -> list[Any]:
    """Returns copies of all that an illegal action must leave alone."""
    kept: list[Any] = [
        dict(by_agent)
        for by_agent in (
            game.rewards,
            game._cumulative_rewards,
            game.terminations,
            game.truncations,
            game.infos,
        )
    ]
    kept += [game.agents[:], game.agent_selection, game.record.tobytes()]
    return [*kept, game.observe(game.agent_selection)["action_mask"].tobytes()]


def test_raw_env_refuses_an_illegal_action_and_changes_nothing() -> None:
    game, rng = raw_env(num_players=3), np.random.default_rng(5)
    game.reset(seed=5)
    for _ in range(150):
        mask = game.observe(game.agent_selection)["action_mask"]
        before = kept_by(game)
        illegal = random_action(1 - mask, rng)
        for action in (illegal, None, -1, NUM_ACTIONS, "lay 1h", 0.0, True):
            with pytest.raises(IllegalActionError):
                game.step(action)
        assert kept_by(game) == before
        game.step(random_action(mask, rng))


def test_the_error_names_the_action_the_phase_and_what_is_legal() -> None:
    game = raw_env(num_players=3)
    game.reset(seed=0)
    seat = game.agent_selection.removeprefix("player_")
    message = f"'end' is not legal: player {seat} begins the turn; legal: draw"
    with pytest.raises(IllegalActionError, match=message):
        game.step("end")


def test_last_shows_what_observe_says_even_of_a_subclass() -> None:
    class Blind(raw_env):
        def observe(self, agent: str) -> Any:
            return f"nothing for {agent}"

    env = Blind()
    env.reset(seed=1)
    assert env.last()[0] == f"nothing for {env.agent_selection}"


@pytest.mark.parametrize("agent", ["player_9", 1, None])
def test_last_refuses_an_agent_that_there_is_not(agent: Any) -> None:
    env = raw_env()
    env.reset(seed=1)
    env.agent_selection = agent
    with pytest.raises(RummyError, match="no agent"):
        env.last()


def test_names_of_actions_serve_as_well_as_ids() -> None:
    game = raw_env(num_players=3)
    game.reset(seed=0)
    game.step(" draw ")
    assert game.game().record["draws"][0] == 1


def test_env_ends_the_game_at_an_illegal_action() -> None:
    game = env(num_players=3)
    game.reset(seed=0)
    culprit = game.agent_selection
    others = [agent for agent in game.agents if agent != culprit]
    game.step(NUM_ACTIONS - 1)
    rewards = {}
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, _ = game.last()
        assert terminated
        assert truncated
        # the round still runs, but nobody is to act in it any more
        assert not any(
            game.observe(each)["action_mask"].any() for each in game.possible_agents
        )
        assert not observation["action_mask"].any()
        rewards[agent] = reward
        game.step(None)
    assert rewards == {culprit: -1.0, **dict.fromkeys(others, 0.0)}
    game.reset(seed=0)
    assert game.observe(culprit)["action_mask"].any()


def seen(game: Any) -> tuple[Any, ...]:
    """Returns all that PettingZoo shows of the agent to act, as plain values."""
    observation, *others = game.last()
    arrays = [observation[key].tolist() for key in ("observation", "action_mask")]
    by_agent = (game.rewards, game.terminations, game.truncations)
    return game.agent_selection, arrays, others, [dict(each) for each in by_agent]


def test_the_wrapper_does_what_pettingzoo_s_do_illegal_actions_included() -> None:
    rng = np.random.default_rng(4)
    for seed in range(40):
        ours, inner = env(num_players=3, **SMALL_GAME), raw_env(**SMALL_GAME)
        inner = wrappers.TerminateIllegalWrapper(inner, illegal_reward=-1)
        theirs = wrappers.OrderEnforcingWrapper(inner)
        ours.reset(seed=seed)
        theirs.reset(seed=seed)
        for _ in zip(ours.agent_iter(), theirs.agent_iter(), strict=True):
            assert seen(ours) == seen(theirs)
            observation, _, terminated, truncated, _ = ours.last()
            action = None
            if not (terminated or truncated):
                mask = observation["action_mask"]
                action = random_action(1 - mask if rng.random() < 0.01 else mask, rng)
            ours.step(action)
            theirs.step(action)
        assert ours.agents == theirs.agents == []


def test_the_wrapper_wants_reset_first_and_a_step_for_each_agent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    game = env(num_players=3)
    for name in ("agents", "agent_selection", "rewards", "infos", "num_agents"):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before"):
            getattr(game, name)
    game.reset(seed=0)
    agents = iter(game.agent_iter())
    next(agents)
    with pytest.raises(AssertionError, match="need to call step"):
        next(agents)
    game = env(num_players=2, episode="round", **SMALL_GAME)
    game.reset(seed=0)
    play_through(game, seed=0)
    game.step(None)
    assert "called after all agents are terminated" in caplog.text


def test_env_refuses_what_is_no_action_and_a_step_before_reset() -> None:
    game = env(num_players=3)
    with pytest.raises(RummyError, match="reset"):
        game.step(0)
    game.reset(seed=0)
    with pytest.raises(IllegalActionError, match="ids run from 0 to 158"):
        game.step(NUM_ACTIONS)


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"num_player": 3}, "did you mean 'num_players'"),
        ({"skip_force": True}, "did you mean 'skip_forced'"),
        ({"handsize": 7}, "did you mean 'hand_size'"),
        ({"episode": "rounds"}, "did you mean 'round'"),
        ({"reward": "zerosum"}, "did you mean 'zero_sum'"),
        ({"render_mode": "hman"}, "did you mean 'human'"),
        ({"reward": ["score"]}, "did you mean 'score'"),
        ({"episode": None}, "known: game, round"),
        ({"skip_forced": 1}, "True or False, not 1"),
        ({"num_players": 6}, "whole number from 2 to 5, not 6"),
        ({"hand_size": 60}, "leave no stock card"),
    ],
)
def test_wrong_options_are_refused_with_a_hint(
    options: dict[str, Any], hint: str
) -> None:
    with pytest.raises(ConfigError, match=hint):
        env(**options)


def test_every_rule_option_can_be_given() -> None:
    game = raw_env(num_players=2, packs=2, knock_limit=7, max_rounds=3)
    assert game.config.num_cards == 106
    assert game.config.knock_limit == 7
    assert game.config.max_rounds == 3


@pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry"
)
def test_pettingzoo_makes_it_by_name() -> None:
    game = pettingzoo.make("aec", ENV_ID, num_players=2, hand_size=7)
    assert game.unwrapped.config.hand_size == 7
    game.reset(seed=0)
    received, _ = play_through(game, seed=0)
    assert set(received) == {"player_0", "player_1"}


def test_global_random_numbers_are_left_alone() -> None:
    np.random.seed(0)  # noqa: NPY002 (the global state is what is looked at)
    random.seed(0)
    arrays_before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    before = random.getstate()
    play_through(env(num_players=2, **SMALL_GAME), seed=3)
    raw_env().reset()
    assert np.random.get_state()[1].tobytes() == arrays_before  # noqa: NPY002
    assert random.getstate() == before


def test_the_module_offers_what_it_lists() -> None:
    assert set(manipulation_rummy_v0.__all__) <= set(vars(manipulation_rummy_v0))
    assert str(raw_env()) == str(env()) == "manipulation_rummy_v0"
