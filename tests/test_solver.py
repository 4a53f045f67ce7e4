"""The solver's best meld by brute force, and layouts near an earlier one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from rummy_env import RuleConfig, State, card_text, solver
from rummy_env.actions import parse_action
from rummy_env.cards import CARD_NAMES, JOKER, NUM_CARD_TYPES, POINTS
from rummy_env.errors import RummyError
from tests.positions import lays
from tests.reference.completion import (
    Table,
    Turn,
    is_completion,
    is_table_legal,
    jokers_laid,
    legal_tables,
    melding_actions,
    new_names,
    num_tables,
    play,
)
from tests.reference.game import card_points
from tests.reference.melds import all_melds, pack, splits, unpack
from tests.twins import is_layout_of, question_of, table_text


def small_turn(rng: random.Random) -> Turn | None:
    """Returns a small turn, at its start or within it; None where it is too large."""
    num_ranks = rng.choice([4, 5, 6, 13])
    cards: Counter[int] = Counter()
    for _ in range(rng.randrange(3)):
        cards.update(rng.choice([m for m in all_melds(num_ranks) if len(m) < 6]))
    named = [card for card in sorted(cards) if rng.random() < 0.15][:2]
    real = cards - Counter(named)
    left = [
        suit * 13 + rank
        for suit in range(4)
        for rank in range(num_ranks)
        for _ in range(2 - real[suit * 13 + rank])
    ]
    near = [card for card in left if any(abs(card - c) < 3 for c in cards)] or left
    size = rng.randint(1, 5)
    chosen = Counter(rng.choice([near, left][rng.random() < 0.4]) for _ in range(size))
    if max((real + chosen).values()) > 2:
        return None
    laid = rng.random() < 0.5
    pending = named.pop() if laid and named and rng.random() < 0.6 else None
    locked = [card for card in named if laid and rng.random() < 0.3]
    free = 2 - len(named) - (pending is not None)
    turn = Turn(
        real=pack(real.elements()),
        named=pack(named),
        locked=pack(locked),
        hand=pack(chosen.elements()),
        jokers=rng.randint(0, min(1, free)),
        pending=pending,
        laid=laid,
        num_ranks=num_ranks,
    )
    return turn if num_tables(turn) < 20_000 else None


def worth(turn: Turn, table: Table, objective: str) -> int:
    """Returns what a final table lays."""
    jokers = [JOKER] * jokers_laid(turn, table)
    cards = [*unpack(table[0] - turn.real), *jokers]
    return len(cards) if objective == "cards" else sum(map(card_points, cards))


def laid_counts(turn: Turn, table: Table) -> tuple[int, ...]:
    """Returns how many of each card a final table lays, jokers last."""
    cards = Counter(unpack(table[0] - turn.real))
    return (*(cards[c] for c in range(NUM_CARD_TYPES)), jokers_laid(turn, table))


def ends(turn: Turn) -> Iterator[Table]:
    """Yields every table the turn may end with."""
    for table in legal_tables(turn):
        if not is_completion(turn, table):
            continue
        if turn.pending is None or new_names(turn, table) - {turn.pending}:
            yield table


def check_actions(turn: Turn, actions: list[str]) -> Turn:
    """Plays actions, each legal; a joker takes the lowest name that will do."""
    for action in actions:
        legal = melding_actions(turn)
        assert action in legal, (turn, actions)
        if action.startswith("joker") and turn.pending is None:
            assert action == next(a for a in legal if a.startswith("joker"))
        turn = play(turn, action)
    return turn


@pytest.mark.parametrize("objective", ["points", "cards"])
def test_best_meld_by_brute_force(objective: str) -> None:
    rng = random.Random(len(objective))
    seen: Counter[str] = Counter()
    while seen["asked"] < 450:
        turn = small_turn(rng)
        if turn is None:
            continue
        tables = list(ends(turn))
        best = max((worth(turn, t, objective) for t in tables), default=-1)
        found = solver.best_meld(**question_of(turn), objective=objective)
        seen["asked"] += 1
        if best < 0 or (best == 0 and is_table_legal(turn)):
            assert found is None, turn
            seen["none"] += 1
            continue
        assert found is not None, turn
        actions, layout = found
        after = check_actions(turn, actions)
        assert is_table_legal(after), turn
        end = (after.real, after.named)
        assert worth(turn, end, objective) == best, turn
        equals = [t for t in tables if worth(turn, t, objective) == best]
        if turn.pending is None:
            assert laid_counts(turn, end) == max(laid_counts(turn, t) for t in equals)
        real, named = unpack(after.real), unpack(after.named)
        assert is_layout_of(layout, real, named, turn.num_ranks)
        seen["ties"] += len({laid_counts(turn, t) for t in equals}) > 1
        seen["renamed"] += "take" in " ".join(actions) or turn.pending is not None
    assert seen["none"] > 60, seen
    assert seen["renamed"] > 30, seen
    assert seen["asked"] - seen["none"] > 150, seen
    assert seen["ties"] > 1, seen


def test_best_meld_replays_through_a_state() -> None:
    rng = random.Random(3)
    played = 0
    while played < 60:
        turn = small_turn(rng)
        if turn is None or turn.laid or not turn.hand:
            continue
        asked = question_of(turn)
        found = solver.best_meld(**asked)
        if (
            found is None
            or solver.arrange(asked["table"], None, turn.num_ranks) is None
        ):
            continue
        config = RuleConfig(
            num_players=2, packs=2, num_ranks=turn.num_ranks, hand_size=1
        )
        hands = [asked["hand"], None]
        state = State.from_position(config, asked["table"], hands, draws=2)
        for action in found[0]:
            state.apply_action(action)
        played += 1
        outcome = state.outcome()
        if outcome is None:
            assert "end" in state.legal_action_names()
        else:
            assert outcome["reason"] == "out"


@pytest.mark.parametrize(
    ("table", "hand", "actions"),
    [
        ("", "7c 7d 7h 2s 3s 4s", [*lays("7c 7d 7h 2s 3s 4s")]),
        ("", "Kc Qc Jc 9s 2c", lays("Jc Qc Kc")),
        ("5c 6c *7c", "7c Kd", ["lay 7c", "take 7c", "joker 4c"]),
        ("", "7c 7d *", [*lays("7c 7d"), "joker 7h"]),
        ("7c 7d 7h", "Kd 2s", None),
        ("7c 8c 9c", "7c 8c 9c 7d 7h", lays("7c 8c 9c")),
    ],
)
def test_best_meld_by_hand(table: str, hand: str, actions: list[str] | None) -> None:
    for objective in ("points", "cards"):
        found = solver.best_meld(table, hand, objective)
        assert (None if found is None else found[0]) == actions


def test_points_and_cards_may_ask_for_different_melds() -> None:
    hand = "Ac 2c 3c Ad Ah Kc Qc"  # Ac 2c 3c, Ac Ad Ah, or Qc Kc Ac: 21 points
    by_points = solver.best_meld("", hand, "points")
    by_cards = solver.best_meld("", hand, "cards")
    assert by_points is not None
    assert by_cards is not None
    assert by_points[0] == ["lay Ac", "lay Qc", "lay Kc"]
    assert by_cards[0] == ["lay Ac", "lay 2c", "lay 3c"]  # three: the lowest ids


@pytest.mark.parametrize(
    ("table", "hand", "given"),
    [
        ("5c 6c", "Kd", {}),
        ("5c", "", {}),
        ("5c 6c 7c 7c *7c", "Kd", {"locked": "*7c"}),
        ("5c 6c", "Kd", {"pending": "7c"}),
    ],
)
def test_best_meld_where_nothing_can_be_finished(
    table: str, hand: str, given: dict[str, str]
) -> None:
    if "pending" in given:  # the joker may be 4c only: 7c is what it gave up
        found = solver.best_meld(table, hand, **given)
        assert found is not None
        assert found[0] == ["joker 4c"]
    else:
        assert solver.best_meld(table, hand, **given) is None


@pytest.mark.parametrize("hand", ["Kd", ""])
def test_r16_a_table_that_is_not_legal_is_the_middle_of_a_meld(hand: str) -> None:
    """The joker can go only if something was laid, which such a table tells."""
    table = "7c *7c 7d 7h 5h 6h"
    assert solver.arrange(table) is None
    found = solver.best_meld(table, hand)
    assert found == (["take 7c", "joker 4h"], ["*4h 5h 6h", "7c 7d 7h"])
    assert solver.playable(table, hand, laid=True) == ["take 7c"]
    assert solver.playable(table, hand) == []
    assert solver.best_meld(table, hand, locked="*7c") is None


def test_r12_on_a_table_that_stands_a_card_is_laid_before_a_release() -> None:
    table = "7c 7d 7h 5c 6c *7c"
    assert solver.arrange(table) is not None
    assert solver.best_meld(table, "Kd") is None
    found = solver.best_meld(table, "7s 3d 4d")
    assert found is not None
    kinds = [action.split()[0] for action in found[0]]
    assert "take" in kinds
    assert kinds.index("lay") < kinds.index("take")


def test_best_melds_and_their_first_actions_are_those_of_best_meld() -> None:
    rng = random.Random(4)
    turns = [t for t in (small_turn(rng) for _ in range(200)) if t is not None]
    turns = [replace(t, num_ranks=13) for t in turns]
    turns = [t for t in turns if t.laid and melding_actions(t)]
    assert len(turns) > 20

    def counts(bags: list[int], size: int) -> np.ndarray:
        rows = np.zeros((len(bags), size), dtype=np.int64)
        for row, bag in enumerate(bags):
            np.add.at(rows[row], list(unpack(bag)), 1)
        return rows

    hands = counts([t.hand for t in turns], NUM_CARD_TYPES + 1)
    hands[:, JOKER] = [t.jokers for t in turns]
    table, named, locked = (
        counts([getattr(t, name) for t in turns], NUM_CARD_TYPES)
        for name in ("real", "named", "locked")
    )
    old = np.array([-1 if t.pending is None else t.pending for t in turns])
    found = solver.best_actions(table, named, locked, hands, old)
    melds = [solver.best_meld(**question_of(t)) for t in turns]
    assert found.tolist() == [parse_action(m[0][0]) if m else -1 for m in melds]
    after = solver.best_melds(table, named, locked, hands, old)
    for row, meld in enumerate(melds):
        plan = [parse_action(action) for action in meld[0]] if meld else []
        assert after.plans[row].tolist()[: len(plan)] == plan
        assert (after.plans[row][len(plan) :] == -1).all()
        if meld:
            real, jokers = card_text.table_counts(meld[1])
            np.testing.assert_array_equal(after.table[row], real)
            np.testing.assert_array_equal(after.named[row], jokers)
        else:
            np.testing.assert_array_equal(after.table[row], table[row])


def large_hands(count: int, size: int) -> np.ndarray:
    """Returns hands drawn from two packs, int64 `[count, 53]`."""
    rng = np.random.default_rng(9)
    packs = np.repeat(np.arange(JOKER + 1), 2)
    drawn = [rng.choice(packs, size, replace=False) for _ in range(count)]
    return np.array([np.bincount(cards, minlength=JOKER + 1) for cards in drawn])


def test_a_narrow_search_finds_melds_that_can_be_laid_and_often_the_best() -> None:
    hands = large_hands(40, 20)
    nothing = np.zeros((40, NUM_CARD_TYPES), dtype=np.int64)
    question = (nothing, nothing, nothing, hands, np.full(40, -1))

    def points(melds: solver.Melds) -> np.ndarray:
        return melds.table @ POINTS[:JOKER] + melds.named.sum(axis=1) * POINTS[JOKER]

    best = points(solver.best_melds(*question))
    assert np.median(best) > 40
    equal = []
    for width in (1, 8, 200):
        melds = solver.best_melds(*question, width=width)
        assert solver.legal_tables(melds.table, melds.named).all()
        left = hands[:, :JOKER] - melds.table
        assert left.min() >= 0
        assert (hands[:, JOKER] >= melds.named.sum(axis=1)).all()
        assert (points(melds) <= best).all()
        equal.append((points(melds) == best).sum())
    assert equal[0] < equal[2]
    assert equal[2] >= 36
    # and the next question is answered in full again
    assert (points(solver.best_melds(*question)) == best).all()


@pytest.mark.parametrize("width", [0, -3, 2.5, "8", True])
def test_widths_that_are_none_are_refused(width: object) -> None:
    hand = large_hands(1, 5)
    nothing = np.zeros((1, NUM_CARD_TYPES), dtype=np.int64)
    question = (nothing, nothing, nothing, hand, np.full(1, -1))
    with pytest.raises(RummyError, match="width is a whole number of 1 or more"):
        solver.best_melds(*question, width=width)  # type: ignore[arg-type]


def test_legal_tables_are_those_with_a_layout() -> None:
    rng = random.Random(11)
    tables = []
    for _ in range(300):
        cards: Counter[int] = Counter()
        for _ in range(rng.randint(1, 4)):
            cards.update(rng.choice([m for m in all_melds(13) if len(m) < 6]))
        if rng.random() < 0.5:
            cards[rng.choice(sorted(cards))] -= 1
        if max(cards.values()) <= 2:
            tables.append(+cards)
    real = np.array([[bag[card] for card in range(NUM_CARD_TYPES)] for bag in tables])
    named = np.zeros_like(real)
    for row, bag in enumerate(tables[::2]):
        joker = rng.choice(sorted(bag))
        real[2 * row, joker] -= 1
        named[2 * row, joker] += 1
    found = solver.legal_tables(real, named)
    assert 50 < found.sum() < len(tables) - 50
    # a joker is the card it is named (R15)
    assert found.tolist() == [splits(pack(t.elements()), 13) for t in tables]
    with pytest.raises(RummyError, match="shapes"):
        solver.legal_tables(real, named[:, 1:])
    for wrong in (None, 5, "7h", real * 0.5):
        with pytest.raises(RummyError):
            solver.legal_tables(wrong, named)  # type: ignore[arg-type]


def test_a_narrow_search_broken_off_leaves_later_answers_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hands = large_hands(40, 20)
    nothing = np.zeros((40, NUM_CARD_TYPES), dtype=np.int64)
    question = (nothing, nothing, nothing, hands, np.full(40, -1))
    exact = solver.best_actions(*question)
    narrow = solver.best_melds(*question, width=1).plans[:, 0]
    assert (narrow != exact).any()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(solver, "_find_meld", interrupted)
        with pytest.raises(KeyboardInterrupt):
            solver.best_melds(*question, width=1)
    assert (solver.best_actions(*question) == exact).all()


# Layouts


def test_arrange_near_keeps_the_melds_that_stand() -> None:
    rng = random.Random(7)
    for _ in range(200):
        num_ranks = rng.choice([5, 8, 13])
        cards: Counter[int] = Counter()
        melds = []
        for _ in range(rng.randint(2, 7)):
            meld = rng.choice([m for m in all_melds(num_ranks) if len(m) < 7])
            if max((cards + Counter(meld)).values()) <= 2:
                cards.update(meld)
                melds.append(meld)
        joker = rng.choice(sorted(cards))
        names = {joker: 1}
        near = []
        for meld in melds:
            words = [
                ("*" if names.get(card, 0) and not names.update({card: 0}) else "")
                + CARD_NAMES[card]
                for card in meld
            ]
            near.append(" ".join(words))
        real = sorted((cards - Counter([joker])).elements())
        table = table_text(real, [joker])
        assert solver.arrange(table, near=near, num_ranks=num_ranks) == near
        found = solver.arrange(table, near=near[:-1], num_ranks=num_ranks)
        assert found is not None
        assert found[: len(near) - 1] == near[:-1]
        assert is_layout_of(found, real, [joker], num_ranks)


def test_arrange_near_shows_no_card_that_is_not_there() -> None:
    """A joker that lies for a real card of the old layout is shown as one."""
    found = solver.arrange("4c 4h *4d *4s", near=["4c 4d 4h *4s"])
    assert found == ["4c *4d 4h *4s"]
    both = ["4c 4d *4h 4s", "4c 4d 4h *4s"]
    assert solver.arrange("4c 4d *4h 4s 4c 4d 4h *4s", near=both) == both
    table = "4c 4d 4h 4s 4c *4d 4h *4s"
    layout = solver.arrange(table, near=both)
    assert layout is not None
    assert sorted(" ".join(layout).split()) == sorted(table.split())


def test_arrange_near_keeps_a_real_card_where_it_lies_beside_a_joker_of_its_name() -> (
    None
):
    for near in (["Ac 2c 3c", "Ac 2c *3c"], ["Ac 2c *3c", "Ac 2c 3c"]):
        assert solver.arrange(" ".join(near), near=near) == near


def test_arrange_keeps_nothing_that_is_no_meld() -> None:
    table = "7c 7d 8c 9c Tc 8d 9d Td"
    for near in (["7c 7d"], ["7c 8c 9d"], ["7c 9c Tc"], ["7c 7c 7c"], ["Kc"], [""]):
        layout = solver.arrange(table, near=near)
        assert layout == ["7c 8c 9c Tc", "7d 8d 9d Td"], near


def test_arrange_keeps_what_it_can_of_a_table_that_changed() -> None:
    near = ["7c 7d 7h", "8c 8d 8h", "9c 9d 9h", "2s 3s 4s"]
    table = [*near, "6c"]  # the run 6-9 of clubs leaves the other two suits as runs
    layout = solver.arrange(table, near=near)
    assert layout is not None
    assert "2s 3s 4s" in layout
    assert sorted(layout) == sorted(["2s 3s 4s", "6c 7c 8c 9c", "7d 8d 9d", "7h 8h 9h"])
