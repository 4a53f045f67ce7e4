"""What is noted of past turns: bounded by the rules, whatever is played."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from rummy_env import NotationError, RuleConfig, State
from tests.driving import random_action
from tests.positions import play, position

THREE = RuleConfig(num_players=3)


def midgame() -> State:
    """Returns a game in which seat 1 has drawn, seat 0 has melded, seat 2 passed."""
    state = position(["7c 7d 7h 2s 3s", "9h Ks Kh", "2c 4d"], to_move=2, draws=3)
    play(state, "end", "draw", "lay 7c", "lay 7d", "lay 7h", "end", "draw")
    assert state.record["last_draws"][0, :3].tolist() == [1, 0, 3]
    assert state.record["last_laid"][0, :3].tolist() == [3, 0, 0]
    assert state.record["turns_since_meld"][0, :3].tolist() == [0, 0, 1]
    assert state.problems() == []
    return state


def passes(num_rounds: int) -> State:
    """Returns a game of three in which nobody ever melds, that many times around."""
    state = State.new(THREE, seed=5)
    for _ in range(3 * num_rounds):
        play(state, "draw", "draw", "draw", "end")
    return state


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({("last_draws", 2): 4}, "player 2 drew 4 cards"),
        ({("last_draws", 0): -1}, "player 0 drew -1 cards"),
        ({("last_draws", 0): 3}, "player 0 melded after the third draw"),
        ({("last_draws", 0): 0}, "player 0 had a turn without a draw"),
        ({("last_draws", 2): 0}, "player 2 had a turn without a draw"),
        ({("last_draws", 2): 2}, "player 2 passed after 2 draws"),
        ({("last_draws", 1): 3}, "player 1 passed, but 0 turns ago melded"),
        ({("last_draws", 4): 1}, "last_draws tells of a seat without a player"),
        ({("last_laid", 0): 4}, "more cards were laid than the table holds"),
        ({("last_laid", 0): -1}, "player 0 laid -1 cards"),
        ({("last_laid", 0): 127}, "more cards were laid than the table holds"),
        ({("last_laid", 2): 1}, "player 2 melded after the third draw"),
        ({("last_laid", 3): 1}, "last_laid tells of a seat without a player"),
        ({("turns_since_meld", 0): 1}, "player 0 melded, but 1 turns ago"),
        ({("turns_since_meld", 1): 1}, "player 1 had a turn without a draw"),
        ({("turns_since_meld", 2): 0}, "player 2 passed, but 0 turns ago melded"),
        ({("turns_since_meld", 2): -1}, "player 2 has passed -1 times"),
        ({("turns_since_meld", 2): 2}, "player 2 has passed 2 times with 2 cards"),
        ({("turns_since_meld", 4): 1}, "turns_since_meld tells of a seat"),
    ],
)
def test_r6_r8_what_cannot_have_been_seen_is_a_problem(
    changes: dict[tuple[str, int], int], words: str
) -> None:
    state = midgame()
    for (name, player), value in changes.items():
        state.record[name][0, player] = value
    assert words in "; ".join(state.problems())


def test_r6_a_pass_brings_three_cards() -> None:
    state = passes(3)
    assert state.record["turns_since_meld"][0, 0] == 3
    assert state.problems() == []
    state.record["turns_since_meld"][0, 0] = 8  # 19 cards: 6 passes after a made-up one
    assert "player 0 has passed 8 times with 19 cards" in state.problems()[0]


def test_r20_nobody_draws_in_the_lap() -> None:
    state = position(["2c", "3d", "4h"], lap=2, stock="")
    state.record["draws"] = 1
    assert "nobody draws in the last lap" in state.problems()
    state = position(["2c", "3d", "4h"], lap=3, stock="")
    state.record["turns_since_meld"][0, 2] = 1  # whose last turn is still to come
    assert "player 2 had a turn without a draw" in "; ".join(state.problems())


def test_r6_nobody_melds_after_the_third_draw() -> None:
    state = position(["7c 7d 7h 2s", "9h", "2c"], draws=2)
    play(state, "lay 7c")
    state.record["draws"] = 3
    assert "cards were laid after the third draw" in state.problems()


def test_r19_nobody_goes_on_without_a_card() -> None:
    state = position(["2c 9d", "3d", "4h"])
    state.record["hands"][0, 0] += state.record["hands"][0, 1]
    state.record["hands"][0, 1] = 0
    assert state.problems() == ["player 1 has no card left, and the round goes on"]


@pytest.mark.parametrize("name", ["last_draws", "last_laid"])
def test_the_last_turn_of_a_round_is_noted_as_it_was(name: str) -> None:
    state = play(position(["2c", "3d", "4h"], draws=3, stock=""), "knock")
    assert state.problems() == []
    state.record[name][0, 0] = 2
    assert f"{name} is not that of the last turn" in "; ".join(state.problems())


def test_texts_that_tell_of_impossible_turns_are_refused() -> None:
    text = midgame().to_text()
    for name in ("last_draws", "last_laid", "turns_since_meld"):
        assert f"{name}=" in text
        wrong = re.sub(rf"{name}=[0-9 ]+", f"{name}=7 7 7", text)
        with pytest.raises(NotationError, match="no such position"):
            State.from_text(wrong)


@pytest.mark.parametrize("num_players", [2, 3, 5])
@pytest.mark.parametrize(
    "options",
    [
        {"num_ranks": 4, "hand_size": 3},
        {"num_ranks": 6, "hand_size": 5, "knock_in_last_lap": True},
        {"num_ranks": 13, "hand_size": 2, "packs": 1, "knock_limit": 0},
    ],
)
def test_random_play_is_always_sound(num_players: int, options: dict[str, Any]) -> None:
    config = RuleConfig(num_players=num_players, **options)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        state = State.new(config, seed)
        while state.outcome() is None:
            state.apply_action(random_action(state.action_mask(), rng))
            assert state.problems() == [], state


@pytest.mark.parametrize("stock", ["", "2d", "2d 3d", None])
@pytest.mark.parametrize("lap", [None, 1, 2, True])
@pytest.mark.parametrize("draws", [1, 2, 3])
def test_made_up_positions_stay_sound(
    draws: int, lap: int | None, stock: str | None
) -> None:
    placed: dict[str, Any] = {"lap": lap} if lap else {"draws": draws}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        hands: list[str | None] = ["2c", "3c 4c 5c Ks", None]
        state = position(hands, "7c 7d 7h", stock=stock, **placed, knock_limit=0)
        while state.outcome() is None:
            mask = state.action_mask()
            if rng.random() < 0.7 and mask[:2].any():  # pass more than a random player
                mask[2:] = 0
            state.apply_action(random_action(mask, rng))
            assert state.problems() == [], state
