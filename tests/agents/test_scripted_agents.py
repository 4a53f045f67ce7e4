"""Scripted agents play legal games, and know what they are there for."""

import numpy as np
import pytest

from agents.evaluation import TournamentConfig, evaluate
from agents.expert_agent import ExpertAgent, ExpertParameters
from agents.greedy_agent import GreedyAgent
from agents.hoarder_agent import HoarderAgent
from agents.position import best_melds, hand_after, melds_that_leave, read
from agents.prospects import Outlook, stranded_points, undercut_risk
from agents.registry import make_agent
from agents.rollout import choose_actions
from rummy_env import RuleConfig, State, VectorEnv
from rummy_env.actions import ACTION_NAMES
from rummy_env.cards import POINTS

SMALL = RuleConfig(num_players=2, num_ranks=7, hand_size=6)
TWO = RuleConfig(num_players=2)


def position(table, hand, draws=1, other="Kc Kh 9d 8s 4c", **options):
    hands = [hand, other]
    state = State.from_position(TWO, table, hands, draws=draws, seed=1, **options)
    return state.observation(0)[None], state.action_mask()[None]


def choice(agent, *position):
    return ACTION_NAMES[int(agent.act(*position)[0])]


@pytest.mark.parametrize("name", ["hoarder", "expert"])
@pytest.mark.parametrize("rules", [SMALL, TWO, RuleConfig(num_players=4, num_ranks=8)])
def test_they_play_legal_games_and_repeat_them(name, rules):
    # VectorEnv refuses illegal actions.
    results = []
    for _ in range(2):
        envs = VectorEnv(6, rules, seed=3)
        envs.reset()
        agent = make_agent(name, rules)
        agent.reset(0)
        lineup = [agent] + [GreedyAgent(rules.num_ranks)] * (rules.num_players - 1)
        ended = 0
        for _ in range(150):
            envs.step(choose_actions(envs, lineup, np.ones(6, dtype=bool)))
            ended += int(envs.terminated.sum())
        assert ended > 0
        results.append(envs.observation.copy())
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("name", ["hoarder", "expert"])
def test_what_is_done_does_not_depend_on_what_was_seen_before(name):
    envs = VectorEnv(20, SMALL, seed=8, skip_forced=True)
    envs.reset()
    agent = make_agent(name, SMALL)
    everyone = np.ones(20, dtype=bool)
    for _ in range(40):
        actions = choose_actions(envs, [agent] * 2, everyone)
        fresh = make_agent(name, SMALL)
        np.testing.assert_array_equal(
            fresh.act(envs.observation, envs.action_mask), actions
        )
        envs.step(actions)


@pytest.mark.parametrize("agent", [HoarderAgent(), ExpertAgent()])
def test_a_meld_that_does_not_end_the_round_waits(agent):
    assert choice(agent, *position([], "5c 6c 7c Kd 9h 8d")) == "draw"
    assert choice(GreedyAgent(), *position([], "5c 6c 7c Kd 9h 8d")) == "lay 5c"


@pytest.mark.parametrize("agent", [HoarderAgent(), ExpertAgent()])
def test_a_meld_that_ends_the_round_is_laid(agent):
    state = State.from_position(
        TWO, [], ["5c 6c 7c 8c Jd Jh Js 2h", "Kd Kh 9d 8s 4c"], draws=1, seed=1
    )
    while state.current_player == 0 and state.outcome() is None:
        seen, mask = state.observation(0)[None], state.action_mask()[None]
        state.apply_action(int(agent.act(seen, mask)[0]))
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome["reason"], outcome["by"]) == ("knock", 0)
    assert outcome["points"][0] == 2


def near_the_end(stock, **options):
    """Returns a game in which all that can be laid are two small melds."""
    hand = "5c 6c 7c Kd Kh Ks 9h 8d 2s Qd"
    return State.from_position(
        TWO, [], [hand, "Ac Ah 9d 8s 4c"], draws=1, seed=1, stock=stock, **options
    )


@pytest.mark.parametrize(
    ("stock", "word"),
    [
        ("Js Ts 4d 3h", "lay"),  # four left for the other one: the last is ours
        ("Js Ts 4d 3h 3d", "draw"),  # after one more four are left
        ("Js Ts 4d", "draw"),  # lost
        ("Js Ts", "draw"),  # both are ours
    ],
)
def test_the_expert_lays_a_small_meld_to_stop_drawing(stock, word):
    state = near_the_end(stock)
    seen, mask = state.observation(0)[None], state.action_mask()[None]
    assert choice(ExpertAgent(), seen, mask).split()[0] == word
    assert choice(HoarderAgent(), seen, mask) == "draw"


def test_the_expert_lays_one_small_meld_and_ends_its_turn():
    state = near_the_end("Js Ts 4d 3h")
    agent, laid = ExpertAgent(), []
    while state.current_player == 0:
        action = int(
            agent.act(state.observation(0)[None], state.action_mask()[None])[0]
        )
        laid.append(ACTION_NAMES[action])
        state.apply_action(action)
    assert laid[-1] == "end"
    assert set(laid[:-1]) in (
        {"lay 5c", "lay 6c", "lay 7c"},
        {"lay Kd", "lay Kh", "lay Ks"},
    )
    assert len(laid) == 4
    assert read(state.observation(0)[None]).stock[0] == 4


def test_the_expert_that_takes_the_other_one_for_a_waiter_leaves_six():
    state = near_the_end("Js Ts 4d 3h 3d 3c 4h 4s")
    seen, mask = state.observation(0)[None], state.action_mask()[None]
    waiter = ExpertAgent(parameters=ExpertParameters(nim_below=5))
    assert choice(waiter, seen, mask) == "draw"
    assert choice(ExpertAgent(), seen, mask).startswith("lay")


@pytest.mark.parametrize("agent", [HoarderAgent(), ExpertAgent(), GreedyAgent()])
def test_in_the_last_lap_all_is_laid(agent):
    seen, mask = position([], "5c 6c 7c Kd 9h 8d", draws=0, stock="", lap=2)
    assert ACTION_NAMES[int(agent.act(seen, mask)[0])] == "lay 5c"


def test_a_meld_that_somebody_else_began_is_finished():
    state = State.from_position(
        TWO, ["5c 6c 7c"], ["8c 9c Kd Kh Ks 2h", "9d"], draws=1, seed=1
    )
    state.apply_action("lay Kh")
    seen, mask = state.observation(0)[None], state.action_mask()[None]
    for agent in (HoarderAgent(), ExpertAgent()):
        assert mask[0, int(agent.act(seen, mask)[0])]


def some_positions(rules, count):
    """Returns positions at which something could be laid and nothing is yet."""
    envs = VectorEnv(20, rules, seed=5)
    envs.reset()
    rng = np.random.default_rng(0)
    found = []
    while sum(map(len, found)) < count:
        can_meld = envs.action_mask[:, 3:].any(axis=1)
        fresh = can_meld & (envs.action_mask[:, 0] == 1)
        found.append(envs.observation[fresh].copy())
        draws = fresh & (rng.random(20) < 0.7)
        first = GreedyAgent(rules.num_ranks).act(envs.observation, envs.action_mask)
        envs.step(np.where(draws, 0, first))
    return read(np.concatenate(found))


@pytest.mark.parametrize("most", [2, 5, 12])
def test_melds_that_leave_little_are_found_where_the_best_meld_leaves_little(most):
    positions = some_positions(RuleConfig(num_players=3, num_ranks=7), 150)
    left = hand_after(positions, best_melds(positions, 7)) @ POINTS
    found, melds = melds_that_leave(positions, most, 7)
    np.testing.assert_array_equal(found, np.flatnonzero(left <= most))
    after = hand_after(positions.rows(found), melds)
    np.testing.assert_array_equal(after @ POINTS, left[found])
    assert (melds.plans[:, 0] >= 0).all()


def test_stranded_points_are_no_more_than_the_best_meld_leaves():
    positions = some_positions(RuleConfig(num_players=3, num_ranks=9), 200)
    left = hand_after(positions, best_melds(positions, 9)) @ POINTS
    stranded = stranded_points(Outlook.now(positions), 9)
    assert (stranded <= left).all()
    assert (stranded == left).mean() > 0.1


def test_the_risk_of_an_undercut_is_counted_from_unseen_cards():
    unseen = np.zeros((1, 53), dtype=np.int64)
    unseen[0, [0, 2, 9, 10]] = 1  # an ace, a three, two tens: 1, 3, 10, 10 points
    hand = np.zeros((1, 53), dtype=np.int64)
    hand[0, 3] = 1  # four points
    blank = np.zeros((1, 52), dtype=np.int64)

    def risk(*sizes):
        opponents = np.array([[*sizes, 0, 0, 0, 0][:4]])
        outlook = Outlook(blank, hand, unseen, opponents, np.zeros(1, dtype=np.int64))
        return undercut_risk(outlook)[0]

    assert risk(1) == pytest.approx(1 / 2)
    assert risk(2) == pytest.approx(3 / 16)  # 1 + 1, 1 + 3 or 3 + 1
    assert risk(1, 1) == pytest.approx(3 / 4)
    assert risk(5) == 0


def test_expert_and_hoarder_are_well_ahead_of_greedy():
    config = TournamentConfig(deals=40, seed=1)
    report = evaluate(["expert", "hoarder", "greedy"], SMALL, config)
    for row in (0, 1):
        ahead = report.payoff[row][2]
        assert ahead is not None
        assert ahead.low > 0
