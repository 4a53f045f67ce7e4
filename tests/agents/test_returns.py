"""Seat advantages: a hand-computed round, and a loop over seats written anew."""

import numpy as np
import pytest

from agents.returns import seat_gae


def float32(values):
    return np.array(values, dtype=np.float32)


# One row, three seats, gamma 1/2, lambda 1/2 (gamma lambda 1/4).
#   step  seat  V   reward (0, 1, 2)   ended
#   0     0     2   ( 0,  1,  0)
#   1     1     4   ( 3,  0,  0)
#   2     2     6   ( 0,  0,  5)
#   3     0     8   ( 8, -4, -4)       yes: seat 0 ends the round for all
#   4     1     1   ( 0,  2,  0)       a new round
#   5     0     3   ( 1,  1,  1)       and the batch is over; V after it (10, 20, 30)
VALUES = float32([[2], [4], [6], [8], [1], [3]])
PLAYERS = np.array([[0], [1], [2], [0], [1], [0]])
REWARDS = float32(
    [
        [[0, 1, 0]],
        [[3, 0, 0]],
        [[0, 0, 5]],
        [[8, -4, -4]],
        [[0, 2, 0]],
        [[1, 1, 1]],
    ]
)
ENDED = np.array([[False], [False], [False], [True], [False], [False]])
BOOTSTRAP = float32([[10, 20, 30]])
# step 5, seat 0: r 1;            delta = 1 + 10/2 - 3 = 3            A = 3
# step 4, seat 1: r 2 + 1 = 3;    delta = 3 + 20/2 - 1 = 12           A = 12
# step 3, seat 0: r 8, ended;     delta = 8 - 8 = 0                   A = 0
# step 2, seat 2: r 5 - 4 = 1;    delta = 1 - 6 = -5, ended by seat 0 A = -5
# step 1, seat 1: r 0 + 0 - 4;    delta = -4 - 4 = -8, likewise       A = -8
# step 0, seat 0: r 0 + 3 + 0 = 3 until step 3;
#                 delta = 3 + 8/2 - 2 = 5; A = 5 + 0/4                A = 5
# (seat 1's reward 1 in step 0 came before its first action and counts nowhere)
ADVANTAGES = [5, -8, -5, 0, 12, 3]
RETURNS = [7, -4, 1, 8, 13, 6]


def test_hand_computed_round():
    advantages, returns = seat_gae(
        VALUES, PLAYERS, REWARDS, ENDED, BOOTSTRAP, gamma=0.5, gae_lambda=0.5
    )
    assert advantages[:, 0].tolist() == ADVANTAGES
    assert returns[:, 0].tolist() == RETURNS
    assert advantages.dtype == returns.dtype == np.float32


def test_lambda_chains_a_seats_own_actions():
    # Seat 0 acts at steps 0 and 2, seat 1 between; all rewards 1 to seat 0 at the end.
    #   step 2: delta = 1 + 0 - 0 = 1, A 1
    #   step 0: delta = 0 + 0.5 * 0 - 0 = 0, A = 0 + 0.5 * 0.5 * 1 = 0.25
    #   step 1: seat 1 gets nothing
    advantages, _ = seat_gae(
        np.zeros((3, 1), dtype=np.float32),
        np.array([[0], [1], [0]]),
        float32([[[0, 0]], [[0, 0]], [[1, 0]]]),
        np.array([[False], [False], [True]]),
        np.zeros((1, 2), dtype=np.float32),
        gamma=0.5,
        gae_lambda=0.5,
    )
    assert advantages[:, 0].tolist() == [0.25, 0.0, 1.0]


def naive_advantages(
    values, players, rewards, ended, bootstrap, gamma, gae_lambda, row, seat
):
    """The advantages of one seat in one row, forwards, transition by transition."""
    num_steps = len(values)
    own = [t for t in range(num_steps) if players[t, row] == seat]
    transitions = []
    for start in own:
        total, t = 0.0, start
        while True:
            total += float(rewards[t, row, seat])
            if ended[t, row]:
                transitions.append((start, total, 0.0, None))
                break
            t += 1
            if t == num_steps:
                transitions.append((start, total, float(bootstrap[row, seat]), None))
                break
            if players[t, row] == seat:
                transitions.append((start, total, float(values[t, row]), t))
                break
    result = {}
    for start, total, next_value, following in reversed(transitions):
        delta = total + gamma * next_value - float(values[start, row])
        after = 0.0 if following is None else result[following]
        result[start] = delta + gamma * gae_lambda * after
    return result


@pytest.mark.parametrize("num_players", [2, 3, 5])
@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 1.0), (0.5, 0)])
def test_equals_a_naive_loop(num_players, gamma, gae_lambda):
    rng = np.random.default_rng(num_players)
    shape = (40, 6)
    values = rng.normal(size=shape).astype(np.float32)
    # Any seat may follow any other: with forced actions skipped it may even be itself.
    players = rng.integers(num_players, size=shape)
    rewards = rng.normal(size=(*shape, num_players)).astype(np.float32)
    ended = rng.random(shape) < 0.1
    bootstrap = rng.normal(size=(shape[1], num_players)).astype(np.float32)
    given = (values, players, rewards, ended, bootstrap, gamma, gae_lambda)
    advantages, returns = seat_gae(*given)
    expected = np.full(shape, np.nan)
    for row in range(shape[1]):
        for seat in range(num_players):
            for step, advantage in naive_advantages(*given, row, seat).items():
                expected[step, row] = advantage
    np.testing.assert_allclose(advantages, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(returns, expected + values, rtol=1e-4, atol=1e-5)


def test_inputs_stay_as_they_were():
    before = [array.copy() for array in (VALUES, REWARDS, BOOTSTRAP)]
    seat_gae(VALUES, PLAYERS, REWARDS, ENDED, BOOTSTRAP, 0.5, 0.5)
    for array, copy in zip((VALUES, REWARDS, BOOTSTRAP), before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_a_truncated_episode_is_worth_what_would_have_followed():
    # The round of above, broken off in step 3 where (6, 2, 4) would have followed:
    # step 3, seat 0: delta = 8 + 6/2 - 8 = 3                     A = 3
    # step 2, seat 2: delta = 1 + 4/2 - 6 = -3                    A = -3
    # step 1, seat 1: delta = -4 + 2/2 - 4 = -7                   A = -7
    # step 0, seat 0: delta = 5 as before; A = 5 + 3/4            A = 5.75
    final_values = np.full_like(REWARDS, np.nan)  # read where an episode ends only
    final_values[3] = float32([[6, 2, 4]])
    advantages, _ = seat_gae(
        VALUES, PLAYERS, REWARDS, ENDED, BOOTSTRAP, 0.5, 0.5, final_values
    )
    assert advantages[:, 0].tolist() == [5.75, -7, -3, 3, 12, 3]


def test_steps_of_agents_without_values_spoil_nothing():
    # The round of above with seats 1 and 2 other agents', of which only rewards are
    # known: seat 0's numbers stay, at steps 0, 3 and 5.
    is_own = PLAYERS == 0
    values = np.where(is_own, VALUES, np.nan).astype(np.float32)
    bootstrap = float32([[10, np.nan, np.nan]])
    advantages, returns = seat_gae(
        values, PLAYERS, REWARDS, ENDED, bootstrap, gamma=0.5, gae_lambda=0.5
    )
    assert advantages[is_own].tolist() == [5, 0, 3]
    assert returns[is_own].tolist() == [7, 8, 6]
