"""Who draws the last card: counted by hand."""

import numpy as np
import pytest

from agents.position import read
from agents.prospects import Weights
from agents.tempo import NEVER, melds_needed, should_stop, small_melds
from rummy_env import RuleConfig, State
from rummy_env.actions import ACTION_NAMES

N = NEVER
NO_NIM = 1


def position(stock, draws, num_players=2, table=(), hand="5c 6c 7c Kd 9h", other="Kc"):
    """Returns the position of a player with so many cards left in the stock."""
    rules = RuleConfig(num_players=num_players)
    cards = "As 2s 3s 5s 6s 8s 9s Ts"[: 3 * stock]
    hands = [hand, other, "3d", "4d", "5d"][:num_players]
    state = State.from_position(
        rules, list(table), hands, draws=draws, seed=1, stock=cards
    )
    return read(state.observation(0)[None])


def test_two_players_who_wait():
    # By cards left. Of 0 I drew the last; of 1 to 3 the other one takes it; of 4 to 6
    # it takes three and I the rest. Of 7, 4 are left to me, and of them all I can
    # leave, 1 to 3, is the other one's. Of 8 I am left 5 and must stop at 4: one meld.
    # Of 13 I am left 10: three drawn leave 7, two leave 8, one more meld than that.
    expected = [0, N, N, N, 0, 0, 0, N, 1, 1, 0, 0, 0, 2, 1]
    assert melds_needed(2, NO_NIM)[:15].tolist() == expected


def test_three_players_who_wait():
    # The others take six between two turns of mine.
    expected = [0, N, N, N, N, N, N, 0, 0, 0, N, N, N, N, 1, 1, 0]
    assert melds_needed(3, NO_NIM)[:17].tolist() == expected


def test_two_players_who_know_better_play_nim_at_the_end():
    waiting, nim = melds_needed(2, NO_NIM), melds_needed(2, 8)
    assert nim[:8].tolist() == [0, N, N, N, 0, N, N, N]
    np.testing.assert_array_equal(nim[8:], waiting[8:])
    # With fewer than five cards left there is nothing to know better.
    np.testing.assert_array_equal(melds_needed(2, 5), waiting)
    np.testing.assert_array_equal(melds_needed(3, 8), melds_needed(3, NO_NIM))


@pytest.mark.parametrize(
    ("stock", "draws", "stops"),
    [
        (4, 1, True),  # to draw on leaves 2 or 3
        (4, 2, True),
        (5, 1, False),  # one more can be drawn, then it stops at 4
        (5, 2, False),  # the third leaves 4
        (6, 1, False),  # as do the second and third
        (3, 1, False),  # lost whatever is done
        (2, 1, False),  # two more are the last ones
        (1, 2, False),
        (4, 0, False),  # nothing was drawn: nothing may be laid
        (4, 3, False),  # too late to meld
        (8, 1, True),  # leaving 8 takes one meld later; 7 and 6 are lost
    ],
)
def test_two_players_stop_at_four(stock, draws, stops):
    assert should_stop(position(stock, draws), 8).tolist() == [stops]


def test_against_one_who_waits_six_are_as_good_as_four():
    # Two more drawn leave 6, of which the other one takes three.
    assert not should_stop(position(8, 1), NO_NIM)[0]
    # Five are as good, but a card can still be drawn, and four left as well.
    assert not should_stop(position(5, 1), NO_NIM)[0]
    # To draw on leaves 3 or 2.
    assert should_stop(position(4, 1), NO_NIM)[0]


def test_the_number_of_players_is_seen():
    # Of four, two others who wait leave nothing; of seven they leave one.
    assert not should_stop(position(4, 1, num_players=3), 8)[0]
    assert should_stop(position(7, 1, num_players=3), 8)[0]


def melds(*args, **kwargs):
    """Returns the small melds of a position in words, as sets of cards."""
    (found,) = small_melds(position(*args, **kwargs), Weights(), 13)
    return {frozenset(ACTION_NAMES[action] for action in plan) for _, plan in found}


def lays(*hands):
    return {frozenset(f"lay {card}" for card in hand.split()) for hand in hands}


def test_small_melds_are_three_cards_of_the_hand_or_one_on_the_table():
    hand = "5c 6c 7c 8c Qc Kc Ac Kd Kh 9h *"
    expected = lays("5c 6c 7c", "6c 7c 8c", "Qc Kc Ac", "Kc Kd Kh")
    assert melds(4, 1, hand=hand, other="3c") == expected
    table = ["6h 7h 8h", "4c 4d 4h"]
    expected |= lays("9h")
    assert melds(4, 1, table=table, hand=hand, other="3c") == expected
    assert melds(4, 1, hand="5c 6c 8c Kd 9h") == set()


def test_of_four_of_a_kind_any_three_are_a_small_meld():
    four = ("Kc", "Kd", "Kh", "Ks")
    expected = {
        frozenset(f"lay {card}" for card in four if card != one) for one in four
    }
    assert melds(4, 1, hand="Kc Kd Kh Ks 2c", other="3c") == expected
