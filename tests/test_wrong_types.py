"""Values of wrong types: every public function refuses them in the project's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from rummy_env import (
    ConfigError,
    NotationError,
    PositionError,
    RuleConfig,
    RummyError,
    State,
    VectorEnv,
    observation,
    rules,
    solver,
)
from rummy_env.factored import FactoredActions
from rummy_env.manipulation_rummy_v0 import env, raw_env
from rummy_env.replay import GameLog
from tests.driving import SMALL_GAME

CONFIG = RuleConfig(num_players=2, **SMALL_GAME)
STATE = State.new(CONFIG, seed=1)
ENVS = VectorEnv(2, CONFIG)
TABLE, HAND = "7c 7d *7h", "7s"
QUESTIONS: dict[str, Any] = {
    "table": np.zeros((2, 52), dtype=np.int64),
    "named": np.zeros((2, 52), dtype=np.int64),
    "locked": np.zeros((2, 52), dtype=np.int64),
    "hand": np.zeros((2, 53), dtype=np.int64),
    "old": np.full(2, -1),
}

# Nothing here is a card, a seat, a seed, a number of anything, a name or a game.
WRONG: list[Any] = [
    1.5,
    -1,
    10**30,
    float("nan"),
    "x",
    b"7c",
    [None],
    [1.5],
    [[1], [1, 2]],
    {"a": 1},
    object(),
    int,
    1j,
    np.zeros(3),
    np.zeros((2, 3), dtype=np.int64),
    np.array(["x"]),
    np.array(None),
    np.array([True, False]),
    np.datetime64("2020-01-01"),
    torch.zeros(2),
    torch.zeros(2, requires_grad=True),
    torch.tensor([1]),
]
# Those that may be left out, switches and empty lists are each taken somewhere.
SEATS = [*WRONG, None, True, False, np.True_, [], ()]
CARDS = [*WRONG, True, False, np.True_, [1, 2], range(3)]


def position(**given: Any) -> State:
    """Returns a position of two players, with a value to try."""
    placed = {} if "lap" in given else {"draws": 1}
    return State.from_position(CONFIG, **{**placed, **given})


CALLS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "State(config)": (lambda v: State(v, STATE.record), SEATS),
    "State(states)": (lambda v: State(CONFIG, v), SEATS),
    "State.new(config)": (lambda v: State.new(v), [*WRONG, True, False, [], ()]),
    "State.new(seed)": (lambda v: State.new(CONFIG, v), SEATS),
    "from_position(config)": (lambda v: State.from_position(v), SEATS),
    "from_position(table)": (lambda v: position(table=v), [*CARDS, None]),
    "from_position(hands)": (lambda v: position(hands=v), [*CARDS[:6], *CARDS[7:]]),
    "from_position(hand)": (lambda v: position(hands=[v]), CARDS),
    "from_position(stock)": (lambda v: position(stock=v), CARDS),
    "from_position(to_move)": (lambda v: position(to_move=v), SEATS),
    "from_position(dealer)": (lambda v: position(dealer=v), SEATS),
    "from_position(draws)": (lambda v: position(draws=v), SEATS),
    "from_position(lap)": (lambda v: position(lap=v), WRONG),
    "from_position(scores)": (lambda v: position(scores=v), CARDS[:-2]),
    "from_position(rounds_won)": (lambda v: position(rounds_won=v), CARDS[:-2]),
    "from_text": (State.from_text, SEATS),
    "hand": (STATE.hand, SEATS),
    "observation": (STATE.observation, SEATS),
    "apply_action": (STATE.apply_action, SEATS),
    "layout": (STATE.layout, CARDS),
    "resample_hidden(player)": (lambda v: STATE.resample_hidden(v, 0), SEATS),
    "resample_hidden(seed)": (lambda v: STATE.resample_hidden(0, v), SEATS),
    "round_scores(points)": (lambda v: rules.round_scores(v, ended="lap"), SEATS),
    "round_scores(ended)": (lambda v: rules.round_scores([1, 2], ended=v), SEATS),
    "round_scores(by)": (
        lambda v: rules.round_scores([1, 2], ended="knock", by=v),
        SEATS,
    ),
    "final_totals(scores)": (lambda v: rules.final_totals(v, [1, 1], CONFIG), SEATS),
    "final_totals(won)": (lambda v: rules.final_totals([150, 1], v, CONFIG), SEATS),
    "final_totals(config)": (lambda v: rules.final_totals([150, 1], [1, 1], v), SEATS),
    "arrange(table)": (solver.arrange, [*CARDS, None]),
    "arrange(near)": (lambda v: solver.arrange(TABLE, v), CARDS),
    "arrange(num_ranks)": (lambda v: solver.arrange(TABLE, num_ranks=v), SEATS),
    "playable(table)": (lambda v: solver.playable(v, HAND), CARDS),
    "playable(hand)": (lambda v: solver.playable(TABLE, v), CARDS),
    "playable(locked)": (lambda v: solver.playable(TABLE, HAND, locked=v), CARDS),
    "playable(pending)": (lambda v: solver.playable(TABLE, HAND, pending=v), CARDS),
    "playable(laid)": (lambda v: solver.playable(TABLE, HAND, laid=v), WRONG),
    "best_meld(hand)": (lambda v: solver.best_meld(TABLE, v), CARDS),
    "best_meld(objective)": (lambda v: solver.best_meld(TABLE, HAND, v), SEATS),
    "best_meld(pending)": (lambda v: solver.best_meld(TABLE, HAND, pending=v), CARDS),
    "best_meld(near)": (lambda v: solver.best_meld(TABLE, HAND, near=v), CARDS),
    **{
        f"best_actions({name})": (
            lambda v, name=name: solver.best_actions(**{**QUESTIONS, name: v}),
            SEATS,
        )
        for name in (*QUESTIONS, "objective", "num_ranks")
    },
    "VectorEnv(num_envs)": (VectorEnv, SEATS),
    "VectorEnv(config)": (lambda v: VectorEnv(2, v), [*WRONG, True, [], ()]),
    "VectorEnv(seed)": (lambda v: VectorEnv(2, seed=v), WRONG),
    "VectorEnv(num_threads)": (lambda v: VectorEnv(2, num_threads=v), SEATS),
    "VectorEnv(episode)": (lambda v: VectorEnv(2, episode=v), SEATS),
    "VectorEnv(reward)": (lambda v: VectorEnv(2, reward=v), SEATS),
    "VectorEnv(skip_forced)": (lambda v: VectorEnv(2, skip_forced=v), WRONG),
    "VectorEnv.reset": (ENVS.reset, [*WRONG, True, []]),
    "VectorEnv.step": (ENVS.step, SEATS),
    "VectorEnv.observe": (ENVS.observe, SEATS),
    "VectorEnv.game": (ENVS.game, SEATS),
    "VectorEnv.load": (ENVS.load, SEATS),
    **{
        f"raw_env({name})": (lambda v, name=name: raw_env(**{name: v}), WRONG)
        for name in ("num_players", "episode", "reward", "skip_forced", "render_mode")
    },
    "FactoredActions(env)": (FactoredActions, SEATS),
    "view(observation)": (lambda v: observation.view(v, "hand"), SEATS),
    "view(name)": (lambda v: observation.view(STATE.observation(0), v), SEATS),
    "encode(states)": (lambda v: observation.encode(v, CONFIG, 0), SEATS),
    "encode(config)": (lambda v: observation.encode(STATE.record, v, 0), SEATS),
    "encode(player)": (lambda v: observation.encode(STATE.record, CONFIG, v), SEATS),
    "GameLog.from_text": (GameLog.from_text, SEATS),
    "GameLog(config)": (lambda v: GameLog(v, 0), SEATS),
    "GameLog(seed)": (lambda v: GameLog(CONFIG, v), SEATS),
    "GameLog(actions)": (lambda v: GameLog(CONFIG, 0, v), WRONG),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_types_are_refused_and_change_nothing(name: str) -> None:
    call, values = CALLS[name]
    ENVS.reset(seed=0)
    before = (STATE.to_text(), ENVS.save())
    for value in values:
        with pytest.raises(RummyError) as caught:
            call(value)
        assert len(str(caught.value)) < 400, value
    assert (STATE.to_text(), ENVS.save()) == before


@pytest.mark.parametrize("make", [raw_env, env, lambda **o: FactoredActions(env(**o))])
def test_an_environment_refuses_wrong_types_and_goes_on(
    make: Callable[..., Any],
) -> None:
    game = make(num_players=2, **SMALL_GAME)
    game.reset(seed=0)
    before = game.unwrapped.game()
    seeds = [value for value in SEATS if value is not None]
    uses = [(lambda v: game.reset(seed=v), seeds), (game.step, SEATS)]
    uses += [(game.observe, SEATS), (game.unwrapped.load, SEATS)]
    uses += [(game.action_space, SEATS), (game.observation_space, SEATS)]
    for use, values in uses:
        for value in values:
            with pytest.raises(RummyError):
                use(value)
    assert game.unwrapped.game() == before
    assert not any(game.terminations.values())


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("table", (0, 3), 3),
        ("table", (1, 0), -1),
        ("table", (1, 12), 1),  # a king among six ranks
        ("table", (0, 5), 2**62),
        ("named", (0, 3), 3),
        ("named", (1, 51), 1),
        ("locked", (0, 3), 1),
        ("locked", (0, 3), -1),
        ("hand", (0, 7 - 1), 1),  # a seven among six ranks
        ("hand", (1, 0), 99),
        ("hand", (1, 52), 3),
        ("hand", (1, 52), -1),
        ("old", (1,), 52),
        ("old", (0,), -2),
    ],
)
def test_cards_that_no_packs_hold_do_not_reach_the_kernel(
    name: str, at: tuple[int, ...], value: int
) -> None:
    questions = {key: array.copy() for key, array in QUESTIONS.items()}
    assert solver.best_actions(**questions, num_ranks=6).tolist() == [-1, -1]
    questions[name][at] = value
    with pytest.raises(PositionError, match=rf"in the rows \[{at[0]}\]"):
        solver.best_actions(**questions, num_ranks=6)


def test_jokers_of_a_row_are_counted_together() -> None:
    questions = {key: array.copy() for key, array in QUESTIONS.items()}
    questions["old"][:] = 3
    questions["named"][0, 4] = 1
    solver.best_actions(**questions)
    questions["hand"][0, 52] = 1
    with pytest.raises(PositionError, match=r"in the rows \[0\]"):
        solver.best_actions(**questions)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: position(hands=[1, 2]), NotationError, "cards .* not int"),
        (lambda: position(hands="7c 8c"), PositionError, "hands are a list .* not str"),
        (lambda: position(hands=[STATE.hand(0)]), NotationError, "not int8"),
        (lambda: ENVS.game(True), RummyError, "no row True"),
        (lambda: State.new(3), ConfigError, "RuleConfig, not int"),  # type: ignore[arg-type]
        (
            lambda: State(CONFIG, np.zeros(2)),
            PositionError,
            r"array \[1\] of record.STATE, not ndarray \[2\] of float64",
        ),
    ],
)
def test_the_message_says_what_is_taken(
    call: Callable[[], Any], kind: type[Exception], words: str
) -> None:
    ENVS.reset(seed=0)
    with pytest.raises(kind, match=words):
        call()
