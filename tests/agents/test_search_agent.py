"""The searching player sees no more than it may, and finds what pays."""

import numpy as np
import pytest

from agents.expert_agent import ExpertAgent
from agents.options import OptionConfig
from agents.registry import make_agent
from agents.search_agent import SearchAgent, SearchConfig
from rummy_env import RuleConfig, RummyError, State, VectorEnv
from rummy_env.actions import ACTION_NAMES, DRAW

TWO = RuleConfig(num_players=2)
QUICK = SearchConfig(deals=8, batch=4)


def searcher(config=QUICK, seed=0):
    return SearchAgent(TWO, ExpertAgent(), config, OptionConfig(window=12), seed)


def choice(agent, state):
    seat = state.current_player
    seen, mask = state.observation(seat)[None], state.action_mask()[None]
    return ACTION_NAMES[int(agent.act(seen, mask)[0])]


def test_it_goes_out_where_that_wins_and_waiting_does_not():
    hands = ["5c 6c 7c 8c", "Kd Kh 9d 8s 4c 2c 3d"]
    state = State.from_position(TWO, "", hands, draws=1, stock="Qs Jh 2d 3h 4s 6s")
    for expected in ("lay 5c", "lay 6c", "lay 7c", "lay 8c"):
        assert choice(searcher(), state) == expected
        state.apply_action(expected)
    assert state.outcome().reason == "out"


def test_what_is_hidden_does_not_matter():
    """The same observation, other hidden cards: the same choice."""
    hands = ["5c 6c 7c Kd 9h 8d", "Kh 9d 8s 4c 2c 3d"]
    state = State.from_position(TWO, "", hands, draws=1, stock="Qs Jh 2d 3h 4s 6s")
    first = choice(searcher(), state)
    for seed in range(3):
        assert choice(searcher(), state.resample_hidden(0, seed)) == first


def test_the_same_seed_gives_the_same_choices():
    hands = ["5c 6c 7c Kd 9h 8d Kc Ks", "Kh 9d 8s 4c 2c 3d"]
    state = State.from_position(TWO, "", hands, draws=1, stock="Qs Jh 2d 3h 4s 6s")
    assert choice(searcher(seed=3), state) == choice(searcher(seed=3), state)


def test_it_plays_whole_rounds_and_thinks_no_longer_than_told():
    state = State.new(TWO, 5)
    agent = searcher(SearchConfig(deals=10**6, batch=1, budget_ms=5))
    while state.outcome() is None:
        state.apply_action(choice(agent, state))
    assert state.problems() == []


def test_it_is_known_by_name():
    agent = make_agent("search", TWO)
    assert agent.name == "search(expert)"


def test_rows_go_on_from_given_games():
    games = [State.new(TWO, seed) for seed in range(3)]
    for game in games:
        game.apply_action("draw")
    envs = VectorEnv(3, TWO)
    envs.place(games)
    for row, game in enumerate(games):
        np.testing.assert_array_equal(envs.action_mask[row], game.action_mask())
        seat = game.current_player
        np.testing.assert_array_equal(envs.observation[row], game.observation(seat))
    envs.step(np.full(3, DRAW))
    for row, game in enumerate(games):
        game.apply_action("draw")
        np.testing.assert_array_equal(envs.action_mask[row], game.action_mask())


def test_rows_take_as_many_games_of_the_same_rules_that_run():
    envs = VectorEnv(2, TWO)
    with pytest.raises(RummyError, match="2 rows"):
        envs.place([State.new(TWO, 1)])
    for games in (None, State.new(TWO, 1), [1, 2]):
        with pytest.raises(RummyError, match="a list of State"):
            envs.place(games)
    with pytest.raises(RummyError, match="other rules"):
        envs.place([State.new(RuleConfig(num_players=3), 1)] * 2)
    over = State.from_position(TWO, "", ["5c 6c 7c", "Kh"], draws=1, stock="2d 3d")
    for card in ("5c", "6c", "7c"):
        over.apply_action(f"lay {card}")
    with pytest.raises(RummyError, match="over"):
        envs.place([over] * 2)
