"""One game as an object: positions, copies, texts, illegal actions, hidden cards."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from rummy_env import IllegalActionError, PositionError, RuleConfig, RummyError, State
from rummy_env.cards import format_hand, parse_hand
from tests.positions import deck, lays, melding, play, position
from tests.twins import cards_dealt

TWO = RuleConfig(num_players=2)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"hands": ["7c 7c", None]}, "2 copies of 7c, but 1 pack"),
        ({"hands": ["7c", "7c"]}, "2 copies of 7c"),
        ({"hands": ["7c"], "table": "7c 7d 7h"}, "2 copies of 7c"),
        ({"hands": ["7c"], "stock": "7c 8c"}, "2 copies of 7c"),
        ({"hands": ["* *"]}, "2 jokers, but 1"),
        ({"hands": ["*"], "table": "*7c 7d 7h"}, "2 jokers"),
        ({"table": "7c 7d"}, "not legal"),
        ({"table": "7c 7d 8h"}, "not legal"),
        ({"table": "7c 7d *"}, "needs a name"),
        ({"table": "7c 7d 7x"}, "7x"),
        ({"hands": ["1c"]}, "1c"),
        ({"hands": ["", None]}, "hand of player 0 is empty"),
        ({"hands": ["7c"], "stock": "", "draws": 0}, "stock is empty"),
        ({"hands": ["7c", "7d", "7h"]}, "3 hands for 2"),
        ({"to_move": 2}, "to_move"),
        ({"to_move": -1}, "to_move"),
        ({"dealer": 5}, "dealer"),
        ({"draws": 4}, "draws"),
        ({"draws": -1}, "draws"),
        ({"lap": 3}, "lap"),
        ({"lap": 1, "draws": 1}, "nobody draws"),
        ({"scores": [1]}, "scores"),
        ({"scores": [1, -1]}, "scores"),
        ({"scores": [1.5, 1]}, "scores"),
        ({"rounds_won": [1, 10**9]}, "rounds_won"),
        ({"hands": [" ".join(deck()), None]}, "hand of player 1"),
    ],
)
def test_positions_that_are_refused(given: dict[str, Any], reason: str) -> None:
    given = {"hands": ["2s"], "draws": 1, **given}
    if "lap" in given:
        given["draws"] = given["draws"] if given["lap"] == 1 else 0
    with pytest.raises(RummyError, match=reason):
        State.from_position(TWO, **given)


def test_cards_not_in_play_are_refused() -> None:
    config = RuleConfig(num_players=2, num_ranks=5, hand_size=3)
    for given in ({"hands": ["6c"]}, {"table": "*6c 6d 6h"}, {"stock": "Kc"}):
        with pytest.raises(PositionError, match="not in play"):
            State.from_position(config, draws=1, **given)  # type: ignore[arg-type]
    none = RuleConfig(num_players=2, jokers_per_pack=0)
    with pytest.raises(PositionError, match="jokers"):
        State.from_position(none, hands=["*"], draws=1)


def test_missing_hands_are_dealt() -> None:
    config = RuleConfig(num_players=3)
    state = State.from_position(config, ["7c 7d 7h"], [None, "2c 3d"], seed=4)
    assert [int(state.hand(p).sum()) for p in range(3)] == [10, 2, 10]
    assert state.stock_left == 106 - 3 - 22
    other = State.from_position(config, ["7c 7d 7h"], [None, "2c 3d"], seed=5)
    assert not np.array_equal(state.hand(0), other.hand(0))
    assert state.problems() == other.problems() == []
    assert State.from_position(config, ["7c 7d 7h"], [None, "2c 3d"], seed=4) == state


def test_missing_hands_leave_a_stock_card() -> None:
    hand = " ".join(deck()[:45])
    state = State.from_position(TWO, hands=[hand, None], draws=1)
    assert (int(state.hand(1).sum()), state.stock_left) == (7, 1)


def test_a_stock_as_given() -> None:
    state = position(["2c", "3d"], stock="4h 5h * 6h", draws=0)
    for card in parse_hand("4h 5h *"):
        held = state.hand(0)
        play(state, "draw")
        assert state.hand(0)[card] == held[card] + 1
    assert state.stock_left == 1


def mid_turn_states(seed: int, count: int = 3) -> list[State]:
    """Returns states in the middle of melds, some with a joker that waits."""
    rng = random.Random(seed)
    found: list[State] = []
    while len(found) < count:
        options = {"num_players": 3, "num_ranks": 5, "hand_size": 6}
        state = State.new(RuleConfig(**options), rng.randrange(10**6))  # type: ignore[arg-type]
        while state.outcome() is None and len(found) < count:
            takes = [a for a in melding(state) if a.startswith("take")]
            names = takes or melding(state) or state.legal_action_names()
            play(state, rng.choice(names))
            wanted = state.record["pending"][0] >= 0 or rng.random() < 0.05
            if state.record["num_laid"][0] > 0 and wanted:
                found.append(state.clone())
    return found


COPIES = {
    "clone": State.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    "text": lambda state: State.from_text(state.to_text()),
    "repr": lambda state: eval(repr(state)),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_in_the_middle_of_a_turn_go_on_alike(name: str) -> None:
    for state in mid_turn_states(seed=1):
        state.action_mask()  # a remembered mask must not be shared
        other = COPIES[name](state)
        assert other == state
        assert hash(other) == hash(state)
        rng = random.Random(2)
        before = state.record.tobytes()
        for _ in range(60):
            if other.outcome() is not None:
                break
            play(other, rng.choice(other.legal_action_names()))
        assert state.record.tobytes() == before
        rng = random.Random(2)
        for _ in range(60):
            if state.outcome() is not None:
                break
            play(state, rng.choice(state.legal_action_names()))
        assert state == other


def test_states_differ_by_their_cards_and_their_options() -> None:
    state = State.new(TWO, seed=1)
    assert state != State.new(TWO, seed=2)
    same_cards = RuleConfig(num_players=2, knock_limit=6)
    assert state != State.new(same_cards, seed=1)
    assert len({state, state.clone(), State.new(TWO, seed=2)}) == 2
    assert state != "state"


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "num_ranks": 4, "hand_size": 5, "target_score": 40},
        {"num_players": 5, "num_ranks": 6, "hand_size": 5, "max_rounds": 2},
        {"num_players": 3, "jokers_per_pack": 0, "knock_in_last_lap": True},
    ],
)
def test_texts_go_round_at_every_step(options: dict[str, Any]) -> None:
    rng = random.Random(3)
    state = State.new(RuleConfig(**options), seed=9)
    for _ in range(150):
        text = state.to_text()
        again = State.from_text(text)
        assert again == state
        assert again.to_text() == text
        assert again.legal_actions() == state.legal_actions()
        outcome = state.outcome()
        assert again.outcome() == outcome
        if outcome is None:
            play(state, rng.choice(melding(state) or state.legal_action_names()))
        elif outcome["game_over"]:
            return
        else:
            state.start_next_round()


def test_an_illegal_action_changes_nothing_and_says_what_is_legal() -> None:
    state = position(["7c 7d 7h 2s Kd", "9h Ks"])
    play(state, "lay 7c")
    for action in ("draw", "end", "knock", "lay 2s", "joker 7s", "take 7c", 3):
        before = state.record.tobytes()
        with pytest.raises(IllegalActionError) as caught:
            state.apply_action(action)
        assert state.record.tobytes() == before
        message = str(caught.value)
        assert ("lay Ac" if action == 3 else str(action)) in message
        assert "player 0 is melding" in message
        assert message.endswith("legal: lay 7d, lay 7h")
    assert melding(state) == lays("7d 7h")


@pytest.mark.parametrize(
    ("given", "actions", "words"),
    [
        ({"draws": 0}, [], "player 0 begins the turn"),
        ({"draws": 2, "to_move": 1}, [], "player 1 has drawn 2 of 3"),
        ({"draws": 3}, [], "has drawn the third card"),
        ({"lap": 2, "stock": ""}, [], "last turn of the lap"),
        ({"draws": 3}, ["knock"], "round is over; legal: nothing"),
        (
            {"table": ["5c 6c *7c"], "hands": ["7c 8c", "3d"]},
            ["lay 7c", "take 7c"],
            "released the joker named 7c.*legal: joker 4c, joker 8c, joker 9c",
        ),
    ],
)
def test_the_message_names_the_phase(
    given: dict[str, Any], actions: list[str], words: str
) -> None:
    state = play(position(**{"hands": ["2c", "3d"], **given}), *actions)
    with pytest.raises(IllegalActionError, match=words):
        state.apply_action("lay Kh")


def test_no_next_round_while_one_runs() -> None:
    with pytest.raises(RummyError, match="not over yet"):
        State.new().start_next_round()


def test_the_same_seed_deals_the_same_rounds_whatever_was_played() -> None:
    config = RuleConfig(num_players=2, num_ranks=4, hand_size=4, target_score=10**6)
    deals = []
    for player_seed in (1, 2):
        state, rng = State.new(config, 77), random.Random(player_seed)
        deals.append([cards_dealt(state)])
        for _ in range(3):
            while state.outcome() is None:
                play(state, rng.choice(state.legal_action_names()))
            state.start_next_round()
            deals[-1].append(cards_dealt(state))
    assert deals[0] == deals[1]
    assert len({str(deal) for deal in deals[0]}) == 4


def finish(state: State) -> bool:
    """Plays the mover's meld to its end, legally; returns whether it came to one."""
    mover, rng = state.current_player, random.Random(0)
    for _ in range(120):
        if state.outcome() is not None or state.current_player != mover:
            return True
        names = state.legal_action_names()
        if not names:
            return False
        play(state, "end" if "end" in names else rng.choice(names))
    return False


def test_resampling_keeps_what_a_player_sees_and_all_sizes() -> None:
    changed: Counter[bool] = Counter()
    for state in mid_turn_states(seed=5, count=8):
        for player in range(3):
            for seed in range(3):
                other = state.resample_hidden(player, seed)
                assert other.problems() == []
                seen, again = state.observation(player), other.observation(player)
                assert seen.tobytes() == again.tobytes()
                assert np.array_equal(state.hand(player), other.hand(player))
                if player == state.current_player:
                    assert np.array_equal(state.action_mask(), other.action_mask())
                sizes = [
                    [int(s.hand(p).sum()) for p in range(3)] for s in (state, other)
                ]
                assert sizes[0] == sizes[1]
                assert state.stock_left == other.stock_left
                changed[cards_dealt(state) != cards_dealt(other)] += 1
                assert finish(other)
    assert changed[True] > 10 * changed[False]


def test_resampling_before_a_meld_and_after_a_round() -> None:
    start = State.new(RuleConfig(num_players=4), seed=1)
    over = play(position(["2c", "3d 4d", "5h", "6s"], draws=3), "knock")
    for state in (start, play(start.clone(), "draw"), over):
        for player in range(4):
            other = state.resample_hidden(player, 3)
            assert other == state.resample_hidden(player, 3)
            assert other.problems() == []
            assert other.outcome() == state.outcome()
            same = (
                state.observation(player).tobytes()
                == other.observation(player).tobytes()
            )
            assert same
    hidden = {format_hand(start.resample_hidden(0, s).hand(1)) for s in range(20)}
    assert len(hidden) == 20
    assert start == State.new(RuleConfig(num_players=4), seed=1)


def test_resampling_gives_a_mover_whose_hand_is_rare_one_that_can_finish() -> None:
    """After `lay 5c` on an empty table only few hands can go on."""
    hand = "5c 6c 7c Kd Qh"
    state = play(position([hand, None], jokers_per_pack=0), "lay 5c")
    found = [state.resample_hidden(1, seed) for seed in range(30)]
    for other in found:
        assert melding(other)
        assert finish(other)
    assert len({format_hand(other.hand(0)) for other in found}) > 5


def test_resampling_draws_later_rounds_from_the_new_seed() -> None:
    state = play(position(["2c", "3d"], draws=3), "knock")
    one, two = (state.resample_hidden(0, seed) for seed in (1, 2))
    for other in (one, two):
        other.start_next_round()
    assert cards_dealt(one) != cards_dealt(two)
