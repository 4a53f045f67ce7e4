"""What is refused, and whether the message says what would have been right."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from rummy_env import (
    ConfigError,
    IllegalActionError,
    NotationError,
    PositionError,
    RuleConfig,
    RummyError,
    State,
    manipulation_rummy_v0,
    rules,
    solver,
)
from rummy_env.actions import parse_action
from rummy_env.errors import nearest


@pytest.mark.parametrize("kind", [ConfigError, PositionError, IllegalActionError])
def test_every_error_is_a_rummy_error_and_a_value_error(kind: type) -> None:
    for one in (kind, NotationError):
        assert issubclass(one, RummyError)
        assert issubclass(one, ValueError)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("num_player", "num_players"),
        ("handsize", "hand_size"),
        ("knock_limits", "knock_limit"),
        ("targetscore", "target_score"),
        ("knock_in_lap", "knock_in_last_lap"),
        ("maxrounds", "max_rounds"),
    ],
)
def test_an_unknown_option_offers_the_nearest(wrong: str, right: str) -> None:
    with pytest.raises(ConfigError, match=f"{wrong}.*did you mean '{right}'"):
        RuleConfig.from_options(**{wrong: 3})


def test_an_option_like_none_lists_them_all() -> None:
    with pytest.raises(ConfigError, match=r"zzz.*known: num_players, packs, hand_size"):
        RuleConfig.from_options(zzz=1)
    with pytest.raises(TypeError):
        RuleConfig(zzz=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        RuleConfig(3)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("num_players", v) for v in (1, 6, 2.0, "3", None, True, -2)],
        *[("packs", v) for v in (0, 3, "2", 1.0, True)],
        *[("hand_size", v) for v in (0, -1, 10.5, None, 10**9)],
        *[("num_ranks", v) for v in (2, 14, None)],
        *[("jokers_per_pack", v) for v in (-1, 2, False)],
        *[("knock_limit", v) for v in (-1, 2.5, 10**9)],
        *[("target_score", v) for v in (0, -150, "150", float("nan"))],
        *[("round_bonus_to", v) for v in ("other", "ALL", None, 1)],
        *[("knock_in_last_lap", v) for v in (1, "True", None)],
        *[("max_rounds", v) for v in (0, None, 1e3)],
    ],
)
def test_wrong_values_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=name):
        RuleConfig(**{name: value})


def test_numpy_numbers_are_whole_numbers() -> None:
    config = RuleConfig(num_players=np.int8(4), knock_in_last_lap=np.True_)  # type: ignore[arg-type]
    assert config == RuleConfig(num_players=4, knock_in_last_lap=True)
    assert type(config.num_players) is int


def test_no_stock_left_says_what_would_fit() -> None:
    with pytest.raises(ConfigError, match="deal at most 26 each"):
        RuleConfig(num_players=2, hand_size=27)
    assert RuleConfig(num_players=2, hand_size=26).stock_size == 1


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "1", None, True, np.uint64(2**63)])
def test_seeds_that_are_none(seed: Any) -> None:
    state = State.new(seed=2)
    for use in (
        lambda: State.new(seed=seed),
        lambda: State.from_position(RuleConfig(), seed=seed),
        lambda: state.resample_hidden(0, seed),
    ):
        with pytest.raises(ConfigError, match="seed"):
            use()
    assert state == State.new(seed=2)


def test_seeds_at_the_ends() -> None:
    states = [State.new(seed=s) for s in (0, 1, 2**63 - 1, np.int64(7))]
    assert len({state.record["hands"].tobytes() for state in states}) == 4
    assert State.new() == State.new(seed=0)


@pytest.mark.parametrize(
    ("action", "hint"),
    [
        ("lay 7x", "did you mean 'lay 7"),
        ("knok", "did you mean 'knock'"),
        ("", "no action ''"),
        ("lay  7c  8c", "no action"),
        ("x" * 10_000, "no action 'xxx"),
        (159, "ids run from 0 to 158"),
        (-1, "ids run from 0 to 158"),
        (1.0, "not float"),
        (True, "not bool"),
        (None, "not NoneType"),
    ],
)
def test_actions_that_are_none(action: Any, hint: str) -> None:
    state = State.new(seed=3)
    before = state.record.tobytes()
    with pytest.raises(IllegalActionError, match=hint) as caught:
        state.apply_action(action)
    assert len(str(caught.value)) < 300
    assert state.record.tobytes() == before


MAKERS = [manipulation_rummy_v0.env, manipulation_rummy_v0.raw_env]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    "action",
    [np.int64(0), np.array(0), torch.tensor(0), np.uint8(0), " draw"],
    ids=["scalar", "array", "tensor", "unsigned", "name"],
)
def test_an_action_may_be_an_array_or_tensor_without_axes_or_a_name(
    action: Any, make: Callable[..., Any]
) -> None:
    game = make()
    game.reset(seed=0)
    state = game.unwrapped.game()
    game.step(action)
    state.apply_action(action)
    assert game.unwrapped.game() == state
    assert state.to_text().count("draws=1") == 1
    assert not any(game.terminations.values())


NO_ACTIONS = [
    (torch.tensor([0]), r"of the shape \(1,\)"),
    (np.array([0]), r"of the shape \(1,\)"),
    (torch.tensor([[0, 1]]), r"of the shape \(1, 2\)"),
    (torch.tensor(True), "of torch.bool"),
    (np.array(True), "of bool"),
    (np.True_, "of bool"),
    (torch.tensor(0.0), "not Tensor"),
    (np.float32(0), "not float32"),
    ([0], "not list"),
    (True, "not bool"),
    (0.0, "not float"),
    (None, "not NoneType"),
    (159, "ids run from 0 to 158"),
    (np.array(-1), "ids run from 0 to 158"),
    (2**70, "ids run from 0 to 158"),
    ("drew", "did you mean 'draw'"),
]


@pytest.mark.parametrize(("action", "hint"), NO_ACTIONS, ids=repr)
def test_what_is_no_action_is_refused_alike_everywhere(action: Any, hint: str) -> None:
    games = [make() for make in MAKERS]
    state = State.new(games[0].config, seed=0)
    for game in games:
        game.reset(seed=0)
    for play in (state.apply_action, *(game.step for game in games)):
        with pytest.raises(IllegalActionError, match=hint):
            play(action)
    assert state == State.new(state.config, seed=0)
    for game in games:
        assert game.unwrapped.game() == state
        assert not any(game.terminations.values())


@pytest.mark.parametrize("action", [np.array([0]), np.array(0.0), torch.tensor(0.0)])
def test_an_action_is_no_float_and_no_row(action: Any) -> None:
    with pytest.raises(IllegalActionError, match=f"not {type(action).__name__}"):
        parse_action(action)


def test_an_action_in_words_is_forgiving_about_spaces_only() -> None:
    state = State.from_position(
        RuleConfig(num_players=2), hands=["7c 7d 7h Kd", None], draws=1
    )
    state.apply_action("  lay   7c ")
    with pytest.raises(IllegalActionError):
        state.apply_action("LAY 7d")


def test_notation_errors_say_where_and_survive_pickling() -> None:
    error = NotationError("wrong", line=2, column=5)
    assert str(error) == "line 2, column 5: wrong"
    assert (error.line, error.column) == (2, 5)
    assert str(pickle.loads(pickle.dumps(ConfigError("x")))) == "x"


def test_nearest() -> None:
    assert nearest("drew", ["draw", "end"]) == "did you mean 'draw'?"
    assert nearest("qqqq", ["draw", "end"]) == "known: draw, end"


@pytest.mark.parametrize(
    ("points", "given", "message"),
    [
        ([1], {"ended": "lap"}, "2 to 5"),
        ([1] * 6, {"ended": "lap"}, "2 to 5"),
        ([1, -2], {"ended": "lap"}, "whole numbers"),
        ([1, 2.5], {"ended": "lap"}, "whole numbers"),
        ([1, 2], {"ended": "knocked", "by": 0}, "did you mean 'knock'"),
        ([1, 2], {"ended": "knock"}, "who ended"),
        ([1, 2], {"ended": "knock", "by": 2}, "no player 2"),
        ([1, 2], {"ended": "knock", "by": -1}, "no player -1"),
        ([1, 2], {"ended": "lap", "by": 0}, "nobody"),
        ([1, 2], {"ended": "out", "by": 0}, "holds 1 points"),
    ],
)
def test_scores_that_cannot_be(
    points: list[int], given: dict[str, Any], message: str
) -> None:
    with pytest.raises(RummyError, match=message):
        rules.round_scores(points, **given)


def test_totals_of_a_game_that_goes_on() -> None:
    with pytest.raises(RummyError, match="150"):
        rules.final_totals([149, 0], [1, 1], RuleConfig(num_players=2))
    with pytest.raises(RummyError, match="2 scores"):
        rules.final_totals([150, 0], [1, 1, 1], RuleConfig(num_players=2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: solver.arrange("7c 7c 7c"), "3 copies of 7c"),
        (lambda: solver.arrange("*7c *7d *7h"), "3 jokers"),
        (lambda: solver.arrange("7c *"), "needs a name"),
        (lambda: solver.arrange("7c **"), r"\*\*"),
        (lambda: solver.arrange("7c 8x"), "8x"),
        (lambda: solver.arrange("7c 7d 7h", near=["**"]), r"\*\*"),
        (lambda: solver.arrange("7c 7d 7h", num_ranks=6), "not in play"),
        (lambda: solver.arrange("Ac", num_ranks=2), "3 to 13"),
        (lambda: solver.arrange("Ac", num_ranks="4"), "3 to 13"),  # type: ignore[arg-type]
        (lambda: solver.playable("7c", "7c 7c"), "3 copies of 7c"),
        (lambda: solver.playable("*7c", "* *"), "3 jokers"),
        (lambda: solver.playable("7c", "7d", locked="*7c"), "locked"),
        (lambda: solver.playable("7c", "7d", locked="7c"), "locked"),
        (lambda: solver.playable("7c", "7d", pending="*"), "pending"),
        (lambda: solver.playable("7c", "7d", pending="7"), "no card"),
        (lambda: solver.best_meld("7c", "7d", "point"), "did you mean 'points'"),
    ],
)
def test_questions_the_solver_refuses(call: Any, message: str) -> None:
    with pytest.raises(RummyError, match=message):
        call()


@pytest.mark.parametrize("player", [-1, 3, 99])
def test_no_such_player(player: int) -> None:
    state = State.new()
    for use in (state.hand, state.observation, lambda p: state.resample_hidden(p, 1)):
        with pytest.raises(RummyError, match="there is no player"):
            use(player)
