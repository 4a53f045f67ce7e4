"""R14: how a table is laid out changes nothing, neither what is legal nor what comes.

The same cards are written as different melds; the states made of them are played on
with the same actions.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rummy_env import RuleConfig, State, solver
from rummy_env.cards import CARD_NAMES, card_name, parse_card, rank_of, suit_of
from rummy_env.kernel.workspace import CAPACITY
from tests.near_legal import Deck, Table, hands, melds, tables, words
from tests.positions import play, position
from tests.reference.melds import (
    Meld,
    all_melds,
    contains,
    field_of,
    lowest_field,
    pack,
    splits,
)
from tests.twins import is_layout_of

MOST_LAYOUTS = 4


def layouts(bag: int, num_ranks: int, rng: random.Random) -> Iterator[list[Meld]]:
    """Yields layouts of packed cards, found by exact cover in a random order."""
    if not bag:
        yield []
        return
    lowest = lowest_field(bag)
    through = [meld for meld in all_melds(num_ranks) if lowest in map(field_of, meld)]
    for meld in rng.sample(through, len(through)):
        if contains(bag, pack(meld)):
            for rest in layouts(bag - pack(meld), num_ranks, rng):
                yield [meld, *rest]


def texts(layout: list[Meld], table: Table, rng: random.Random) -> list[str]:
    """Returns a layout as texts; chance says which copy of a card is the joker."""
    names = list(table.named.elements())
    places = [(at, card) for at, meld in enumerate(layout) for card in meld]
    rng.shuffle(places)
    jokers: Counter[tuple[int, int]] = Counter()
    for at, card in places:
        if card in names:
            names.remove(card)
            jokers[at, card] += 1
    written = [
        " ".join("*" * jokers[at, card] + CARD_NAMES[card] for card in meld)
        for at, meld in enumerate(layout)
    ]
    return rng.sample(written, len(written))


@st.composite
def tables_of_blocks(draw: st.DrawFn) -> Table:
    """Tables with a block of three suits by three ranks: runs, or as many groups."""
    deck = Deck(13, 2, 2)
    first = draw(st.integers(0, 10))
    block = [suit * 13 + rank for suit in range(3) for rank in range(first, first + 3)]
    real, named = Counter(block), Counter[int]()
    for meld in draw(st.lists(melds(13), max_size=3)):
        if len(meld) < 7 and max((real + Counter(meld)).values()) <= 2:
            real.update(meld)
    for card in draw(st.lists(st.sampled_from(block), max_size=2)):
        if real[card]:
            real[card] -= 1
            named[card] += 1
    return Table(deck, +real, named)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Table, str, int]:
    """Tables, hands, and a seed for the layouts and for what is played."""
    small = st.builds(Deck, st.just(7), st.just(2), st.just(2)).flatmap(
        lambda deck: tables(deck, 6, 20, legal=True)
    )
    table = draw(st.one_of(tables_of_blocks(), small))
    hand = words(sorted(draw(hands(table, 5)).elements()))
    return table, hand or "*", draw(st.integers(0, 2**32))


def states_of(written: list[list[str]], table: Table, hand: str) -> list[State]:
    """Returns a state for each layout, all else alike."""
    options = RuleConfig(num_players=2, packs=2, num_ranks=table.deck.num_ranks)
    return [
        State.from_position(options, layout, [hand, "3c"], draws=2, seed=7)
        for layout in written
    ]


def play_alike(states: list[State], rng: random.Random) -> int:
    """Plays the same random actions everywhere, to the round's end and after it.

    All that can be seen of the states has to be the same at every step.
    """
    first, others = states[0], states[1:]
    for steps in range(40):
        legal = first.legal_action_names()
        for state in others:
            assert state == first
            assert state.legal_action_names() == legal
            assert state.outcome() == first.outcome()
            assert state.layout() == first.layout()
            assert (state.observation(0) == first.observation(0)).all()
        if not legal:
            return steps
        lays = [name for name in legal if " " in name]
        action = rng.choice(lays if lays and rng.random() < 0.8 else legal)
        for state in states:
            state.apply_action(action)
    return 40


def has_room(table: Table, hand: str) -> bool:
    """Returns whether the jokers and the other's card are still to be had."""
    cards = table.real[2] + hand.split().count("3c")
    return table.named.total() + hand.count("*") <= 2 and cards < 2


def test_r14_two_layouts_of_a_table_have_the_same_actions_and_futures() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=300)
    @given(questions())
    def compare(question: tuple[Table, str, int]) -> None:
        table, hand, seed = question
        rng, num_ranks = random.Random(seed), table.deck.num_ranks
        bag = pack((table.real + table.named).elements())
        found = islice(layouts(bag, num_ranks, rng), MOST_LAYOUTS)
        written = [texts(layout, table, rng) for layout in found]
        written = list({tuple(sorted(layout)): layout for layout in written}.values())
        if len(written) < 2 or not has_room(table, hand):
            return
        legal = solver.playable(table.text(), hand, num_ranks=num_ranks)
        for layout in written:
            cards = table.real.elements(), table.named.elements()
            assert is_layout_of(layout, *cards, num_ranks)
            assert solver.playable(layout, hand, num_ranks=num_ranks) == legal
        seen["steps"] += play_alike(states_of(written, table, hand), rng)
        seen["examples"] += 1
        seen["named"] += table.named.total() > 0

    compare()
    assert seen["examples"] > 100, seen
    assert seen["named"] > 50, seen
    assert seen["steps"] > 1000, seen


RUNS = ["7c 8c 9c", "7d 8d *9d", "7h 8h 9h"]
GROUPS = ["7c 7d 7h", "8c 8d 8h", "9c *9d 9h"]


@pytest.mark.parametrize("card", ["Tc", "9s", "9d"])
def test_r14_runs_may_be_played_as_groups_and_groups_as_runs(card: str) -> None:
    """A ten fits a run, a nine of spades a group, whichever of them are shown."""
    for table in (RUNS, GROUPS):
        state = position([f"{card} Kd", None], table, packs=2)
        assert f"lay {card}" in state.legal_action_names()
        play(state, f"lay {card}")
        assert ("end" in state.legal_action_names()) is (card != "9d")


def test_r14_a_joker_is_in_no_meld_more_than_in_another() -> None:
    """With a real card of its name on the table, it is either of the two."""
    one = ["7c 8c *9c", "9c 9d 9h"]
    other = ["7c 8c 9c", "*9c 9d 9h"]
    states = [
        position(["Tc 9s Kd", None], table, packs=2, seed=3) for table in (one, other)
    ]
    assert states[0] == states[1]
    for state in states:
        play(state, "lay Tc", "take 9c")
    assert play_alike(states, random.Random(1)) > 1


def test_another_table_is_noticed() -> None:
    """Futures are told apart where the cards differ, if only in what the joker is."""
    pair = [
        position(["Tc 9s Kd", None], table, packs=2, seed=3)
        for table in (["7c 8c 9c *9d 9h 9s"], ["7c 8c *9c 9d 9h 9s"])
    ]
    with pytest.raises(AssertionError):
        play_alike(pair, random.Random(1))


# a table whose walks have wide layers
WIDE = [
    "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac",
    "Td Jd Qd Kd Ad",
    "Ad Ah As",
    "Qh Kh Ah",
    "9s Ts Js Qs Ks As",
    "2c 2h 2s",
    "2d 2h 2s",
    "3c 4c 5c 6c",
    "3d 4d 5d 6d 7d 8d",
    "3d 4d 5d 6d",
    "4h 5h 6h 7h 8h 9h Th",
    "4h 5h 6h 7h",
    "4s 5s 6s 7s 8s 9s",
    "4s 5s 6s 7s",
    "9h Th Jh Qh",
    "Td Jd Qd",
    "Js Qs Ks",
    "Kc Kd Kh",
]


@cache
def works_of(limit: int) -> NDArray[Any]:
    """Returns a workspace whose layers have so many nodes at most."""
    return solver.new_workspaces(limit=limit)


def melds_tried(card: int, num_ranks: int) -> list[Meld]:
    """Returns the melds that a layout tries for the lowest card left, in order."""
    every = [meld for meld in all_melds(num_ranks) if card in meld]
    runs = [meld for meld in every if rank_of(meld[0]) != rank_of(meld[1])]
    low = [meld for meld in runs if meld[0] == card]
    high = [meld for meld in runs if meld[-1] == card and rank_of(card) == 0]
    groups = [meld for meld in every if rank_of(meld[0]) == rank_of(meld[1])]
    by_suits = [[0, 1, 2, 3], [0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    groups.sort(key=lambda meld: by_suits.index(sorted(map(suit_of, meld))))
    return sorted(low, key=len)[::-1] + sorted(high, key=len)[::-1] + groups


def layout_by_asking(bag: int, num_ranks: int) -> list[Meld] | None:
    """Returns the layout of packed cards, every step asked of an oracle."""
    if not splits(bag, num_ranks):
        return None
    layout = []
    while bag:
        cards = [c for c in range(52) if contains(bag, pack([c]))]
        lowest = min(cards, key=lambda card: (rank_of(card), suit_of(card)))
        layout.append(
            next(
                meld
                for meld in melds_tried(lowest, num_ranks)
                if contains(bag, pack(meld)) and splits(bag - pack(meld), num_ranks)
            )
        )
        bag -= pack(layout[-1])
    return layout


def layout_on(works: NDArray[Any], table: Table) -> list[str] | None:
    """Returns the layout of a table by a workspace."""
    solver.load(works, table.text(), num_ranks=table.deck.num_ranks)
    return solver.arrange_loaded(works)


def decks_of(packs: int, num_jokers: int) -> st.SearchStrategy[Deck]:
    """Decks of all numbers of ranks that differ in what an ace may do."""
    ranks = st.sampled_from([3, 4, 5, 7, 13])
    return st.builds(Deck, ranks, st.just(packs), st.just(num_jokers))


@settings(deadline=None, max_examples=150)
@given(decks_of(2, 0).flatmap(lambda deck: tables(deck, 3, 30)))
def test_a_layout_is_found_by_asking_while_walks_are_too_wide(table: Table) -> None:
    num_ranks = table.deck.num_ranks
    expected = layout_by_asking(pack(table.real.elements()), num_ranks)
    found = expected and [" ".join(map(card_name, meld)) for meld in expected]
    for limit in (1, 2, 5, CAPACITY):
        works = works_of(limit)
        layout, asked = layout_on(works, table), works[0]["num_asked"]
        assert (layout is None) == (found is None), (table.text(), limit)
        if layout is not None and found is not None:
            assert layout[:asked] == found[:asked], (table.text(), limit)
            assert is_layout_of(layout, table.real.elements(), (), num_ranks)


@settings(deadline=None, max_examples=400)
@given(decks_of(2, 2).flatmap(lambda deck: tables(deck, 3, 60, legal=True)))
def test_a_layout_out_of_boxes_is_one(table: Table) -> None:
    works, cards = works_of(CAPACITY), (table.real.elements(), table.named.elements())
    layout = layout_on(works, table)
    assert works[0]["num_asked"] == 0
    assert layout is not None, table.text()
    assert is_layout_of(layout, *cards, table.deck.num_ranks), (table.text(), layout)


SUIT = list("A23456789TJQK")


@pytest.mark.parametrize(
    ("words", "num_melds"),
    [
        # the ace comes first, or last, and a run of fourteen is two
        ("Ac 2c 3c", 1),
        ("Qc Kc Ac", 1),
        (" ".join(f"{rank}c" for rank in SUIT), 1),
        (" ".join(f"{rank}c" for rank in [*SUIT, "A"]), 2),
        (" ".join(f"{rank}c" for rank in [*SUIT[1:], "A"]), 1),
        (" ".join(f"{rank}c" for rank in [*SUIT, *SUIT]), 2),
        # aces end another run than one that begins with an ace, if there is one
        ("Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Jc Qc Kc Ac", 2),
        # both aces high, with and without one that is low: four copies of it
        ("Qc Kc Ac Qc Kc Ac", 2),
        ("Qc Kc Ac Qc Kc *Ac *Ac 2c 3c", 3),
        # groups of one rank: each three, four or as many as there are
        ("5c 5c 5d 5d 5h 5h", 2),
        ("5c 5c 5d 5d 5h 5h 5s 5s", 2),
        ("5c 5c *5c 5d 5d 5h 5h 5s 5s", 3),
        ("5c 5c *5c *5c 5d 5d 5h 5h 5s 5s 3c 4c", 4),
        # four copies of a card, in runs and in a group
        ("4c 5c 6c 4c 5c *6c *6c 7c 6d 6h", 3),
        ("4c 4c 5c *5c *5c 5c 6c 6c 3c 3c 7c 6d 6h 5d 5h", 5),
        ("4c 5c *5c *5c 5c 6c 6c 3c 4c 7c 6d 6h 5d 5h", None),
    ],
)
def test_layouts_of_what_is_special(words: str, num_melds: int | None) -> None:
    real = [parse_card(word) for word in words.split() if word[0] != "*"]
    named = [parse_card(word[1:]) for word in words.split() if word[0] == "*"]
    works = solver.load(works_of(CAPACITY), words)
    layout = solver.arrange_loaded(works)
    assert (layout is not None) is splits(pack(real + named), 13)
    if layout is not None:
        assert is_layout_of(layout, real, named, 13)
    assert num_melds == (None if layout is None else len(layout))


@cache
def works_for(packs: int) -> NDArray[Any]:
    """Returns a workspace for one pack, or for two."""
    return solver.new_workspaces(packs=packs)


@settings(deadline=None, max_examples=60)
@given(st.lists(decks_of(2, 2).flatmap(lambda deck: tables(deck, 3, 40)), min_size=2))
def test_a_table_has_one_layout_whatever_was_asked_before(several: list[Table]) -> None:
    """What a workspace remembers of one table says nothing of the next."""
    first = [layout_on(works_for(2), table) for table in several]
    again = [layout_on(works_for(2), table) for table in reversed(several)]
    assert first == again[::-1]


@settings(deadline=None, max_examples=200)
@given(decks_of(1, 1).flatmap(lambda deck: tables(deck, 3, 40)))
def test_a_table_of_one_pack_has_one_layout_whatever_is_in_hands(table: Table) -> None:
    num_ranks = table.deck.num_ranks
    layout = solver.arrange(table.text(), num_ranks=num_ranks)
    assert layout_on(works_for(1), table) == layout == layout_on(works_for(2), table)
    if layout is not None and layout:
        state = states_of([layout], replace(table, deck=Deck(num_ranks, 2, 2)), "2c")[0]
        assert sorted(state.layout() or []) == sorted(layout)


def test_the_layout_after_a_best_meld_is_that_of_its_table() -> None:
    """The hand takes two packs, the table after it one."""
    found = solver.best_meld("Ad Ah Ac 4h As 3h 2h", "3s 3d 3d 2s 2s", num_ranks=4)
    assert found is not None
    assert found[1] == solver.arrange("Ad Ah Ac 4h As 3h 2h 2s 3s", num_ranks=4)


@pytest.mark.parametrize("limit", [1, 3, CAPACITY])
def test_a_table_is_laid_out_whether_walks_are_too_wide_or_not(limit: int) -> None:
    works = works_of(limit)
    solver.load(works, WIDE)
    assert solver.arrange_loaded(works, WIDE) == WIDE
    layout = solver.arrange_loaded(works)
    assert (works[0]["num_asked"] > 0) == (limit < CAPACITY), "this tests nothing now"
    assert layout is not None
    assert is_layout_of(layout, map(parse_card, " ".join(WIDE).split()), (), 13)
