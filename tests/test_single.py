"""Walks over sets of bits, for one pack, say what the walks over nodes say.

`solver` and `State` take them wherever no card is there twice, so the oracles judge
them as well; here both ways are asked the same, and steps are looked at one by one.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from rummy_env import PositionError, RuleConfig, State, VectorEnv, solver
from rummy_env.cards import CARD_NAMES, JOKER
from rummy_env.kernel import calls, single
from rummy_env.kernel.jit import entry
from tests.reference.melds import all_melds

ANSWERS = ("lay", "name", "name_more", "num_names")
WHERE = ("nowhere", "hand", "named", "locked", "waiting")
"""What may have become of the joker."""


def some_table(rng: random.Random, num_ranks: int) -> set[int]:
    """Returns cards of melds that do not overlap, or nearly so."""
    cards: set[int] = set()
    melds = [meld for meld in all_melds(num_ranks) if len(meld) < 7]
    for meld in rng.choices(melds, k=rng.randint(0, 12)):
        if not cards & set(meld):
            cards |= set(meld)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):  # a card too many, or too few
        cards ^= {rng.choice([c for meld in melds for c in meld])}
    return cards


def some_question(rng: random.Random) -> dict[str, Any]:
    """Returns a question that one pack can put, as `solver.load` takes it."""
    num_ranks = rng.choice([3, 4, 5, 6, 8, 13, 13, 13, 13])
    in_play = [c for c in range(52) if c % 13 < num_ranks]
    table = some_table(rng, num_ranks)
    left = [c for c in in_play if c not in table]
    hand = rng.sample(left, min(len(left), rng.randint(0, 16)))
    where, name = rng.choice(WHERE), CARD_NAMES[rng.choice(in_play)]
    held = [CARD_NAMES[card] for card in hand]
    lying = [CARD_NAMES[card] for card in sorted(table)]
    return {
        "table": lying + [f"*{name}"] * (where in ("named", "locked")),
        "hand": held + ["*"] * (where == "hand"),
        "locked": [f"*{name}"] * (where == "locked"),
        "pending": name if where == "waiting" else None,
        "num_ranks": num_ranks,
    }


@pytest.mark.parametrize("seed", range(4))
def test_both_kinds_of_walks_give_the_same_answers(seed: int) -> None:
    rng, seen = random.Random(seed), Counter[str]()
    one, two = calls.new_workspaces(packs=1), calls.new_workspaces()
    for _ in range(2000):
        question = some_question(rng)
        for works in (one, two):
            solver.load(works, **question)
            calls.answer(works)
        for name in ANSWERS:
            assert (one[0][name] == two[0][name]).all(), (name, question)
            seen[name] += int(one[0][name].sum())
        if question["pending"] is None:
            legal = [calls.is_table_legal(works) for works in (one, two)]
            assert legal[0] == legal[1], question
            seen["legal" if legal[0] else "not legal"] += 1
    assert min(seen.values()) > 300, seen
    assert one[0]["sets"].any()
    assert not two[0]["sets"].any()


@pytest.mark.parametrize("num_ranks", [5, 13])
def test_every_way_to_use_the_aces_of_a_full_table(num_ranks: int) -> None:
    """All subsets of aces are low, high or in a group at once."""
    one, two = calls.new_workspaces(packs=1), calls.new_workspaces()
    most = [f"{rank}{suit}" for rank in "23456789TJQK" for suit in "cdhs"]
    most = [card for card in most if "A23456789TJQK".index(card[0]) < num_ranks]
    for size, kept in itertools.product(range(5), (0, 3, 7)):
        for aces in itertools.combinations(["Ac", "Ad", "Ah", "As"], size):
            table = [*aces, *most[kept:]]
            for works in (one, two):
                solver.load(works, table, most[:kept], num_ranks=num_ranks)
                calls.answer(works)
            for name in ANSWERS:
                assert (one[0][name] == two[0][name]).all(), (name, table)
            assert calls.is_table_legal(one) == calls.is_table_legal(two), table


@entry
def step(words: Any, ways: int, is_back: bool) -> Any:
    """Steps a set over a rank."""
    return single._steps_back(words, ways) if is_back else single._steps(words, ways)


@entry
def step_both(zero: Any, one: Any, ways: int, joined: int, is_back: bool) -> Any:
    """Steps the sets without and with a joker over a rank."""
    if is_back:
        return single._steps_both_back(zero, one, ways, joined)
    return single._steps_both(zero, one, ways, joined)


def lengths_after(length: int, copies: int) -> set[int]:
    """Returns the states of a suit after so many copies have gone to runs."""
    if copies == 0:
        return {0} if length in (0, 3) else set()
    if copies == 1:
        return {min(3, length + 1)}
    return {1} if length >= 2 else set()


def words_of(states: set[tuple[int, ...]]) -> tuple[np.int64, ...]:
    """Returns a set of states as bits, signed."""
    words = np.zeros(4, dtype=np.uint64)
    for clubs, diamonds, hearts, spades in states:
        words[spades] |= np.uint64(1 << (clubs + 4 * diamonds + 16 * hearts))
    return tuple(words.view(np.int64))


KINDS = {  # what a suit may do at a rank: copies in a group, copies to runs
    single._OUT: (0, 0),
    single._RUN: (0, 1),
    single._TWO: (0, 2),
    single._GROUP_OUT: (1, 0),
    single._GROUP_RUN: (1, 1),
}
Kinds = tuple[frozenset[int], ...]
"""What each suit may do."""
States = set[tuple[int, ...]]
ALL_STATES = list(itertools.product(range(4), repeat=4))


def ways_of(kinds: Kinds) -> int:
    """Returns what the suits may do, packed."""
    return sum(1 << (kind + suit) for suit in range(4) for kind in kinds[suit])


def some_kinds(rng: random.Random, most: int) -> Kinds:
    """Returns sets of things that a suit may do, up to so many each."""
    some = [rng.sample(sorted(KINDS), rng.randint(0, most)) for _ in range(4)]
    return tuple(map(frozenset, some))


def leads_to(before: tuple[int, ...], kinds: Kinds) -> States:
    """Returns where a state may be after a rank, every combination looked at."""
    after: States = set()
    for moves in itertools.product(*kinds):
        copies = [KINDS[move] for move in moves]
        if sum(group for group, _ in copies) in (0, 3, 4):
            runs = [run for _, run in copies]
            after |= set(itertools.product(*map(lengths_after, before, runs)))
    return after


def leads_to_with_joker(
    before: tuple[int, ...], kinds: Kinds, with_one: Kinds
) -> States:
    """Returns the same where exactly one suit has the joker."""
    after: States = set()
    for suit in range(4):
        joined = (*kinds[:suit], with_one[suit], *kinds[suit + 1 :])
        after |= leads_to(before, joined)
    return after


def back_from(after: tuple[int, ...], leads: dict[tuple[int, ...], States]) -> States:
    """Returns the states that lead to one."""
    return {before for before in ALL_STATES if after in leads[before]}


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("others", range(4))
def test_a_step_does_to_each_state_what_it_should(kind: int, others: int) -> None:
    """State by state, forward; and back it leads from where it came."""
    rng = random.Random(4 * kind + others)
    kinds = (frozenset({kind}), *some_kinds(rng, 3)[1:])
    kinds = kinds[others:] + kinds[:others]
    leads = {before: leads_to(before, kinds) for before in ALL_STATES}
    for state in ALL_STATES:
        start, ways = words_of({state}), ways_of(kinds)
        assert step(start, ways, False) == words_of(leads[state])
        assert step(start, ways, True) == words_of(back_from(state, leads))


@pytest.mark.parametrize("seed", range(12))
def test_a_step_with_a_joker_has_it_in_one_suit(seed: int) -> None:
    """Sets without and with it, the latter those that had it and those that get it."""
    rng = random.Random(seed)
    kinds, with_one = some_kinds(rng, 4), some_kinds(rng, 4)
    ways, joined = ways_of(kinds), ways_of(with_one)
    plain = {before: leads_to(before, kinds) for before in ALL_STATES}
    joker = {
        before: leads_to_with_joker(before, kinds, with_one) for before in ALL_STATES
    }
    for _ in range(40):
        zero, one = rng.choice(ALL_STATES), rng.choice(ALL_STATES)
        start = words_of({zero}), words_of({one})
        assert step_both(*start, ways, joined, False) == (
            words_of(plain[zero]),
            words_of(plain[one] | joker[zero]),
        )
        assert step_both(*start, ways, joined, True) == (
            words_of(back_from(zero, plain)),
            words_of(back_from(one, plain) | back_from(zero, joker)),
        )


def test_a_workspace_for_one_pack_refuses_what_two_packs_hold() -> None:
    works = calls.new_workspaces(packs=1)
    solver.load(works, "7c 7c 8c 8c 9c 9c", "6c")
    if works[0]["addresses"].any():  # uncompiled, nothing is left out
        with pytest.raises(RuntimeError, match="not for this"):
            calls.answer(works)


def test_games_of_one_pack_take_these_walks() -> None:
    """The solver and the faces choose by the cards, and by the packs of a game."""
    works = solver.local_workspaces(packs=1)
    works["sets"] = 0
    solver.playable("7c 8c 9c", "Tc 6c Kd *")
    assert works["sets"].any()
    state = State.new(RuleConfig(num_players=2), seed=1)
    works["hand"] = 0
    state.apply_action("draw")
    assert works["hand"][0].sum() == 11
    works["hand"] = 0
    solver.playable("7c 8c 9c", "Tc 6c 6c Kd")
    assert not works["hand"].any()


def broken(field: str) -> State:
    """Returns a game of one pack that has cards twice, or two jokers."""
    config = RuleConfig(num_players=2)
    hands = ["Tc Jc 2d", "3d 4d"]
    state = State.from_position(config, "7c 8c 9c *7d 7h 7s", hands, draws=1)
    states = state.record.copy()
    if field == "joker":
        states["hands"][0, 0, JOKER] = 1
    elif field == "table":
        states["table"][0, CARD_NAMES.index("8c")] = 2
    else:
        states["hands"][0, 0, CARD_NAMES.index("Tc")] = 2
    return State(config, states)


@pytest.mark.parametrize("field", ["joker", "table", "hand"])
def test_a_record_that_one_pack_cannot_be_is_answered_or_refused_in_words(
    field: str,
) -> None:
    """Records are taken on trust: as long as nobody relies on one pack, they play."""
    state = broken(field)
    assert state.problems()
    assert "draw" in state.legal_action_names()
    state.clone().apply_action("draw")
    assert state.layout() is not None or field == "table"
    envs = VectorEnv(1, state.config)
    with pytest.raises(PositionError, match="one pack"):
        envs.place([state])
    envs.reset()
    envs._states[0] = state.record[0]
    saved = envs.save()
    with pytest.raises(PositionError, match="one pack"):
        envs.load(saved)


def test_a_waiting_joker_that_was_no_card_is_refused_in_words() -> None:
    state = State.new(RuleConfig(num_players=2), seed=1)
    state.record["pending"] = 127
    with pytest.raises(PositionError, match="127"):
        state.to_text()
