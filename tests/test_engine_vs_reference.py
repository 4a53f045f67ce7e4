"""The engine against the reference game, and the solver against the oracle."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from rummy_env import RuleConfig, State, solver
from rummy_env.cards import JOKER, NUM_CARD_TYPES
from tests.comparison import Comparison
from tests.reference.completion import Turn, melding_actions
from tests.reference.melds import all_melds, is_legal_table, pack, unpack
from tests.twins import is_layout_of, question_of, table_text, twin_of

SMALL_GAMES: list[dict[str, Any]] = [
    {"num_players": 2, "num_ranks": 3, "hand_size": 3, "max_rounds": 6},
    {"num_players": 2, "num_ranks": 4, "hand_size": 4, "packs": 2, "knock_limit": 9},
    {"num_players": 2, "num_ranks": 5, "hand_size": 5, "target_score": 60},
    {"num_players": 3, "num_ranks": 3, "hand_size": 4, "jokers_per_pack": 0},
    {"num_players": 3, "num_ranks": 6, "hand_size": 6, "knock_in_last_lap": True},
    {"num_players": 3, "num_ranks": 5, "packs": 1, "hand_size": 3, "knock_limit": 0},
    {"num_players": 4, "num_ranks": 4, "hand_size": 5, "round_bonus_to": "all"},
    {"num_players": 5, "num_ranks": 5, "hand_size": 4, "target_score": 30},
    {"num_players": 5, "num_ranks": 7, "hand_size": 9, "max_rounds": 2},
]
LARGE_GAMES: list[dict[str, Any]] = [
    {"num_players": 2},
    {"num_players": 3, "packs": 1},
    {"num_players": 4, "num_ranks": 10, "hand_size": 8},
]


def test_whole_games_of_few_ranks_are_the_same() -> None:
    comparison = Comparison(1)
    for seed, options in enumerate(SMALL_GAMES * 2):
        comparison.play_game(options, seed, max_rounds=12)
    seen = comparison.seen
    assert seen["compared"] > 2000, seen
    for kind in ("knock", "out", "lap", "truncated", "won", "take", "joker"):
        assert seen[kind] >= 3, (kind, seen)


def test_rounds_of_many_ranks_are_the_same() -> None:
    comparison = Comparison(2)
    for seed, options in enumerate(LARGE_GAMES):
        comparison.play_game(options, seed, max_rounds=1)
    assert comparison.seen["compared"] > 150, comparison.seen


@pytest.mark.slow
def test_many_rounds_of_the_whole_game_are_the_same() -> None:
    comparison = Comparison(3)
    for seed, players in enumerate([2, 3, 4, 5]):
        options = {"num_players": players}
        comparison.play_game(options, seed, max_rounds=2)
    assert comparison.seen["compared"] > 500, comparison.seen


# Near-legal tables and turns, asked directly


def near_legal_table(
    rng: random.Random, num_ranks: int, num_melds: int
) -> tuple[Counter[int], Counter[int]] | None:
    """Returns real cards and joker names: melds, give or take a card.

    None where they would need a third copy.
    """
    real: Counter[int] = Counter()
    named: Counter[int] = Counter()
    melds = [m for m in all_melds(num_ranks) if len(m) <= 6 or rng.random() < 0.2]
    suits = rng.choice([range(4), range(2)])  # two suits only: crowded runs
    for _ in range(num_melds):
        for card in rng.choice(melds):
            card = suits[card // 13 % len(suits)] * 13 + card % 13
            is_joker = sum(named.values()) < 2 and (
                real[card] == 2 or rng.random() < 0.05
            )
            (named if is_joker else real)[card] += 1
    if rng.random() < 0.3 and real:
        real[rng.choice(sorted(real))] -= 1
    if rng.random() < 0.3:
        real[rng.randrange(4) * 13 + rng.randrange(num_ranks)] += 1
    return None if max(real.values(), default=0) > 2 else (+real, +named)


def random_question(rng: random.Random) -> Turn | None:
    """Returns a turn at any point of it, or None where the cards cannot be."""
    num_ranks = rng.choice([3, 4, 5, 6, 8, 13, 13])
    table = near_legal_table(rng, num_ranks, rng.choice([0, 1, 2, 3, 4, 7]))
    if table is None:
        return None
    real, named = table
    pending = rng.choice(sorted(named)) if named and rng.random() < 0.3 else None
    if pending is not None:
        named = named - Counter([pending])
    locked = [card for card in named.elements() if rng.random() < 0.4]
    left = [
        suit * 13 + rank
        for suit in range(4)
        for rank in range(num_ranks)
        for _ in range(2 - real[suit * 13 + rank])
    ]
    hand = rng.sample(left, min(len(left), rng.randrange(6)))
    jokers = 2 - named.total() - (pending is not None)
    return Turn(
        real=pack(real.elements()),
        named=pack(named.elements()),
        locked=pack(locked),
        hand=pack(hand),
        jokers=rng.randint(0, jokers) if rng.random() < 0.6 else 0,
        pending=pending,
        laid=pending is not None or bool(locked) or rng.random() < 0.6,
        num_ranks=num_ranks,
    )


def test_playable_is_what_the_oracle_says() -> None:
    rng = random.Random(5)
    seen: Counter[str] = Counter()
    while seen["asked"] < 1200:
        turn = random_question(rng)
        if turn is None:
            continue
        actions = solver.playable(**question_of(turn), laid=turn.laid)
        expected = [action for action in melding_actions(turn) if action != "end"]
        assert actions == expected, turn
        seen["asked"] += 1
        seen["none" if not actions else "some"] += 1
        seen["pending"] += bool(actions) and turn.pending is not None
        seen["locked"] += bool(actions) and turn.locked > 0
        seen.update({action.split()[0] for action in actions})
    least = {"none": 100, "some": 200, "pending": 30, "locked": 40, "take": 10}
    assert all(seen[kind] >= n for kind, n in least.items()), seen


def test_arrange_splits_what_the_oracle_splits() -> None:
    rng = random.Random(6)
    seen: Counter[object] = Counter()
    while seen.total() < 2 * 1500:
        num_ranks = rng.choice([*range(3, 14), 13, 13])
        table = near_legal_table(rng, num_ranks, rng.randint(1, 10))
        if table is None:
            continue
        real, named = table
        both = real + named
        counts = [both[card] for card in range(NUM_CARD_TYPES)]
        text = table_text(real.elements(), named.elements())
        layout = solver.arrange(text, num_ranks=num_ranks)
        assert (layout is not None) is is_legal_table(counts, num_ranks), text
        if layout is not None:
            assert is_layout_of(layout, real.elements(), named.elements(), num_ranks)
        seen[layout is not None] += 1
        seen["copies", max(counts)] += 1
    assert min(seen[True], seen[False]) > 300, seen
    assert seen["copies", 4] > 5, seen
    assert seen["copies", 3] > 30, seen


@pytest.mark.parametrize("num_ranks", [5, 13])
def test_arrange_with_aces_at_both_ends(num_ranks: int) -> None:
    """Every way to hold aces, low ends and high ends of two suits."""
    rng = random.Random(num_ranks)
    ends = [0, 1, 2, num_ranks - 2, num_ranks - 1]
    seen: Counter[bool] = Counter()
    for _ in range(2500):
        copies = {
            suit * 13 + rank: rng.choice([0, 1, 2, 2] if rank == 0 else [0, 1, 1, 2])
            for suit in rng.choice([(0,), (1, 3), (0, 1, 2)])
            for rank in ends
        }
        counts = [copies.get(card, 0) for card in range(NUM_CARD_TYPES)]
        text = table_text(Counter(copies).elements(), [])
        legal = is_legal_table(counts, num_ranks)
        assert (solver.arrange(text, num_ranks=num_ranks) is not None) is legal, text
        seen[legal] += 1
    assert min(seen.values()) > 20, seen


def test_a_state_in_any_turn_has_the_oracles_actions() -> None:
    """Positions made up by hand, at every draw, in the lap and before it."""
    rng = random.Random(8)
    seen: Counter[str] = Counter()
    while seen["asked"] < 150:
        turn = random_question(rng)
        if turn is None or turn.laid or not turn.hand or turn.jokers > 1:
            continue
        text = question_of(turn)
        if solver.arrange(text["table"], num_ranks=turn.num_ranks) is None:
            continue
        config = RuleConfig(
            num_players=2, packs=2, num_ranks=turn.num_ranks, hand_size=1
        )
        lap = rng.random() < 0.2
        state = State.from_position(
            config,
            table=text["table"],
            hands=[text["hand"], None],
            draws=0 if lap else rng.randrange(4),
            lap=lap,
            stock="" if lap else None,
        )
        assert JOKER not in unpack(turn.hand)
        assert state.legal_action_names() == twin_of(state).legal_actions()
        seen["asked"] += 1
        seen["lap"] += lap
    assert seen["lap"] > 10
