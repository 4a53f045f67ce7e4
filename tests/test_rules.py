"""The rules R1 to R14: cards, deal, turns, melds and the table."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from rummy_env import ConfigError, IllegalActionError, RuleConfig, State, solver
from rummy_env.cards import CARD_NAMES
from tests.positions import deck, lays, melding, play, position, result
from tests.reference.melds import all_groups, all_runs
from tests.twins import cards_dealt, deck_counts


def counts_in_play(state: State) -> list[int]:
    """Returns the copies of every card in hands, on the table and in the stock."""
    record = state.record[0]
    hands, stock = cards_dealt(state)
    found = Counter(stock)
    for hand in hands:
        found.update(hand)
    found.update({52: int(record["named"].sum()) + int(record["pending"] >= 0)})
    counts = [found[card] for card in range(53)]
    for card in range(52):
        counts[card] += int(record["table"][card])
    return counts


@pytest.mark.parametrize(
    ("players", "packs", "cards"), [(2, 1, 53), (3, 2, 106), (4, 2, 106), (5, 2, 106)]
)
def test_r01_packs_by_number_of_players(players: int, packs: int, cards: int) -> None:
    config = RuleConfig(num_players=players)
    assert (config.packs, config.num_cards, config.num_jokers) == (packs, cards, packs)
    assert counts_in_play(State.new(config, 3)) == [packs] * 53


@pytest.mark.parametrize("num_ranks", range(3, 14))
def test_r02_only_the_lowest_ranks_are_kept(num_ranks: int) -> None:
    config = RuleConfig(num_players=2, num_ranks=num_ranks, hand_size=3)
    state = State.new(config)
    kept = {CARD_NAMES[c] for c, n in enumerate(counts_in_play(state)[:52]) if n}
    assert kept == set(deck(num_ranks))
    last = "A23456789TJQK"[num_ranks - 2 : num_ranks]
    high = [f"{last[0]}c {last[1]}c Ac"]
    found = solver.arrange(high, num_ranks=num_ranks)
    assert (found is not None) is (num_ranks != 4)  # 2-3-A is A-2-3 with three ranks


def test_r02_with_three_or_four_ranks_the_ace_is_low_only() -> None:
    state = position(["3c 4c Ac", None], num_ranks=4, hand_size=2)
    assert melding(state) == []
    state = position(["4c 5c Ac", None], num_ranks=5, hand_size=2)
    assert melding(state) == lays("Ac 4c 5c")
    state = position(["2c 3c Ac", None], "Ac 2c 3c", num_ranks=3, packs=2, hand_size=2)
    assert melding(state) == lays("Ac 2c 3c")
    state = position(["Ac 5d", None], "2c 3c 4c", num_ranks=5, packs=2, hand_size=2)
    assert melding(state) == lays("Ac")


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        *[(f"{rank}h", 2 + at) for at, rank in enumerate("23456789T")],
        *[("Js", 10), ("Qd", 10), ("Kc", 10), ("Ac", 1), ("Ah", 1), ("*", 25)],
        ("Ac 2d 9h Ts Jc Qd Kh *", 77),
    ],
)
def test_r03_points_in_hand(cards: str, points: int) -> None:
    state = play(position(["8c 8s", cards], lap=1, stock=""), "end")
    assert result(state)["points"] == [16, points]


@pytest.mark.parametrize(("players", "stock"), [(2, 33), (3, 76), (4, 66), (5, 56)])
def test_r04_ten_cards_each_and_the_rest_is_the_stock(players: int, stock: int) -> None:
    state = State.new(RuleConfig(num_players=players), seed=11)
    assert [int(state.hand(p).sum()) for p in range(players)] == [10] * players
    assert state.stock_left == stock
    assert not state.record["table"].any()


def test_r04_the_first_dealer_is_random_and_the_deal_passes_left() -> None:
    dealers = Counter(int(State.new(seed=s).record["dealer"][0]) for s in range(300))
    assert set(dealers) == {0, 1, 2}
    assert min(dealers.values()) > 60
    state = State.new(RuleConfig(num_ranks=4, hand_size=3, target_score=10**6), seed=2)
    rng = random.Random(1)
    first = int(state.record["dealer"][0])
    for index in range(7):
        assert int(state.record["dealer"][0]) == (first + index) % 3
        while state.outcome() is None:
            state.apply_action(rng.choice(state.legal_actions()))
        state.start_next_round()


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 1},
        {"num_players": 6},
        {"hand_size": 0},
        {"knock_limit": -1},
        {"target_score": 0},
        {"max_rounds": 0},
        {"num_players": 2, "hand_size": 27},
        {"num_players": 5, "packs": 1, "hand_size": 11},
        {"num_players": 3, "num_ranks": 3, "hand_size": 9},
    ],
)
def test_r04_refused_configurations(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        RuleConfig(**options)  # type: ignore[arg-type]


def test_r04_one_stock_card_is_enough() -> None:
    for options in ({"num_players": 2, "hand_size": 26}, {"num_players": 4}):
        assert State.new(RuleConfig(**options)).stock_left >= 1  # type: ignore[arg-type]


def test_r04_the_deal_passes_to_the_left_from_whoever_dealt_last() -> None:
    """Also in positions made up, and in copies whose later rounds another seed deals.

    Both once took the dealer that a new game of their seed would have had.
    """
    for dealer, seed in itertools.product(range(3), range(4)):
        hands = ["5c 6c", "Kd Ks", "9h"]
        stock = {"dealer": dealer, "seed": seed, "stock": ""}
        state = position(hands, "7c 8c 9c", max_rounds=9, **stock)
        play(state, *lays("5c 6c"))
        for copy in (state, state.resample_hidden(1, seed + 1)):
            assert result(copy)["reason"] == "out"
            copy.start_next_round()
            assert int(copy.record["dealer"][0]) == (dealer + 1) % 3
            assert copy.current_player == (dealer + 2) % 3


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r05_left_of_the_dealer_begins_and_play_goes_round(players: int) -> None:
    state = State.new(RuleConfig(num_players=players), seed=5)
    dealer = int(state.record["dealer"][0])
    for turn in range(1, 2 * players):
        assert state.current_player == (dealer + turn) % players
        play(state, "draw", "draw", "draw", "end")


def test_r06_draw_then_meld_or_draw_up_to_three_times() -> None:
    state = position(["5c 6c", "9h Kd"], stock="7c 2d 8c Ks 3s", draws=0)
    assert state.legal_action_names() == ["draw"]
    play(state, "draw")
    assert state.legal_action_names() == ["draw", *lays("5c 6c 7c")]
    play(state, "draw")
    assert state.legal_action_names() == ["draw", *lays("5c 6c 7c")]
    play(state, "draw")  # four of a run in hand, but no meld after the third draw
    assert state.legal_action_names() == ["end"]
    play(state, "end")
    assert (state.current_player, state.legal_action_names()) == (1, ["draw"])


def test_r07_one_meld_then_no_draw_and_no_second_meld() -> None:
    state = position(["5c 6c 7c 8c Kd Qd", "9h Kc"])
    play(state, "lay 5c")
    assert state.legal_action_names() == lays("6c 7c 8c")
    play(state, "lay 6c", "lay 7c")
    assert state.legal_action_names() == ["end", "lay 8c"]
    play(state, "end")
    assert (state.current_player, state.legal_action_names()) == (1, ["draw"])
    with pytest.raises(IllegalActionError):
        state.apply_action("lay 9h")


def test_r08_hands_and_stock_order_are_hidden_sizes_are_not() -> None:
    table, own = ["7c 7d 7h"], "8c Ks"
    first = position([own, "2c 3d", None], table, stock="4h 5h", hand_size=3, seed=1)
    same = position([own, "Qh 9s", None], table, stock="Td *", hand_size=3, seed=2)
    larger = position([own, "2c 3d 4d", None], table, stock="4h 5h", hand_size=3)
    stock = position([own, "2c 3d", None], table, stock="4h 5h 6h", hand_size=3)
    assert np.array_equal(first.observation(0), same.observation(0))
    assert np.array_equal(first.action_mask(), same.action_mask())
    for other in (larger, stock):
        assert not np.array_equal(first.observation(0), other.observation(0))


def test_r08_draws_and_melds_of_the_last_turns_are_public() -> None:
    hands = ["7s Ks", "2c 3d", None]
    start = position(hands, ["7c 7d 7h"], stock="4h 5h 6h 8s", hand_size=3)
    melded = play(start.clone(), "lay 7s", "end")
    waited = play(start, "draw", "draw", "end")
    record = melded.record[0], waited.record[0]
    assert [int(r["last_draws"][0]) for r in record] == [1, 3]
    assert [int(r["last_laid"][0]) for r in record] == [1, 0]
    assert [int(r["turns_since_meld"][0]) for r in record] == [0, 1]
    assert not np.array_equal(melded.observation(2), waited.observation(2))


@pytest.mark.parametrize("draws", [1, 2])
def test_r09_stock_empty_after_a_draw_that_allows_a_meld(draws: int) -> None:
    stock = " ".join(["2d", "7c"][-draws:])
    state = position(["5c 6c 9d Kd", "9h Ks"], stock=stock, draws=0)
    play(state, *["draw"] * draws)
    assert state.legal_action_names() == ["end", *lays("5c 6c 7c")]
    passed = play(state.clone(), "end")
    assert (passed.current_player, passed.legal_action_names()) == (1, ["end"])
    melded = play(state, *lays("5c 6c 7c"))
    assert melded.legal_action_names() == ["end"]


def test_r09_stock_empty_after_the_third_draw() -> None:
    state = position(["5c 6c 9d Kd", "9h Ks"], stock="2d 3h 7c", draws=0)
    play(state, "draw", "draw", "draw")
    assert state.legal_action_names() == ["end"]


def test_r10_r11_every_set_of_three_cards() -> None:
    groups = {frozenset(m) for m in all_groups(13) if len(m) == 3}
    runs = {frozenset(m) for m in all_runs(13) if len(m) == 3}
    assert (len(groups), len(runs)) == (4 * 13, 4 * 12)
    accepted = 0
    for cards in combinations_with_replacement(range(52), 3):
        if len(set(cards)) == 1:
            continue
        found = solver.arrange(" ".join(CARD_NAMES[c] for c in cards)) is not None
        is_meld = len(set(cards)) == 3 and frozenset(cards) in groups | runs
        assert found is is_meld, cards
        accepted += found
    assert accepted == 52 + 48


@pytest.mark.parametrize(("size", "groups", "runs"), [(4, 13, 44), (5, 0, 40)])
def test_r10_r11_every_set_of_four_or_five_cards(
    size: int, groups: int, runs: int
) -> None:
    """All of one suit and all of one or two ranks, and some of any."""
    melds = {frozenset(m) for m in all_groups(13) + all_runs(13) if len(m) == size}
    assert len(melds) == groups + runs
    sets = {
        frozenset(c)
        for s in range(4)
        for c in combinations(range(13 * s, 13 * s + 13), size)
    }
    for ranks in combinations(range(13), 2):
        cards = [13 * suit + rank for suit in range(4) for rank in ranks]
        sets |= {frozenset(c) for c in combinations(cards, size)}
    rng = random.Random(size)
    sets |= {frozenset(rng.sample(range(52), size)) for _ in range(1000)}
    found = {
        cards
        for cards in sets
        if solver.arrange(" ".join(CARD_NAMES[c] for c in cards)) is not None
    }
    assert found == melds


def test_r10_the_facts_65_groups_and_132_runs() -> None:
    groups = {frozenset(m) for m in all_groups(13)}
    runs = {frozenset(m) for m in all_runs(13, longest=5)}
    assert (len(groups), len(runs)) == (65, 132)
    for meld in groups | runs:
        words = " ".join(CARD_NAMES[card] for card in meld)
        layout = solver.arrange(words)
        assert layout is not None
        assert len(layout) == 1


@pytest.mark.parametrize(
    ("cards", "legal"),
    [
        ("7c 7d 7h", True),
        ("7c 7d 7h 7s", True),
        ("7c 7d", False),
        ("7c 7d 7d", False),
        ("7c 7d 7h 7s 7c", False),
        ("7c 7d 7h 7s 7c 7d", True),
        ("7c 7d 7h 7c 7d *7c", False),
    ],
)
def test_r10_groups_have_three_or_four_different_suits(cards: str, legal: bool) -> None:
    assert (solver.arrange(cards) is not None) is legal


@pytest.mark.parametrize(
    ("cards", "num_melds"),
    [
        ("Ac 2c 3c", 1),
        ("Qc Kc Ac", 1),
        ("Kc Ac 2c", 0),
        ("Qc Kc Ac 2c", 0),
        ("2c 3c", 0),
        ("2c 3d 4c", 0),
        ("2c 3c 5c", 0),
        ("Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc", 1),
        ("2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac", 1),
        ("Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac", 2),
    ],
)
def test_r11_runs(cards: str, num_melds: int) -> None:
    layout = solver.arrange(cards)
    assert (0 if layout is None else len(layout)) == num_melds


def test_r12_at_least_one_card_and_every_card_in_a_meld() -> None:
    state = position(["9c 2d Kh Ks", None], ["8c 8d 8h 8s", "Tc Jc Qc"])
    assert state.legal_action_names() == ["draw", "lay 9c"]  # no end: nothing is laid
    play(state, "lay 9c")
    assert state.legal_action_names() == ["end"]
    state = position(["4d 5d 6d Kh", None], ["8c 8d 8h"])
    play(state, "lay 5d")  # the table in between is not legal, so the turn goes on
    assert state.legal_action_names() == lays("4d 6d")
    play(state, "lay 4d")
    assert state.legal_action_names() == lays("6d")


def test_r12_no_card_comes_off_the_table() -> None:
    rng = random.Random(4)
    state = State.new(RuleConfig(num_players=2, num_ranks=6, hand_size=7), seed=1)
    before = int(state.record["table"].sum())
    while state.outcome() is None:
        state.apply_action(rng.choice(state.legal_actions()))
        assert int(state.record["table"].sum()) >= before
        before = int(state.record["table"].sum())
    assert before > 0


def test_r13_first_meld_is_a_complete_one_and_nobody_else_needs_it() -> None:
    state = position(["7c 7d 2h", "7s Kd", None], "", stock="Kh Qs Js", hand_size=2)
    assert melding(state) == []  # two sevens are no meld on an empty table
    state = position(["7c 7d 7h 2h", "7s Kd", None], "", stock="Kh Qs Js", hand_size=2)
    play(state, *lays("7c 7d 7h"), "end", "draw")
    assert state.legal_action_names() == ["draw", "lay 7s"]
    assert play(state, "lay 7s").legal_action_names() == ["end"]


@pytest.mark.parametrize(
    ("one", "two", "playable"),
    [
        (["3c 4c 5c", "6c 7c 8c"], ["3c 4c 5c 6c 7c 8c"], "2c 5c"),
        (
            ["7c 7d 7h", "8c 8d 8h", "9c 9d 9h"],
            ["7c 8c 9c", "7d 8d 9d", "7h 8h 9h"],
            "6c Tc 7s",
        ),
        (["Ac 2c 3c", "Qc Kc Ac"], ["3c Qc Kc Ac Ac 2c"], "4c Jc"),
    ],
)
def test_r14_the_layout_does_not_matter(
    one: list[str], two: list[str], playable: str
) -> None:
    hand = f"{playable} Kd 4h"
    first, second = (position([hand, None], t, packs=2) for t in (one, two))
    assert melding(first) == melding(second)
    assert set(melding(first)) == set(lays(playable))
    assert first == second
    assert first.layout(near=one) == one


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_cards_are_conserved_after_every_action(players: int) -> None:
    config = RuleConfig(num_players=players, num_ranks=7, hand_size=5)
    rng = random.Random(players)
    for seed in range(3):
        state = State.new(config, seed)
        while state.outcome() is None:
            assert counts_in_play(state) == deck_counts(config)
            melds = melding(state)
            state.apply_action(rng.choice(melds or state.legal_action_names()))
        assert counts_in_play(state) == deck_counts(config)
