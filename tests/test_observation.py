"""What each section of an observation means, on positions made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch

from rummy_env import RuleConfig, RummyError, State
from rummy_env.cards import CARD_NAMES
from rummy_env.observation import (
    OFFSETS,
    SECTIONS,
    SIZE,
    encode,
    table_of_docs,
    view,
)

CONFIG = RuleConfig(num_players=3)


def melding() -> State:
    """Returns a meld under way: player 1 has laid two cards and moved a joker."""
    state = State.from_position(
        CONFIG,
        table=["5c 6c *7c", "8d 8h 8s"],
        hands=["Ac Ac *", "7c 8c Kd Kd Qs", "2d"],
        to_move=1,
        draws=2,
        stock="3s 4s 9c",
        scores=[30, 75, 0],
        rounds_won=[1, 2, 0],
        dealer=2,
    )
    for action in ("lay 7c", "take 7c", "joker 9c", "lay 8c"):
        state.apply_action(action)
    return state


def waiting() -> State:
    """Returns the same meld while the joker waits for a name."""
    state = State.from_position(
        CONFIG,
        table=["5c 6c *7c", "8d 8h 8s"],
        hands=["Ac Ac *", "7c 8c", "2d"],
        to_move=1,
        draws=1,
    )
    for action in ("lay 7c", "take 7c"):
        state.apply_action(action)
    return state


def planes(observation: np.ndarray, name: str) -> dict[str, int]:
    """Returns the cards that a section of two planes marks, with their numbers."""
    first, second = view(observation, name).reshape(2, -1)
    assert set(np.unique([first, second])) <= {0.0, 1.0}
    assert (second <= first).all()
    return {
        CARD_NAMES[card]: int(first[card] + second[card])
        for card in np.flatnonzero(first)
    }


def check(observation: np.ndarray, expected: Mapping[str, Any]) -> None:
    """Compares sections of numbers."""
    for name, values in expected.items():
        seen = view(observation, name)
        np.testing.assert_allclose(seen, values, rtol=1e-6, err_msg=name)


def test_sections_tile_the_vector() -> None:
    at = 0
    for section in SECTIONS:
        assert OFFSETS[section.name] == at
        assert section.size == np.prod(section.shape)
        assert section.doc.endswith(".")
        at += section.size
    assert at == SIZE
    assert len(OFFSETS) == len(SECTIONS)


@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
def test_views_share_memory_in_numpy_and_torch(lead: tuple[int, ...]) -> None:
    numbers = np.arange(np.prod((*lead, SIZE)), dtype=np.float32)
    observation = numbers.reshape(*lead, SIZE)
    tensor = torch.from_numpy(observation)
    for section in SECTIONS:
        part = view(observation, section.name)
        assert part.shape == (*lead, *section.shape)
        assert np.shares_memory(part, observation)
        other = view(tensor, section.name)
        assert tuple(other.shape) == part.shape
        assert np.shares_memory(other.numpy(), observation)
        flat = part.reshape(*lead, -1)
        start = OFFSETS[section.name]
        expected = observation[..., start : start + section.size]
        np.testing.assert_array_equal(flat, expected)


def test_wrong_views_are_refused() -> None:
    with pytest.raises(RummyError, match="did you mean 'hand'"):
        view(np.zeros(SIZE), "hands")
    with pytest.raises(RummyError, match=f"has {SIZE} numbers"):
        view(np.zeros(SIZE - 1), "hand")


def test_the_documentation_lists_every_section() -> None:
    rows = table_of_docs().splitlines()[2:]
    assert len(rows) == len(SECTIONS)
    for row, section in zip(rows, SECTIONS, strict=True):
        assert f"`{section.name}` | {OFFSETS[section.name]} |" in row
        assert section.doc in row


def test_all_of_it_is_float32_and_of_one_size() -> None:
    for num_players in (2, 3, 4, 5):
        config = RuleConfig(num_players=num_players)
        state = State.new(config)
        seen = state.observation(num_players - 1)
        assert seen.dtype == np.float32
        assert seen.shape == (SIZE,)
        np.testing.assert_array_equal(
            seen, encode(state.record, config, num_players - 1)
        )
        for player in (-1, num_players):
            with pytest.raises(RummyError, match="no player"):
                encode(state.record, config, player)


def test_cards_as_the_player_to_act_sees_them() -> None:
    seen = melding().observation(1)
    assert planes(seen, "hand") == {"Kd": 2, "Qs": 1}
    table = {"5c": 1, "6c": 1, "7c": 1, "8c": 1, "8d": 1, "8h": 1, "8s": 1}
    assert planes(seen, "table") == table
    assert planes(seen, "named") == planes(seen, "locked") == {"9c": 1}
    assert planes(seen, "laid") == {"7c": 1, "8c": 1}
    unseen = dict.fromkeys(CARD_NAMES, 2)
    for card in (*table, "Qs"):
        unseen[card] -= 1
    del unseen["Kd"]
    assert planes(seen, "unseen") == unseen
    assert not view(seen, "released").any()
    check(seen, {"own_jokers": [0.0], "unseen_jokers": [0.5]})


def test_cards_as_another_player_sees_them() -> None:
    acting, seen = melding().observation(1), melding().observation(0)
    assert planes(seen, "hand") == {"Ac": 2}
    for name in ("table", "named", "locked", "laid"):
        assert planes(seen, name) == planes(acting, name)
    unseen = planes(seen, "unseen")
    assert "Ac" not in unseen
    assert unseen["Kd"] == unseen["Qs"] == 2
    assert unseen["8c"] == 1
    check(seen, {"own_jokers": [0.5], "unseen_jokers": [0.0]})


def test_names_given_earlier_are_not_locked() -> None:
    config = RuleConfig(num_players=2, packs=2)
    table = ["5c 6c *7c", "5d 6d *7c"]
    with pytest.raises(RummyError, match="not legal"):
        State.from_position(config, table)
    table = ["5c 6c *7c", "*7c 8c 9c"]
    seen = State.from_position(config, table, draws=1).observation(0)
    assert planes(seen, "named") == {"7c": 2}
    assert planes(seen, "locked") == {}
    check(seen, {"unseen_jokers": [0.0]})


def test_a_released_joker_shows_the_name_it_gave_up() -> None:
    for player in range(3):
        seen = waiting().observation(player)
        released = view(seen, "released").ravel()
        assert [CARD_NAMES[card] for card in np.flatnonzero(released)] == ["7c"]
        assert planes(seen, "named") == {}
        check(seen, {"is_pending": [1.0], "table_legal": [0.0]})
    check(waiting().observation(0), {"own_jokers": [0.5], "unseen_jokers": [0.0]})
    check(waiting().observation(2), {"own_jokers": [0.0], "unseen_jokers": [0.5]})


def test_the_turn_as_everybody_sees_it() -> None:
    public = {
        "draws": [0.0, 0.0, 1.0, 0.0],
        "laid_any": [1.0],
        "num_laid": [0.2],
        "is_pending": [0.0],
        "table_legal": [1.0],
        "is_lap": [0.0],
        "lap_left": [0.0],
        "stock_left": [0.03],
        "round": [0.0, 1.0],
        "num_players": [0.0, 1.0, 0.0, 0.0],
    }
    for player in range(3):
        check(melding().observation(player), public)


def test_seats_are_counted_from_the_observer() -> None:
    one_hot = np.eye(5)
    for player, is_acting, actor, dealer in ((0, 0, 1, 2), (1, 1, 0, 1), (2, 0, 2, 0)):
        seats = {"is_acting": [is_acting], "actor": one_hot[actor]}
        check(melding().observation(player), {**seats, "dealer": one_hot[dealer]})


def test_the_observers_own_facts() -> None:
    own = {
        0: {"hand": 3, "points": 27, "score": 30, "won": 1},
        1: {"hand": 3, "points": 30, "score": 75, "won": 2},
        2: {"hand": 1, "points": 2, "score": 0, "won": 0},
    }
    for player, facts in own.items():
        expected = {
            "own_hand_size": [facts["hand"] / 20],
            "own_points": [facts["points"] / 100],
            "own_score": [facts["score"] / 150],
            "own_rounds_won": [facts["won"] / 10],
        }
        check(melding().observation(player), expected)


def test_opponents_stand_in_seat_order_after_the_observer() -> None:
    state = melding()
    state.apply_action("end")
    for action in ("draw", "draw", "draw", "end"):
        state.apply_action(action)
    # there, hand, draws, laid, turns since the last meld, score, rounds won
    zero = [1, 3 / 20, 0, 0, 0, 30 / 150, 0.1]
    one = [1, 3 / 20, 2 / 3, 0.2, 0, 75 / 150, 0.2]
    two = [1, 4 / 20, 1, 0, 0.1, 0, 0]
    nobody = [0] * 7
    assert state.stock_left == 0
    check(state.observation(0), {"opponents": [one, two, nobody, nobody]})
    check(state.observation(1), {"opponents": [two, zero, nobody, nobody]})
    check(state.observation(2), {"opponents": [zero, one, nobody, nobody]})


def test_the_last_lap_counts_down() -> None:
    state = State.from_position(CONFIG, hands=["2c", "4d", "9h"], to_move=1, lap=True)
    for left in (3, 2, 1):
        for player in range(3):
            check(
                state.observation(player),
                {"is_lap": [1.0], "lap_left": [left / 3], "draws": [1, 0, 0, 0]},
            )
        state.apply_action("end")
    assert state.outcome() is not None


def test_later_rounds_say_how_many_are_left() -> None:
    config = RuleConfig(num_players=2, num_ranks=4, hand_size=3, max_rounds=4)
    state = State.new(config, seed=0)
    rng = np.random.default_rng(0)
    for played in range(1, 4):
        while state.outcome() is None:
            state.apply_action(int(rng.choice(state.legal_actions())))
        state.start_next_round()
        check(state.observation(1), {"round": [played / 10, 1 - played / 4]})


def test_cards_out_of_play_are_marked_nowhere() -> None:
    config = RuleConfig(num_players=2, num_ranks=5, hand_size=3)
    state = State.new(config, seed=0)
    unseen = planes(state.observation(0), "unseen")
    hand = planes(state.observation(0), "hand")
    in_play = [name for name in CARD_NAMES if name[0] in "A2345"]
    assert unseen.keys() | hand.keys() == set(in_play)


def test_nobody_acts_once_the_round_is_over() -> None:
    state = State.from_position(CONFIG, ["8d 8h 8s"], ["8c", "2d Ks", "9h"], draws=1)
    state.apply_action("lay 8c")
    for player in range(3):
        seen = state.observation(player)
        check(seen, {"is_acting": [0.0], "num_laid": [0.1], "table_legal": [1.0]})
    check(state.observation(0), {"own_points": [0.0], "own_score": [46 / 150]})
