"""Attempts to break the game: hostile positions, odd inputs, corners of the rules."""

from __future__ import annotations

import contextlib
import copy
import io
import pickle
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rummy_env import (
    ConfigError,
    PositionError,
    RuleConfig,
    RummyError,
    State,
    VectorEnv,
    solver,
)
from rummy_env.actions import ACTION_NAMES, NAME_JOKER
from rummy_env.cards import CARD_NAMES, parse_card
from rummy_env.kernel import calls
from rummy_env.kernel.calls import new_workspaces
from rummy_env.manipulation_rummy_v0 import env, raw_env
from tests.driving import SMALL_GAME
from tests.positions import play, position, result
from tests.reference.completion import Turn, action_order
from tests.reference.melds import all_melds, pack, unpack
from tests.twins import question_of

# Masks and the best meld


def dense_turn(rng: random.Random) -> Turn:
    """Returns a turn with many cards on the table, by number of ranks."""
    num_ranks = rng.choice([3, 4, 5, 6, 13, 13])
    melds = [m for m in all_melds(num_ranks) if len(m) < 6]
    if rng.random() < 0.3:  # aces at both ends
        melds = [m for m in melds if {0, 1, num_ranks - 1} & {c % 13 for c in m}]
    real: Counter[int] = Counter()
    named: Counter[int] = Counter()
    for meld in rng.choices(melds, k=rng.randint(1, 20)):
        for card in meld:
            if named.total() < 2 and (real[card] == 2 or rng.random() < 0.03):
                named[card] += 1
            else:
                real[card] = min(2, real[card] + 1)
    for card in list(named):  # some are free only if the hand gives the card
        if rng.random() < 0.3:
            real[card] = 0
    pending = rng.choice(sorted(named)) if named and rng.random() < 0.3 else None
    if pending is not None:
        named -= Counter([pending])
    left = [
        suit * 13 + rank
        for suit in range(4)
        for rank in range(num_ranks)
        for _ in range(2 - real[suit * 13 + rank])
    ]
    hand = rng.sample(left, min(len(left), rng.randrange(8)))
    return Turn(
        real=pack(real.elements()),
        named=pack(named.elements()),
        locked=pack(card for card in named.elements() if rng.random() < 0.3),
        hand=pack(hand),
        jokers=rng.randint(0, 2 - named.total() - (pending is not None)),
        pending=pending,
        laid=True,
        num_ranks=num_ranks,
    )


def mirrored(turn: Turn, change: Callable[[int], int]) -> Turn:
    """Returns a turn with every card exchanged for another."""
    bags = {
        name: pack(change(card) for card in unpack(getattr(turn, name)))
        for name in ("real", "named", "locked", "hand")
    }
    old = turn.pending
    return replace(turn, **bags, pending=None if old is None else change(old))


def test_masks_do_not_depend_on_suits_or_direction() -> None:
    """The game looks the same with suits exchanged, and read from the high end."""
    rng = random.Random(1)
    found = 0
    for _ in range(600):
        turn = dense_turn(rng)
        suits = rng.sample(range(4), 4)
        last, has_high_ace = turn.num_ranks - 1, turn.num_ranks >= 5

        def change(
            card: int,
            suits: list[int] = suits,
            last: int = last,
            has_high_ace: bool = has_high_ace,
        ) -> int:
            rank = (last - card % 13 + has_high_ace) % (last + 1)
            return suits[card // 13] * 13 + rank

        actions = solver.playable(**question_of(turn), laid=True)
        seen = solver.playable(**question_of(mirrored(turn, change)), laid=True)
        expected = [
            f"{kind} {CARD_NAMES[change(parse_card(card))]}"
            for kind, card in map(str.split, actions)
        ]
        assert seen == action_order(expected), turn
        found += bool(actions)
    assert found > 300


@pytest.mark.parametrize("objective", ["points", "cards"])
def test_the_best_meld_does_not_depend_on_the_room_there_is(objective: str) -> None:
    """Layers that do not fit are walked in portions, and nothing else changes."""
    rng = random.Random(2)
    wide = new_workspaces()
    searched = 0
    for _ in range(250):
        turn = dense_turn(rng)
        question = question_of(turn)
        given = {key: question[key] for key in ("locked", "pending", "num_ranks")}
        old = -1 if turn.pending is None else turn.pending
        number = solver.OBJECTIVES[objective]
        solver.load(wide, question["table"], question["hand"], **given)
        value = calls.find_best(wide, number, old)
        plan = wide[0]["plan"][: wide[0]["num_plan"]].tolist()
        searched += int(wide[0]["counts"].max()) > 3
        for limit in (1, 2, 3):
            works = new_workspaces(limit=limit)
            solver.load(works, question["table"], question["hand"], **given)
            assert calls.find_best(works, number, old) == value, turn
            assert works[0]["plan"][: works[0]["num_plan"]].tolist() == plan, turn
    assert searched > 10


def test_a_joker_stays_where_it_may_though_walks_are_too_wide_to_tell() -> None:
    """With two free jokers, the other one placed: not known is not the same as no."""
    table = "Ac 2c 2c 3c 6c Ad 2d 3d Ah Ah 2h 2h 4h 6h As As 2s 2s 3s 4s 6s *4c"
    hand = "3c 4c 6c 2d 3d 6d 3h 6h *"
    # all of it can be laid, 33 points and 25 for the joker; no name is lower than Ac
    moves = []
    for limit in range(1, 25):
        works = new_workspaces(limit=limit)
        solver.load(works, table, hand, num_ranks=6)
        assert calls.find_best(works, solver.OBJECTIVES["points"], -1) == 58
        plan = works[0]["plan"][: works[0]["num_plan"]]
        moves.append([ACTION_NAMES[action] for action in plan if action >= NAME_JOKER])
    assert moves == [["joker Ac"]] * len(moves)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_answers_do_not_depend_on_the_room_there_is(limit: int) -> None:
    """Whatever has no room in a narrow workspace is looked for in a slower way."""
    rng = random.Random(4)
    wide, narrow = new_workspaces(), new_workspaces(limit=limit)
    for _ in range(300):
        question = question_of(dense_turn(rng))
        for works in (wide, narrow):
            solver.load(works, **question)
            calls.answer(works)
        for field in ("lay", "name", "name_more"):
            assert (wide[field] == narrow[field]).all(), (field, question)
        for works in (wide, narrow):
            solver.load(works, **question)
        assert calls.is_table_legal(wide) == calls.is_table_legal(narrow), question
    assert narrow[0]["slow_answers"] > wide[0]["slow_answers"] + 20


# values found by an integer program, independent of the solver
BIG_HANDS = [
    (
        "",
        "Td Qh Qh 9c 9c Qs Qs 4d 5d Kd Kd Jh Qc As 6c 2d 2d 6h 6h Ac 8s 8h 8d 7h 7h "
        "3h 2s 2s 3d 4s 5h Ah 9d Th Ts 4c 5c Jd Jc Ad * *",
        {"points": 258, "cards": 33},
    ),
    (
        "2d 2d 2h 2s Ad 3d 3d 3c 3h 3s",
        "7d Jd 9c Ks 2h 8c 8c Ts Td 7c 6h 6d Jh Jh As 4d Qd Qd 4h 4s 9h Qs Qs 7h Qh "
        "Qh Kh 2c 9d 9d Jc Ad Ah Kc 5s 4c 7s Qc 5c 3c * *",
        {"points": 309, "cards": 38},
    ),
    (
        "6h 6h 7h 7h 8h 8h 4d 5d 6d 7d 9h",
        "Js Js 9h Ad Ad Qd Qd Jh Jh 2d 2d 5h 5h 6s 6s Ts Ts Tc Tc Jc Kh Kh Qc Kd 6d "
        "3d As 4s 4s 4d 2c 2c 4c Ac Ac 5c 5c 7s 7s 9d 9d Jd 3h Ah 8d 2h 2h Qs Qs Td "
        "Ks 8c 8c Th 9s 3s 8s 4h 3c Kc",
        {"points": 342, "cards": 54},
    ),
    (
        "Js Qs Ks As",
        "Qd Kd Kd Jc Jc 8c Ks 6s 6s Kc Kc Ad 9c 3h 3h Tc Ah Ah 2c 5d 5d 4h 8h 8h 6c "
        "2d 2h 2h Th Th 9s 9s 3s 3s 8d 8d 4d 3c Qh 9h Jd Jd 7c 5c 2s 2s Ac 5h Td Td "
        "8s 4c 7s 5s 5s 4s 3d 7h Qc Qs",
        {"points": 338, "cards": 55},
    ),
]


@pytest.mark.parametrize("objective", ["points", "cards"])
@pytest.mark.parametrize(("table", "hand", "values"), BIG_HANDS)
def test_the_best_meld_of_big_hands_is_found_in_time(
    table: str, hand: str, values: dict[str, int], objective: str
) -> None:
    """Trying cards one after the other takes minutes."""
    works = new_workspaces()
    solver.load(works, table, hand)
    works["num_looks"] = 0
    value = calls.find_best(works, solver.OBJECTIVES[objective], -1)
    assert value == values[objective]
    assert works[0]["num_looks"] < 2_000_000


# Odd inputs


@pytest.mark.parametrize("player", [0.5, 1.0, True, "0", None, np.float64(1)])
def test_seats_are_whole_numbers(player: Any) -> None:
    state = State.new(seed=1)
    for ask in (state.observation, state.hand, lambda p: state.resample_hidden(p, 0)):
        with pytest.raises(RummyError, match="no player"):
            ask(player)
    np.testing.assert_array_equal(state.hand(np.int64(1)), state.hand(1))


def test_a_lap_is_some_turns_or_all_or_none() -> None:
    config = RuleConfig(num_players=2)
    for lap in (0, -1, 3, "1"):
        with pytest.raises(PositionError, match="lap is 1 to 2 turns"):
            State.from_position(config, lap=lap)  # type: ignore[arg-type]
    whole = State.from_position(config, lap=True)
    assert State.from_position(config, lap=np.True_) == whole  # type: ignore[arg-type]
    assert State.from_position(config, lap=2) == whole
    assert State.from_position(config, lap=False) == State.from_position(config)


def test_every_number_of_the_action_space_is_taken() -> None:
    zero = np.array(0)
    for make in (env, raw_env):
        game = make(num_players=2, **SMALL_GAME)
        game.reset(seed=1)
        assert game.action_space("player_0").contains(zero)
        game.step(zero)
        assert game.observe(game.agent_selection)["action_mask"][0]  # a second draw


@pytest.mark.parametrize("saved", [None, {}, {"config": 1}, b"x", 3])
def test_what_is_no_saved_environment_changes_nothing(saved: Any) -> None:
    game = raw_env(num_players=2, **SMALL_GAME)
    game.reset(seed=1)
    before = pickle.dumps(game.save())
    if isinstance(saved, dict) and "config" in saved:
        saved = {"config": game.config, "record": game.record}
    with pytest.raises(ConfigError, match="not what save returns"):
        game.load(saved)
    assert pickle.dumps(game.save()) == before


def test_what_is_no_saved_engine_changes_nothing() -> None:
    envs = VectorEnv(3, RuleConfig(num_players=2, **SMALL_GAME))
    with pytest.raises(RummyError, match=r"reset\(\)"):
        envs.save()
    envs.reset()
    saved, before = envs.save(), envs._states.tobytes()
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    for wrong in (None, 5, "abc", b"", b"PK", file.getvalue()):
        with pytest.raises(ConfigError, match=r"VectorEnv\.save"):
            envs.load(wrong)  # type: ignore[arg-type]
    rng = random.Random(0)
    for _ in range(400):
        broken = bytearray(saved)
        for _ in range(rng.choice([1, 1, 3])):
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
        end = rng.choice([None, rng.randrange(len(broken))])
        with contextlib.suppress(ConfigError):  # nobody reads some of the bytes
            envs.load(bytes(broken[:end]))
        assert envs._states.tobytes() == before
    envs.load(saved)


def test_ragged_actions_are_refused() -> None:
    envs = VectorEnv(3, RuleConfig(num_players=2, **SMALL_GAME))
    envs.reset()
    before = envs._states.tobytes()
    with pytest.raises(RummyError, match="no array"):
        envs.step([[0], 0, 0])
    assert envs._states.tobytes() == before


# Corners of the rules


def test_r18_a_passer_may_knock_in_the_lap_where_that_is_allowed() -> None:
    hands: list[str | None] = ["2c 2d", "Ah 2h", "Kc"]
    placed: dict[str, Any] = {"lap": 2, "stock": "", "to_move": 0}
    state = position(hands, knock_in_last_lap=True, **placed)
    assert state.legal_action_names() == ["end", "knock"]
    outcome = result(play(state, "knock"))
    assert (outcome["reason"], outcome["by"]) == ("knock", 0)
    assert outcome["round_scores"] == [0, 1 + 7 + 10, 0]  # undercut (R22)
    assert position(hands, **placed).legal_action_names() == ["end"]


def test_r20_going_out_with_the_last_turn_of_the_lap() -> None:
    state = position(["7c 7d 7h", "Kc Kd", "2c"], lap=1, stock="")
    outcome = result(play(state, "lay 7c", "lay 7d", "lay 7h"))
    assert (outcome["reason"], outcome["by"]) == ("out", 0)
    assert outcome["round_scores"] == [20 + 2 + 25, 0, 0]


def test_r20_the_last_card_as_third_draw() -> None:
    state = position(["7c 7d", "2c", "3c"], draws=2, stock="7h")
    play(state, "draw")
    assert state.legal_action_names() == ["end"]  # no meld (R6)
    play(state, "end", "end", "end")
    assert state.current_player == 0
    assert state.legal_action_names() == ["end", "lay 7c", "lay 7d", "lay 7h"]
    outcome = result(play(copy.copy(state), "end"))
    assert (outcome["reason"], outcome["winners"]) == ("lap", [1])
    assert result(play(state, "lay 7c", "lay 7d", "lay 7h"))["by"] == 0


@pytest.mark.parametrize("target", [1, 1000])
@pytest.mark.parametrize("reward", ["score", "zero_sum", "win"])
def test_r30_one_round_ends_the_game_or_truncates_it(target: int, reward: str) -> None:
    options = SMALL_GAME | {"target_score": target, "max_rounds": 1}
    game = raw_env(num_players=2, reward=reward, **options)
    rng = np.random.default_rng(0)
    ends = Counter[bool]()
    for seed in range(8):
        game.reset(seed=seed)
        while not any((*game.terminations.values(), *game.truncations.values())):
            mask = game.observe(game.agent_selection)["action_mask"]
            game.step(int(rng.choice(np.flatnonzero(mask))))
        outcome = game.infos["player_0"]["outcome"]
        is_truncated = max(outcome["scores"]) < target
        assert set(game.truncations.values()) == {is_truncated}
        assert set(game.terminations.values()) == {not is_truncated}
        earned = list(game.rewards.values())
        if reward == "win":
            winners = outcome["game_winners"]
            assert (winners == []) is is_truncated
            assert earned == [(p in winners) / max(1, len(winners)) for p in (0, 1)]
        elif is_truncated:
            assert outcome["totals"] == outcome["scores"] == outcome["round_scores"]
        ends[is_truncated] += 1
    assert ends[target == 1000] > 0


def test_r25_r29_a_tie_shares_the_win() -> None:
    scores = [140, 140, 0]
    hands: list[str | None] = ["2c", "2d", "Kc Kd"]
    state = position(hands, lap=1, stock="", scores=scores)
    outcome = result(play(state, "end"))
    assert outcome["round_scores"] == [18, 18, 0]
    assert outcome["totals"] == [258, 258, 0]
    assert outcome["game_winners"] == [0, 1]
    game = raw_env(num_players=3, reward="win")
    game.reset(seed=0)
    saved = game.save()
    before = position(hands, lap=1, stock="", scores=scores)
    saved["record"], saved["agent_selection"] = before.record, "player_0"
    game.load(saved)
    game.step("end")
    assert list(game.rewards.values()) == [0.5, 0.5, 0.0]
