"""Texts of positions: what is malformed says so, and nothing else happens."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rummy_env import NotationError, RuleConfig, State
from rummy_env.render import render
from tests.hostile import GARBAGE, accepted, edited
from tests.positions import melding, play, position

SHORT = "rummy1; num_players=2; num_ranks=3; hand_size=2; jokers_per_pack=0"
CARDS = "hands=Ac 2c / Ad 2d; stock=3c 3d Ah 2h 3h As 2s 3s"
TEXT = f"{SHORT}; {CARDS}; draws=1; to_move=1"


def some_states() -> list[State]:
    """Returns states of many kinds: begun, within a meld, waiting, in the lap, over."""
    rng = random.Random(1)
    walked = State.new(RuleConfig(num_players=3, num_ranks=6, hand_size=6), seed=3)
    for _ in range(40):
        if walked.outcome() is None:
            play(walked, rng.choice(melding(walked) or walked.legal_action_names()))
    waiting = position(["7c 8c Kd", "3d"], ["5c 6c *7c"], seed=2)
    over = play(position(["2c", "3d"], draws=3, scores=[140, 3]), "knock")
    return [
        State.from_text(TEXT),
        State.new(RuleConfig(num_players=5), seed=8),
        walked,
        play(waiting, "lay 7c", "take 7c"),
        play(position(["7c 7d 8h *", "3d"], num_ranks=9), "lay 7c", "joker 7h"),
        position(["2c Kd", "3d 3h", "4s"], lap=2, stock="", packs=1),
        over,
        play(position(["7c 7d 7h", "3d"]), "lay 7c", "lay 7d", "lay 7h"),
    ]


def test_a_position_written_by_hand() -> None:
    state = State.from_text(TEXT)
    assert state.current_player == 1
    assert state.legal_action_names() == ["draw"]
    play(state, "draw")  # the stock begins with the next card
    assert state.hand(1)[2] == 1
    spaced = TEXT.replace("; ", " ;\n ").replace(" / ", "/")
    assert State.from_text(spaced) == State.from_text(TEXT)


def test_states_of_all_kinds_go_round() -> None:
    for state in some_states():
        assert State.from_text(state.to_text()) == state
        assert "\n" not in state.to_text()


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "begins with 'rummy1'"),
        ("rummy2; draws=1", 1, "begins with 'rummy1'"),
        ("rummy1; drows=1", 9, "did you mean 'draws'"),
        ("rummy1; draws", 9, "no field 'draws'"),
        ("rummy1; ", 9, "key=value"),
        ("rummy1;   draws=x", 11, "'x' is no whole number"),
        ("rummy1; draws=1; draws=1", 18, "draws is given twice"),
        ("rummy1; draws=1.5", 9, "no whole number"),
        ("rummy1; draws=\u0661", 9, "no whole number"),
        ("rummy1; draws=999", 9, "does not fit draws"),
        ("rummy1; scores=1 2", 9, "takes 3 numbers"),
        ("rummy1; scores=1 2 -3", 9, "does not fit scores"),
        ("rummy1; seed=99999999999999999999", 9, "no whole number"),
        ("rummy1; num_players=9", 9, "from 2 to 5"),
        ("rummy1; round_bonus_to=al", 9, "did you mean 'all'"),
        ("rummy1; knock_in_last_lap=1", 9, "True or False"),
        ("rummy1; hands=7c / 8c", 9, "3 hands"),
        ("rummy1; hands=7c / 8c / 9x", 9, "9x"),
        ("rummy1; table=7c *", 9, "needs a name"),
        ("rummy1; table=7c **", 9, r"\*\*"),
        ("rummy1; locked=7c", 9, "named jokers"),
        ("rummy1; laid=*", 9, "no unnamed joker"),
        ("rummy1; pending=7c 8c", 9, "one joker"),
        ("rummy1; table=" + "7c " * 200, 9, "more cards"),
        ("rummy1; stock=" + "7c " * 200, 9, "more cards"),
        ("rummy1; table=" + "7c " * 3, 1, "two copies"),
        ("x" * 100_000, 20_001, "over 20000"),
        ("rummy1", 1, "no such position"),
    ],
)
def test_malformed_positions(text: str, column: int, message: str) -> None:
    with pytest.raises(NotationError, match=message) as caught:
        State.from_text(text)
    assert caught.value.column == column
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("Ac 2c /", "Ac 2c 3c /", "3c: 2 copies"),
        ("Ac 2c /", "Ac /", "2c: 0 copies"),
        ("Ac 2c /", "Ac 2c 4c /", "4c: 1 copies"),
        ("to_move=1", "to_move=2", "seat"),
        ("to_move=1", "to_move=7", "seat"),
        ("to_move=1", "to_move=-3", "seat"),
        ("to_move=1", "dealer=2", "seat"),
        ("draws=1", "draws=4", "three draws"),
        ("draws=1", "draws=-1", "three draws"),
        ("draws=1", "draws=1; num_laid=1", "counted as laid"),
        ("draws=1", "num_laid=1", "before the draw"),
        ("draws=1", "lap_left=3", "the lap"),
        ("draws=1", "draws=1; ended=1; by=1", "points"),
        ("draws=1", "draws=1; ended=1; by=100", "somebody else"),
        ("draws=1", "draws=1; ended=3; by=1", "somebody else"),
        ("draws=1", "draws=1; ended=4", "no ending"),
        ("draws=1", "draws=1; ended=-1", "no ending"),
        ("draws=1", "draws=1; game_over=2", "won or ended"),
        ("draws=1", "draws=1; winners=1", "won or ended"),
        ("draws=1", "draws=1; round=-1", "round -1"),
        ("draws=1", "draws=1; scores=2147483647 0", "scores are not"),
        ("draws=1", "draws=1; seed=-1", "seed"),
        ("draws=1", "draws=1; pending=3c; num_laid=1", "3c|\\*"),
    ],
)
def test_positions_that_cannot_be(before: str, after: str, message: str) -> None:
    assert before in TEXT
    with pytest.raises(NotationError, match=message):
        State.from_text(TEXT.replace(before, after))


def use(state: State) -> None:
    """Does with a state what can be done with one, and plays on."""
    assert state.problems() == []
    assert State.from_text(state.to_text()) == state
    render(state.record, state.config, state.layout())
    for player in range(state.config.num_players):
        state.observation(player)
        state.resample_hidden(player, 1)
    names = state.legal_action_names()
    assert (names == []) is (state.outcome() is not None), state.to_text()
    if names:
        play(state, names[-1])
        assert state.problems() == []


def test_edited_positions_are_refused_in_words_or_sound() -> None:
    rng = random.Random(2)
    texts = [state.to_text() for state in some_states()]
    seen: Counter[bool] = Counter()
    for _ in range(2_500):
        text = edited(rng.choice(texts), rng)
        state = accepted(State.from_text, text, "column")
        if state is not None:
            use(state)
        seen[state is not None] += 1
    assert seen[False] > 1_200, seen
    assert seen[True] > 100, seen


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_refused_in_words(garbage: str) -> None:
    for text in (garbage, f"rummy1; {garbage}", f"{TEXT}; seed={garbage}"):
        assert accepted(State.from_text, text, "column") is None
