"""Positions and scores with known answers, through `State`, `rules` and `solver`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rummy_env import RuleConfig, State, rules, solver
from rummy_env.actions import ACTION_NAMES
from rummy_env.cards import CARD_NAMES
from tests.twins import cards_of

CASES = Path(__file__).parent / "cases"
MELDING = json.loads((CASES / "melding.json").read_text())
SCORING = json.loads((CASES / "scoring.json").read_text())


def melding_names(names: list[str]) -> set[str]:
    """Returns the actions of a list that the cases speak of."""
    return {name for name in names if name not in ("draw", "knock")}


def state_of(case: dict[str, Any]) -> State:
    """Returns a case after the first draw of a turn, the other cards dealt somehow."""
    config = RuleConfig(num_players=2, packs=case["packs"])
    hands = [case["hand"], None]
    return State.from_position(config, case["table"], hands, to_move=0, draws=1)


def names(counts: Any) -> str:
    """Returns jokers' names as `solver` takes them."""
    return " ".join(f"*{CARD_NAMES[card]}" for card in cards_of(counts))


def solver_names(state: State) -> list[str]:
    """Returns what the solver says of the table and the hand of a state."""
    record = state.record[0]
    table = [CARD_NAMES[card] for card in cards_of(record["table"])]
    hand = [*CARD_NAMES, "*"]
    pending = int(record["pending"])
    return solver.playable(
        [*table, names(record["named"])],
        [hand[card] for card in cards_of(state.hand(state.current_player))],
        locked=names(record["locked"]),
        pending=None if pending < 0 else CARD_NAMES[pending],
        laid=bool(record["num_laid"] > 0),
    )


def check_position(state: State, legal: list[str], packs: int) -> None:
    """Compares one position of a case with its complete list."""
    found = state.legal_action_names()
    laid = bool(state.record["num_laid"][0] > 0)
    assert melding_names(found) == set(legal)
    assert ("draw" in found) is (not laid)
    mask = state.action_mask()
    assert [ACTION_NAMES[i] for i in mask.nonzero()[0]] == found
    assert set(solver_names(state)) == set(legal) - {"end"}
    assert state.problems() == []
    assert state.config.packs == packs


@pytest.mark.parametrize("case", MELDING, ids=[case["name"] for case in MELDING])
def test_r12_to_r17_melding_actions_of_known_cases(case: dict[str, Any]) -> None:
    state = state_of(case)
    for action, legal in case["turn"]:
        if action is not None:
            state.apply_action(action)
        outcome = state.outcome()
        if outcome is not None:
            assert [action, legal] == case["turn"][-1]
            assert "end" in legal
            assert (outcome["reason"], outcome["by"]) == ("out", 0)
            assert state.legal_action_names() == []
            return
        check_position(state, legal, case["packs"])


def test_the_cases_reach_every_kind_of_answer() -> None:
    """So that the test above is not a test of empty lists."""
    listed = [name for case in MELDING for _, legal in case["turn"] for name in legal]
    for kind in ("lay", "joker", "take", "end"):
        assert sum(name.split()[0] == kind for name in listed) > 50
    assert any(not legal for case in MELDING for _, legal in case["turn"])


def test_r14_the_order_of_a_cases_cards_is_no_matter() -> None:
    for case in MELDING:
        words = sorted(word for meld in case["table"] for word in meld.split())
        shuffled = {**case, "table": " ".join(words)}
        assert state_of(case) == state_of(shuffled), case["name"]


@pytest.mark.parametrize("case", SCORING["rounds"])
def test_r21_to_r26_round_scores_of_known_cases(case: dict[str, Any]) -> None:
    found = rules.round_scores(case["points"], ended=case["ended"], by=case["by"])
    assert found == (case["scores"], case["winners"])


@pytest.mark.parametrize("case", SCORING["games"])
def test_r27_to_r29_totals_of_known_cases(case: dict[str, Any]) -> None:
    config = RuleConfig(
        num_players=len(case["scores"]), round_bonus_to=case["round_bonus_to"]
    )
    found = rules.final_totals(case["scores"], case["rounds_won"], config)
    assert found == (case["totals"], case["winners"])
