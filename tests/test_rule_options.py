"""Every option of `RuleConfig` changes the rule it is for, and nothing else."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from rummy_env import RuleConfig, State
from rummy_env.actions import ACTION_NAMES
from tests.positions import deck, lays, melding, names, play, position, result
from tests.twins import cards_dealt


def test_defaults_and_options_round_trip() -> None:
    config = RuleConfig(num_players=4)
    assert config.options() == {
        "num_players": 4,
        "packs": 2,
        "hand_size": 10,
        "num_ranks": 13,
        "jokers_per_pack": 1,
        "knock_limit": 5,
        "target_score": 150,
        "round_bonus_to": "others",
        "knock_in_last_lap": False,
        "max_rounds": 100,
    }
    assert set(config.options()) == {field.name for field in fields(RuleConfig)}
    assert RuleConfig.from_options(**config.options()) == config
    with pytest.raises(AttributeError):
        config.packs = 1  # type: ignore[misc]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("packs", [1, 2])
def test_packs_for_any_number_of_players(players: int, packs: int) -> None:
    state = State.new(RuleConfig(num_players=players, packs=packs, hand_size=9))
    hands, stock = cards_dealt(state)
    cards = sorted([card for hand in hands for card in hand] + stock)
    assert cards == sorted([*range(53)] * packs)


@pytest.mark.parametrize("size", [1, 2, 7, 17])
def test_hand_size(size: int) -> None:
    state = State.new(RuleConfig(num_players=3, packs=1, hand_size=size))
    assert [int(state.hand(p).sum()) for p in range(3)] == [size] * 3
    assert state.stock_left == 53 - 3 * size


@pytest.mark.parametrize("num_ranks", [3, 4, 5, 9, 12])
def test_num_ranks_masks_the_cards_that_are_absent(num_ranks: int) -> None:
    """A joker on an empty table, two cards beside it: no name out of play."""
    high = deck(num_ranks)[num_ranks - 2 : num_ranks]
    state = position([" ".join([*high, "*"]), None], num_ranks=num_ranks, hand_size=1)
    below = deck(num_ranks)[num_ranks - 3]
    above = ["Ac"] if num_ranks >= 5 else []
    assert melding(state) == [*lays(" ".join(high)), *names(" ".join([*above, below]))]
    absent = [a for a in ACTION_NAMES if " " in a and a[-2:] not in deck(num_ranks)]
    assert len(absent) == 3 * 4 * (13 - num_ranks)
    mask = state.action_mask()
    assert not any(mask[ACTION_NAMES.index(name)] for name in absent)


def test_jokers_per_pack() -> None:
    for packs in (1, 2):
        for each in (0, 1):
            config = RuleConfig(num_players=2, packs=packs, jokers_per_pack=each)
            assert (config.num_jokers, config.num_cards) == (
                packs * each,
                packs * (52 + each),
            )
            hands, stock = cards_dealt(State.new(config))
            everything = [card for hand in hands for card in hand] + stock
            assert everything.count(52) == packs * each


@pytest.mark.parametrize(
    ("limit", "hand", "may"),
    [
        (0, "Ac", False),
        (1, "Ac", True),
        (1, "2c", False),
        (10, "Kc", True),
        (24, "*", False),
        (25, "*", True),
        (25, "* Ac", False),
    ],
)
def test_knock_limit(limit: int, hand: str, may: bool) -> None:
    state = position([hand, "9h 2d"], draws=3, knock_limit=limit)
    assert state.legal_action_names() == ["end", "knock"][: 1 + may]


@pytest.mark.parametrize("target", [1, 19, 20, 500])
def test_target_score(target: int) -> None:
    state = position(["Ac", "Kd Kh"], draws=3, target_score=target)
    outcome = result(play(state, "knock"))
    assert outcome["scores"] == [19, 0]
    assert outcome["game_over"] is (target <= 19)


def test_target_score_below_what_others_have() -> None:
    """Both at the target: each has the hundred (R28)."""
    state = position(["Ac", "Kd Kh"], draws=3, target_score=15, scores=[0, 14])
    assert result(play(state, "knock"))["totals"] == [119, 14]
    state = position(["Ac", "Kd Kh"], draws=3, target_score=15, scores=[0, 15])
    assert result(play(state, "knock"))["totals"] == [119, 115]


@pytest.mark.parametrize(
    ("bonus_to", "totals"), [("others", [119, 75]), ("all", [119 + 25 * 3, 75])]
)
def test_round_bonus_to(bonus_to: str, totals: list[int]) -> None:
    given: dict[str, Any] = {"target_score": 19, "rounds_won": [2, 3]}
    state = position(["Ac", "Kd Kh"], draws=3, round_bonus_to=bonus_to, **given)
    assert result(play(state, "knock"))["totals"] == totals


@pytest.mark.parametrize("allowed", [False, True])
def test_knock_in_last_lap(allowed: bool) -> None:
    given = {"knock_in_last_lap": allowed, "stock": ""}
    state = position(["Ac", "9h Kd"], lap=True, **given)
    assert state.legal_action_names() == ["end", "knock"][: 1 + allowed]
    high = position(["6c", "9h Kd"], lap=True, **given)
    assert high.legal_action_names() == ["end"]
    if allowed:
        outcome = result(play(state, "knock"))
        assert (outcome["reason"], outcome["by"]) == ("knock", 0)
        assert outcome["round_scores"] == [18, 0]
        tie = position(["2c", "2d"], lap=1, **given)
        assert result(play(tie, "knock"))["round_scores"] == [0, 10]  # an undercut


def test_max_rounds_of_one_plays_one() -> None:
    state = position(["2c", "Kd Kh"], draws=3, max_rounds=1)
    outcome = result(play(state, "knock"))
    assert (outcome["game_over"], outcome["truncated"]) == (True, True)
    state = position(["2c", "Kd Kh"], draws=3, max_rounds=2)
    assert result(play(state, "knock"))["game_over"] is False


def test_options_that_do_not_concern_the_deal_leave_it() -> None:
    base = RuleConfig(num_players=2)
    for options in (
        {"knock_limit": 0},
        {"target_score": 1},
        {"round_bonus_to": "all"},
        {"knock_in_last_lap": True},
        {"max_rounds": 1},
    ):
        other = State.new(RuleConfig(num_players=2, **options), seed=6)  # type: ignore[arg-type]
        same = State.new(base, seed=6)
        assert np.array_equal(other.record["stock"], same.record["stock"])
