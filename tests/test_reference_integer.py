"""Tests of the integer program: its melds, known answers, and the exact covers."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings

from rummy_env.cards import NUM_CARD_TYPES, rank_of, suit_of
from tests.near_legal import Deck, Table, tables, turns
from tests.reference import integer
from tests.reference.completion import Turn, legal_melding_actions, num_tables
from tests.reference.melds import is_legal_table, pack
from tests.test_reference import MELDING, counts_of, turn_of
from tests.twins import counts_in, integer_actions, integer_question


def is_meld(cards: tuple[int, ...], num_ranks: int) -> bool:
    """Returns whether cards, in any order, are a group or a run (R10, R11, R17)."""
    ranks, suits = {rank_of(c) for c in cards}, {suit_of(c) for c in cards}
    if len(ranks) == 1:
        return len(suits) == len(cards)
    if len(suits) > 1 or len(ranks) < len(cards):
        return False
    low = sorted(ranks)
    high = sorted(rank or num_ranks for rank in ranks)
    lines = [low] if num_ranks < 5 else [low, high]
    return any(line[-1] - line[0] == len(line) - 1 for line in lines)


@pytest.mark.parametrize("num_ranks", range(3, 14))
def test_r10_r11_the_templates_are_all_groups_and_all_runs_up_to_five(
    num_ranks: int,
) -> None:
    """By looking at every set of three to five cards that a meld can be."""
    suited = [
        cards
        for suit in range(4)
        for size in (3, 4, 5)
        for cards in combinations(range(suit * 13, suit * 13 + num_ranks), size)
    ]
    ranked = [
        cards
        for rank in range(num_ranks)
        for size in (3, 4)
        for cards in combinations(range(rank, NUM_CARD_TYPES, 13), size)
    ]
    every = Counter(c for c in suited + ranked if is_meld(c, num_ranks))
    found = Counter(tuple(sorted(t)) for t in integer.templates(num_ranks))
    assert found == every
    assert max(found.values()) == 1


def test_there_are_65_groups_and_132_runs() -> None:
    groups = [t for t in integer.templates(13) if len({rank_of(c) for c in t}) == 1]
    assert len(groups) == 65
    assert len(integer.templates(13)) - len(groups) == 132


@pytest.mark.parametrize(
    ("cards", "num_ranks", "legal"),
    [
        ("", 13, True),
        ("7c 7d 7d", 13, False),
        ("7c 7c 7d 7d 7h 7h", 13, True),
        ("7c 7c 7d 7h 7s", 13, False),
        ("Qc Kc Ac", 13, True),
        ("Kc Ac 2c", 13, False),
        ("Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac", 13, True),
        ("Ac 2c 3c Qc Kc", 13, False),
        ("Ac 4c 5c", 5, True),
        ("Ac 3c 4c", 4, False),
        ("6c 7c 8c", 6, False),
    ],
)
def test_r12_legal_tables(cards: str, num_ranks: int, legal: bool) -> None:
    if "8c" in cards and num_ranks < 8:
        with pytest.raises(AssertionError, match="not in play"):
            integer.is_legal_table(counts_of(cards), num_ranks)
        return
    assert integer.is_legal_table(counts_of(cards), num_ranks) is legal


def test_r12_to_r17_actions_of_known_cases() -> None:
    """Every case of the collection at the start of its turn, the large ones too."""
    for case in MELDING:
        turn = turn_of(case["table"], case["hand"])
        action, legal = case["turn"][0]
        assert action is None
        assert sorted(integer_actions(turn)) == sorted(legal), case["name"]


def test_exact_covers_agree_on_tables() -> None:
    seen: Counter[bool] = Counter()

    @settings(max_examples=200)
    @given(tables(Deck(9, 2, 2), 12, 30))
    def compare(table: Table) -> None:
        counts = counts_in((table.real + table.named).elements())
        legal = integer.is_legal_table(counts, 9)
        assert legal is is_legal_table(counts, 9)
        seen[legal] += 1

    compare()
    assert min(seen[True], seen[False]) > 40, seen


def test_listed_completions_agree_on_turns() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=300)
    @given(turns(0, 12, largest_hand=4).filter(lambda turn: num_tables(turn) < 3000))
    def compare(turn: Turn) -> None:
        actions = integer_actions(turn)
        assert actions == legal_melding_actions(turn)
        seen["some" if actions else "none"] += 1
        seen.update({action.split()[0] for action in actions})

    compare()
    assert min(seen["some"], seen["none"]) > 60, seen
    assert min(seen["lay"], seen["joker"]) > 20, seen
    assert seen["take"] > 0, seen


def test_best_melds_of_known_hands() -> None:
    turn = turn_of([], "Ac 2c 3c Ad Ah Kc Qc")  # Qc Kc Ac is worth the most points
    asked = integer_question(turn)
    points, found = integer.best_points(asked)
    assert (points, pack(found.melds[0])) == (21, pack(counts_cards("Ac Qc Kc")))
    assert integer.best_cards(asked)[0] == 3
    with pytest.raises(ValueError, match="no completion"):
        integer.best_cards(integer_question(turn_of(["5c 6c 7c"], "Kd")))


def counts_cards(text: str) -> list[int]:
    """Returns the cards of a text."""
    return [card for card, n in enumerate(counts_of(text)) for _ in range(n)]
