"""The rules R18 to R30: how rounds and games end, and what they bring."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rummy_env import IllegalActionError, RuleConfig, State, rules
from tests.positions import lays, melding, play, position, result

HAND_WORTH = {
    2: ["2c", "2d", "2h"],
    3: ["3c", "3d", "3h"],
    4: ["4c", "4d", "4h"],
    5: ["5c"],
    12: ["Kc 2s", "Kd 2s", "Qc 2s"],
    23: ["Qh Qs 3s"],
    30: ["Th Ts Js"],
    40: ["Kh Ks Jc Jd"],
}
"""Hands without a meld, by their points."""

WORKED = [
    ("out", [0, 23, 40], [88, 0, 0]),
    ("knock", [4, 23, 40], [55, 0, 0]),
    ("knock", [4, 3, 40], [0, 48, 0]),
    ("knock", [4, 4, 40], [0, 46, 0]),
    ("knock", [4, 4, 4, 30], [0, 36, 36, 0]),
    ("knock", [5, 2, 2, 30], [0, 41, 41, 0]),
    ("knock", [3, 3], [0, 10]),
    ("lap", [12, 12, 30], [18, 18, 0]),
]


def hands_worth(points: list[int]) -> list[str | None]:
    """Returns hands of these points; going out starts from three sevens."""
    used: dict[int, int] = {}
    hands: list[str | None] = []
    for own in points:
        at = used.get(own, 0)
        used[own] = at + 1
        hands.append(HAND_WORTH[own][at] if own else "7c 7d 7h")
    return hands


def end_by(ended: str, points: list[int], **given: Any) -> State:
    """Returns a round brought to its end by the first player, or by the lap."""
    hands = hands_worth(points)
    if ended == "lap":
        last = len(points) - 1
        state = position(hands, to_move=last, lap=1, stock="", packs=2, **given)
        return play(state, "end")
    if ended == "knock":
        return play(position(hands, draws=3, packs=2, **given), "knock")
    return play(position(hands, draws=1, packs=2, **given), *lays("7c 7d 7h"))


# Knocking and going out


def test_r18_knock_after_the_third_draw_never_before() -> None:
    state = position(["Ac", "9h Kd"], stock="2c Ad Ah Ks", draws=0)
    for _ in range(3):
        assert "knock" not in state.legal_action_names()
        play(state, "draw")
    assert state.legal_action_names() == ["end", "knock"]
    outcome = result(play(state, "knock"))
    assert (outcome["reason"], outcome["by"]) == ("knock", 0)
    assert (outcome["points"], outcome["round_scores"]) == ([5, 19], [14, 0])


def test_r18_knock_after_a_meld_once_the_table_is_legal() -> None:
    state = position(["7c 7d 7h 5d", "9h Kd"])
    for action in lays("7c 7d 7h"):
        assert "knock" not in state.legal_action_names()
        play(state, action)
    assert state.legal_action_names() == ["end", "knock"]
    assert result(play(state, "knock"))["reason"] == "knock"


@pytest.mark.parametrize("draws", [1, 2])
def test_r18_knock_when_the_stock_has_run_out(draws: int) -> None:
    stock = " ".join(["2c", "Ac"][:draws])
    state = position(["2d", "9h Kd"], stock=stock, draws=0)
    play(state, *["draw"] * draws)
    assert state.legal_action_names() == ["end", "knock"]


def test_r18_five_points_or_fewer_and_not_in_the_lap() -> None:
    for hand, may in [("5c", True), ("2c 3d", True), ("6c", False), ("*", False)]:
        state = position([hand, "9h Kd"], draws=3)
        assert ("knock" in state.legal_action_names()) is may
        lap = position([hand, "9h Kd"], lap=True, stock="")
        assert "knock" not in lap.legal_action_names()


def test_r19_going_out_by_a_card_ends_the_round_at_once() -> None:
    state = play(position(["7c 7d 7h", "9h Kd"]), *lays("7c 7d"))
    assert state.outcome() is None
    outcome = result(play(state, "lay 7h"))
    assert (outcome["reason"], outcome["by"]) == ("out", 0)
    assert outcome["round_scores"] == [19 + 25, 0]
    assert state.legal_actions() == []


def test_r19_going_out_by_a_joker() -> None:
    state = play(position(["7c 7d *", "9h Kd"]), *lays("7c 7d"))
    assert state.legal_action_names() == ["joker 7h", "joker 7s"]
    assert result(play(state, "joker 7s"))["reason"] == "out"


def test_r19_not_while_a_released_joker_waits() -> None:
    state = position(["7c 8c", "9h Kd"], ["5c 6c *7c"])
    play(state, "lay 8c", "lay 7c")
    assert state.outcome() is None  # two sevens of clubs: the table is not legal
    play(state, "take 7c")
    assert state.outcome() is None  # it would be legal, but the joker waits
    assert state.legal_action_names() == ["joker 4c", "joker 9c"]
    assert result(play(state, "joker 4c"))["reason"] == "out"


def test_r19_a_legal_table_ends_the_round_though_a_joker_might_be_released() -> None:
    table = ["5c 6c *7c", "7d 7h 7s"]
    state = play(position(["7c", "9h Kd"], table), "lay 7c")
    assert result(state)["reason"] == "out"  # the seven joins the group


# The last lap


def test_r20_the_lap_ends_with_the_one_who_drew_the_last_card() -> None:
    hands: list[str | None] = ["Kc Kd", "9c 9d", "8c 8d"]
    state = position(hands, to_move=1, draws=2, stock="2h")
    play(state, "draw", "end")
    players = []
    while state.outcome() is None:
        players.append(state.current_player)
        assert state.legal_action_names() == ["end"]
        play(state, "end")
    assert players == [2, 0, 1]
    assert result(state)["reason"] == "lap"
    assert result(state)["by"] is None
    assert result(state)["points"] == [20, 20, 16]


def test_r20_the_drawer_finishes_the_turn_and_has_a_last_one() -> None:
    hands: list[str | None] = ["7c 7d 7h 8c 9s Ks", "9c 9d"]
    state = position(hands, draws=0, stock="2h")
    play(state, "draw", *lays("7c 7d 7h"), "end")
    assert (state.current_player, state.legal_action_names()) == (1, ["end"])
    play(state, "end")
    assert state.current_player == 0
    assert state.legal_action_names() == ["end"]  # 8c alone fits nowhere
    assert result(play(state, "end"))["points"] == [2 + 8 + 9 + 10, 18]


def test_r20_a_meld_in_the_lap_needs_no_draw_and_is_one() -> None:
    state = position(["9c 9d 9h 4c 4d 4h 2s", "Kc Kd"], lap=True, stock="")
    assert state.legal_action_names() == ["end", *lays("4c 9c 4d 9d 4h 9h")]
    play(state, *lays("9c 9d 9h"))
    assert state.legal_action_names() == ["end", *lays("4c 4d 4h")]
    play(state, "end")
    assert (state.current_player, state.legal_action_names()) == (1, ["end"])


def test_r20_no_lap_while_a_stock_card_is_left() -> None:
    state = position(["Kc Kd", "9c 9d"], draws=2, stock="2h 3h")
    play(state, "draw", "end")
    assert (state.current_player, state.legal_action_names()) == (1, ["draw"])
    play(state, "draw", "end", "end")
    assert state.outcome() is None
    assert result(play(state, "end"))["reason"] == "lap"


def test_r20_going_out_in_the_lap_ends_the_round_at_once() -> None:
    state = position(["9c 9d 9h", "Kc Kd", "2s"], lap=True, stock="")
    outcome = result(play(state, *lays("9c 9d 9h")))
    assert (outcome["reason"], outcome["by"]) == ("out", 0)
    assert outcome["round_scores"] == [20 + 2 + 25, 0, 0]


# Scores


@pytest.mark.parametrize(("ended", "points", "scores"), WORKED)
def test_r21_to_r25_worked_scores_by_rule(
    ended: str, points: list[int], scores: list[int]
) -> None:
    by = None if ended == "lap" else 0
    found, winners = rules.round_scores(points, ended=ended, by=by)
    assert found == scores
    assert winners == [player for player, score in enumerate(scores) if score]


@pytest.mark.parametrize(("ended", "points", "scores"), WORKED)
def test_r21_to_r25_worked_scores_as_played(
    ended: str, points: list[int], scores: list[int]
) -> None:
    state = end_by(ended, points)
    outcome = result(state)
    assert (outcome["reason"], outcome["points"]) == (ended, points)
    assert outcome["round_scores"] == outcome["scores"] == scores
    assert outcome["winners"] == [p for p, score in enumerate(scores) if score]
    won = [int(score > 0) for score in scores]
    assert state.record["rounds_won"][0, : len(points)].tolist() == won


def test_r21_the_winner_scores_the_differences() -> None:
    assert rules.round_scores([9, 4, 20], ended="lap") == ([0, 21, 0], [1])
    assert rules.round_scores([9, 4, 20], ended="knock", by=1) == ([0, 21, 0], [1])


def test_r22_undercut_by_a_lower_and_by_an_equal_hand() -> None:
    assert rules.round_scores([5, 4], ended="knock", by=0) == ([0, 11], [1])
    assert rules.round_scores([4, 4], ended="knock", by=1) == ([10, 0], [0])
    assert rules.round_scores([4, 4, 4], ended="knock", by=1) == ([10, 0, 10], [0, 2])


def test_r23_several_below_the_knocker() -> None:
    scores, winners = rules.round_scores([1, 5, 1, 9, 1], ended="knock", by=1)
    assert winners == [0, 2, 4]
    assert scores == [22, 0, 22, 0, 22]


def test_r24_going_out_scores_25_more() -> None:
    assert rules.round_scores([7, 0], ended="out", by=1) == ([0, 32], [1])


def test_r25_no_undercut_after_the_lap() -> None:
    assert rules.round_scores([3, 3], ended="lap") == ([0, 0], [0, 1])
    assert rules.round_scores([8, 3, 3], ended="lap") == ([0, 5, 5], [1, 2])


def test_r26_a_round_worth_nothing_is_won() -> None:
    state = position(["Kc 2s", "Kd 2h"], to_move=1, lap=1, stock="")
    outcome = result(play(state, "end"))
    assert (outcome["round_scores"], outcome["winners"]) == ([0, 0], [0, 1])
    assert state.record["rounds_won"][0].tolist() == [1, 1, 0, 0, 0]


# The end of the game


@pytest.mark.parametrize(("before", "is_over"), [(94, False), (95, True), (96, True)])
def test_r27_the_game_ends_at_150(before: int, is_over: bool) -> None:
    outcome = result(end_by("knock", [4, 23, 40], scores=[before, 0, 0]))
    assert outcome["scores"] == [before + 55, 0, 0]
    assert outcome["game_over"] is is_over
    assert outcome["truncated"] is False
    bonus = 100 if is_over else 0
    assert outcome["totals"] == [before + 55 + bonus, 0, 0]
    assert outcome["game_winners"] == ([0] if is_over else [])


@pytest.mark.parametrize(
    ("bonus_to", "totals", "winner"),
    [("others", [252, 265, 45], 1), ("all", [327, 265, 45], 0)],
)
def test_r28_worked_game_end(bonus_to: str, totals: list[int], winner: int) -> None:
    given = {"scores": [97, 140, 20], "rounds_won": [2, 5, 1]}
    outcome = result(end_by("knock", [4, 23, 40], round_bonus_to=bonus_to, **given))
    assert outcome["scores"] == [152, 140, 20]
    assert (outcome["totals"], outcome["game_winners"]) == (totals, [winner])
    config = RuleConfig(round_bonus_to=bonus_to)  # type: ignore[arg-type]
    found = rules.final_totals([152, 140, 20], [3, 5, 1], config)
    assert found == (totals, [winner])


def test_r28_everybody_at_the_target_gets_the_hundred() -> None:
    config = RuleConfig(num_players=3)
    found = rules.final_totals([160, 150, 149], [1, 2, 4], config)
    assert found == ([260, 250, 249], [0])


def test_r29_equal_totals_share_the_win() -> None:
    given = {"scores": [95, 125, 0], "rounds_won": [0, 5, 0]}
    outcome = result(end_by("knock", [4, 23, 40], **given))
    assert outcome["totals"] == [250, 250, 0]
    assert outcome["game_winners"] == [0, 1]


def test_r27_no_round_follows_the_last() -> None:
    state = end_by("knock", [4, 23, 40], scores=[95, 0, 0])
    with pytest.raises(ValueError, match="the game is over"):
        state.start_next_round()


@pytest.mark.parametrize("target", [56, 55])
def test_r30_truncated_after_max_rounds_unless_the_target_is_reached(
    target: int,
) -> None:
    state = end_by("knock", [4, 23, 40], max_rounds=1, target_score=target)
    outcome = result(state)
    is_won = target == 55
    assert outcome["game_over"] is True
    assert outcome["truncated"] is not is_won
    assert outcome["totals"] == ([155, 0, 0] if is_won else [55, 0, 0])
    assert outcome["game_winners"] == ([0] if is_won else [])
    with pytest.raises(ValueError, match="the game is over"):
        state.start_next_round()


def test_r30_rounds_always_end() -> None:
    """Also where nobody ever melds: each turn draws, then comes one lap."""
    for players in (2, 3, 4, 5):
        state = State.new(RuleConfig(num_players=players), seed=players)
        turns = 0
        while state.outcome() is None:
            names = state.legal_action_names()
            play(state, "draw" if "draw" in names else "end")
            turns += state.current_player is not None and names[0] == "end"
        outcome = result(state)
        assert outcome["reason"] == "lap"
        assert turns == -(-state.config.stock_size // 3) + players


def test_r30_max_rounds_counts_rounds() -> None:
    config = RuleConfig(
        num_players=2, num_ranks=3, hand_size=3, max_rounds=3, target_score=10**6
    )
    state, rng = State.new(config, 1), random.Random(2)
    for index in range(3):
        assert state.round_index == index
        while state.outcome() is None:
            state.apply_action(rng.choice(state.legal_actions()))
        assert result(state)["game_over"] is (index == 2)
        if index < 2:
            state.start_next_round()
    with pytest.raises(IllegalActionError, match="the round is over"):
        state.apply_action("draw")
    assert melding(state) == []
