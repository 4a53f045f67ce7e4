"""Seeds, copies, saved games, forced actions and broken steps of the environment."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rummy_env import ConfigError, IllegalActionError, RummyError, State
from rummy_env.factored import FactoredActions
from rummy_env.kernel import calls
from rummy_env.kernel.deal import episode_seed
from rummy_env.manipulation_rummy_v0 import env, raw_env
from rummy_env.rewards import REWARDS
from tests.driving import (
    NO_CHOICE,
    SMALL_GAME,
    next_action,
    no_choice_seed,
    trace,
)


def begun(make: Callable[..., Any] = raw_env, **options: Any) -> Any:
    """Returns a game in the middle of a meld."""
    game = make(num_players=3, **SMALL_GAME, **options)
    game.reset(seed=2)
    while game.unwrapped.record["num_laid"][0] == 0:
        game.step(next_action(game.unwrapped))
    return game


def test_a_seed_deals_the_same_game_and_zero_is_a_seed() -> None:
    one, other = raw_env(), raw_env()
    for seed in (0, 1, 2**63 - 1):
        one.reset(seed=seed)
        other.reset(seed=np.int64(seed))
        assert one.game() == other.game() == State.new(one.config, seed)
    one.reset(seed=0)
    first = one.game()
    one.reset(seed=1)
    assert one.game() != first


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "0", True])
def test_what_is_no_seed_is_refused_and_the_game_goes_on(seed: Any) -> None:
    game = begun()
    before = game.game()
    with pytest.raises(ConfigError, match="seed"):
        game.reset(seed=seed)
    assert game.game() == before
    game.step(next_action(game))


def test_reset_without_a_seed_goes_on_with_the_stream() -> None:
    one, other = raw_env(), raw_env()
    games = []
    for game in (one, other):
        game.reset(seed=7)
        games.append([])
        for _ in range(4):
            game.reset()
            games[-1].append(game.game())
            game.step("draw")
    assert games[0] == games[1]
    assert len({state.to_text() for state in games[0]}) == 4
    assert games[0][2] == State.new(one.config, int(episode_seed(7, 0, 3)))


def test_without_any_seed_games_differ() -> None:
    one, other = raw_env(), raw_env()
    one.reset()
    other.reset()
    assert one.game() != other.game()


def test_unknown_reset_options_are_ignored() -> None:
    game = raw_env()
    game.reset(seed=1, options={"anything": 1})
    assert game.game() == State.new(game.config, 1)


def test_two_environments_do_not_disturb_each_other() -> None:
    alone = []
    for seed in (3, 4):
        game = raw_env(num_players=3, **SMALL_GAME)
        game.reset(seed=seed)
        alone.append(trace(game))
    games = [raw_env(num_players=3, **SMALL_GAME) for _ in range(2)]
    for game, seed in zip(games, (3, 4), strict=True):
        game.reset(seed=seed)
    for _ in range(30):
        for game in games:
            game.step(next_action(game))
    together = [trace(game) for game in games]
    assert together == [seen[60:] for seen in alone]


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("how", ["deepcopy", "pickle", "save"])
def test_copies_in_the_middle_of_a_meld_go_on_the_same(
    how: str, make: Callable[..., Any]
) -> None:
    game = begun(make)
    if how == "deepcopy":
        other = copy.deepcopy(game)
    elif how == "pickle":
        other = pickle.loads(pickle.dumps(game))
    else:
        saved = pickle.loads(pickle.dumps(game.unwrapped.save()))
        other = make(num_players=3, **SMALL_GAME)
        other.reset(seed=9)
        other.unwrapped.load(saved)
    seen = trace(game.unwrapped)
    assert len(seen) > 10
    assert trace(other.unwrapped) == seen
    game.reset()
    other.reset()
    assert game.unwrapped.game() == other.unwrapped.game()


def test_a_saved_game_is_untouched_by_what_follows() -> None:
    game = begun()
    saved = game.save()
    text = game.game().to_text()
    first = trace(game)
    game.load(saved)
    assert game.game().to_text() == text
    assert trace(game) == first


def test_a_saved_end_of_an_episode_can_be_loaded() -> None:
    game = begun(episode="round")
    while not any(game.terminations.values()):
        game.step(next_action(game))
    game.step(None)
    other = raw_env(num_players=3, episode="round", **SMALL_GAME)
    other.load(game.save())
    assert other.agents == game.agents
    assert trace(other) == trace(game)


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"num_ranks": 7}, "num_ranks is 6 there, 7 here"),
        (
            {"num_players": 2},
            "num_players is 3 there, 2 here; packs is 2 there, 1 here",
        ),
        ({"episode": "round"}, "episode is 'game' there, 'round' here"),
        ({"reward": "win"}, "reward is 'score' there, 'win' here"),
        ({"skip_forced": True}, "skip_forced is False there, True here"),
    ],
)
def test_a_game_saved_under_other_settings_is_refused(
    options: dict[str, Any], difference: str
) -> None:
    saved = begun().save()
    other = raw_env(**{"num_players": 3, **SMALL_GAME, **options})
    other.reset(seed=0)
    before = other.game()
    with pytest.raises(ConfigError, match=f"other options: {difference}$"):
        other.load(saved)
    assert other.game() == before


SPOILT: dict[str, Any] = {
    "config": None,
    "settings": {"episode": "game"},
    "record": np.zeros(1),
    "stream": (-1, 0),
    "agents": ["player_0"],
    "agent_selection": "player_3",
    "skip": "nobody",
    "layout": [3],
    "terminations": {},
    "truncations": {"player_0": False},
    "rewards": None,
    "cumulative": [0.0, 0.0, 0.0],
    "infos": {"player_0": None, "player_1": {}, "player_2": {}},
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_saved_game_that_was_spoilt_is_refused(name: str) -> None:
    game = begun()
    saved, before = game.save(), game.game()
    assert saved.keys() == SPOILT.keys()
    with pytest.raises(ConfigError, match="not what save returns"):
        game.load({**saved, name: SPOILT[name]})
    assert game.game() == before
    game.load(saved)


def test_a_saved_game_that_cannot_be_is_refused() -> None:
    game = begun()
    saved = game.save()
    saved["record"]["hands"][0, 0, 0] += 1
    with pytest.raises(ConfigError, match="copies instead of"):
        game.load(saved)


def test_the_wrapped_environment_goes_on_from_a_saved_game() -> None:
    saved = begun().save()
    fresh, stale = (env(num_players=3, **SMALL_GAME) for _ in range(2))
    fresh.load(saved)
    stale.reset(seed=0)
    stale.last()  # a mask is seen that belongs to another game
    stale.unwrapped.load(saved)
    for game in (fresh, stale):
        game.step(next_action(game.unwrapped))
        assert not any(game.terminations.values())
        assert trace(game) == trace(resumed(saved))


def resumed(saved: dict[str, Any]) -> Any:
    """Returns a game that went on by one action from a saved one."""
    game = raw_env(num_players=3, **SMALL_GAME)
    game.load(saved)
    game.step(next_action(game))
    return game


def play_choices(game: raw_env, seed: int) -> tuple[list[State], dict[str, float], Any]:
    """Plays a game by its text; returns the choices, reward sums and outcome.

    An action without an alternative is played as well, but is no choice.
    """
    game.reset(seed=seed)
    sums = dict(game.rewards)
    choices = []
    while not any((*game.terminations.values(), *game.truncations.values())):
        state = game.game()
        if sum(state.action_mask()) > 1:
            choices.append(state)
        else:
            assert not game.skip_forced
        game.step(next_action(game))
        for agent, gain in game.rewards.items():
            sums[agent] += gain
    return choices, sums, game.infos["player_0"]["outcome"]


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("episode", ["game", "round"])
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_skipping_forced_actions_plays_the_same_games(
    num_players: int, episode: str, reward: str
) -> None:
    options = {"num_players": num_players, "episode": episode, "reward": reward}
    options |= SMALL_GAME
    every = raw_env(**options)
    some = raw_env(**options, skip_forced=True)
    for seed in range(3):
        choices, sums, outcome = play_choices(every, seed)
        other_choices, other_sums, other_outcome = play_choices(some, seed)
        assert choices == other_choices
        assert outcome == other_outcome
        assert sums == pytest.approx(other_sums, abs=1e-3)
        assert every.record.tobytes() == some.record.tobytes()


def test_a_game_may_pass_over_rounds_without_a_choice() -> None:
    options = {"num_players": 2, "target_score": 40, **NO_CHOICE}
    every, some = raw_env(**options), raw_env(**options, skip_forced=True)
    choices, sums, outcome = play_choices(every, no_choice_seed())
    assert choices[0].round_index > 0
    assert play_choices(some, no_choice_seed()) == (choices, sums, outcome)


@pytest.mark.parametrize("reward", ["score", "win"])
def test_an_episode_without_a_choice_is_over_after_reset(reward: str) -> None:
    game = raw_env(
        num_players=2, episode="round", reward=reward, skip_forced=True, **NO_CHOICE
    )
    game.reset(seed=no_choice_seed())
    assert game.terminations == {"player_0": True, "player_1": True}
    given = dict(game.rewards)
    outcome = game.infos["player_0"]["outcome"]
    if reward == "score":
        assert list(given.values()) == outcome["round_scores"]
    else:
        assert sum(given.values()) == 1.0
    received = {}
    for agent in game.agent_iter():
        observation, received[agent], terminated, truncated, _ = game.last()
        assert terminated
        assert not truncated
        assert not observation["action_mask"].any()
        game.step(None)
    assert received == given
    assert not game.agents


def test_r30_too_many_rounds_truncate_the_episode() -> None:
    options = {"num_ranks": 6, "hand_size": 5, "max_rounds": 2}
    for reward in REWARDS:
        game = raw_env(num_players=3, reward=reward, target_score=10**6, **options)
        _, sums, outcome = play_choices(game, seed=0)
        assert set(game.truncations.values()) == {True}
        assert set(game.terminations.values()) == {False}
        assert outcome["truncated"]
        assert outcome["game_winners"] == []
        assert outcome["totals"] == outcome["scores"]
        assert game.record["round"][0] == 1
        if reward == "score":
            assert list(sums.values()) == outcome["scores"]
        elif reward == "win":
            assert set(sums.values()) == {0.0}
        for _ in range(3):
            assert game.last()[2:4] == (False, True)
            game.step(None)
        assert not game.agents


@pytest.mark.parametrize("during", ["step", "reset"])
def test_a_broken_step_is_not_passed_over_in_silence(
    during: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begun()
    saved = game.save()

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(calls, "play", stop)
    with pytest.raises(KeyboardInterrupt):
        game.step(next_action(game)) if during == "step" else game.reset(seed=1)
    monkeypatch.undo()
    for use in (game.last, game.state, game.save, game.game, lambda: game.step(0)):
        with pytest.raises(RummyError, match="interrupted"):
            use()
    game.load(saved)
    game.step(next_action(game))
    game.reset(seed=0)
    game.step("draw")


def in_pairs(**options: Any) -> FactoredActions:
    """Returns the environment with actions in two parts."""
    return FactoredActions(raw_env(**options))


def uses_of(game: Any) -> list[Callable[[], Any]]:
    """Returns all that needs a game to be under way."""
    return [
        game.state,
        game.game,
        game.save,
        game.render,
        game.last,
        game.agent_iter,
        lambda: game.observe("player_0"),
        lambda: game.step(np.array([0, 0])),
        lambda: game.step(None),
    ]


@pytest.mark.parametrize("make", [env, raw_env, in_pairs])
def test_before_the_first_reset_there_is_nothing_to_see(
    make: Callable[..., Any],
) -> None:
    game = make(render_mode="ansi")
    for use in uses_of(game):
        with pytest.raises(RummyError, match=r"call reset\(\) first"):
            use()
    with pytest.raises(ConfigError, match="seed"):
        game.reset(seed=-1)
    for use in uses_of(game):
        with pytest.raises(RummyError, match=r"call reset\(\) first"):
            use()
    with pytest.raises(AttributeError, match="reset"):
        _ = game.agent_selection


@pytest.mark.parametrize("make", [env, raw_env, in_pairs])
def test_after_the_end_nobody_is_left(make: Callable[..., Any]) -> None:
    game = make(num_players=2, episode="round", skip_forced=True, **NO_CHOICE)
    game.reset(seed=no_choice_seed())
    for wrong in (0, "draw"):
        with pytest.raises(IllegalActionError, match=r"player_. has terminated"):
            game.unwrapped.step(wrong)
    for _ in range(2):
        game.step(None)
    with pytest.raises(RummyError, match="no agent left"):
        game.last()


def test_an_unknown_agent_is_refused_with_a_hint() -> None:
    with pytest.raises(RummyError, match="did you mean 'player_1'"):
        begun().observe("player1")
