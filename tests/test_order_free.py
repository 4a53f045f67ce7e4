"""Laying card by card, in any order, loses nothing and adds nothing (R12 to R16).

On small decks: from every position with so many cards on the table and in the hand,
up to a change of suits, the tables at which the engine lets a turn end are those that
the rules allow; no way of playing comes to a dead end or round to where it was; and
on every one of these ways the legal actions are those of the definition, which lists
all completions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, islice

import pytest

from rummy_env import RuleConfig, State
from rummy_env.cards import JOKER, card_name, parse_hand
from tests.near_legal import Bag, Deck
from tests.positions import melding, melding_of, play, position
from tests.reference.completion import (
    Table,
    Turn,
    allowed_final_tables,
    copies,
    jokers_laid,
    legal_melding_actions,
    legal_tables,
)
from tests.reference.melds import FIELD, FIRST_SUIT, all_melds, pack, unpack
from tests.twins import turn_of

Seen = Counter[str]


def parts(cards: list[int], most: int) -> list[Bag]:
    """Returns all multisets of up to so many of some cards, given with repeats."""
    bag, kinds = Counter(cards), sorted(set(cards))
    return [
        Counter(chosen)
        for size in range(most + 1)
        for chosen in combinations_with_replacement(kinds, size)
        if Counter(chosen) <= bag
    ]


def legal_bags(deck: Deck, most: int) -> list[Bag]:
    """Returns the effective cards of every legal table of up to so many cards."""
    found, fresh = {0: Counter[int]()}, [Counter[int]()]
    while fresh:
        sums = [
            bag + Counter(meld) for bag in fresh for meld in all_melds(deck.num_ranks)
        ]
        fresh = []
        for bag in sums:
            key = pack(bag.elements())
            short = sum(max(0, n - deck.packs) for n in bag.values())
            if bag.total() <= most and short <= deck.jokers and key not in found:
                found[key] = bag
                fresh.append(bag)
    return list(found.values())


def in_first_suits(*bags: Bag) -> bool:
    """Returns whether the suits are in order: so they are after one change of suits.

    They are compared by their cards of the first bag, then of the second and so on.
    """
    packed = [pack(card for card in bag.elements() if card != JOKER) for bag in bags]
    suits = [
        [cards >> FIELD * suit & 15 * FIRST_SUIT for cards in packed]
        for suit in range(4)
    ]
    return suits == sorted(suits)


def starts(
    deck: Deck, table: int, hand: int, names: int = 0
) -> Iterator[tuple[Bag, Bag, Bag]]:
    """Yields real cards, joker names and hands, one of each kind up to suits.

    Args:
        deck: The cards in play.
        table: The most cards on the table.
        hand: The most cards in the hand, jokers included.
        names: The fewest jokers on the table.
    """
    for effective in legal_bags(deck, table):
        for named in parts(sorted(effective.elements()), deck.jokers):
            real = effective - named
            if max(real.values(), default=0) > deck.packs or named.total() < names:
                continue
            if not in_first_suits(real, named):
                continue  # nor will they be with a hand
            jokers = [JOKER] * (deck.jokers - named.total())
            for cards in parts(deck.left(real) + jokers, hand):
                if cards and in_first_suits(real, named, cards):
                    yield real, named, cards


@cache
def drawn_once(deck: Deck) -> State:
    """Returns a state after the first draw, with nothing on the table."""
    config = RuleConfig(
        num_players=2,
        packs=deck.packs,
        num_ranks=deck.num_ranks,
        hand_size=1,
        jokers_per_pack=int(deck.jokers > 0),
    )
    return State.from_position(config, hands=["Ac", "2c"], draws=1, stock="")


def state_at(deck: Deck, real: Bag, named: Bag, hand: Bag) -> State | None:
    """Returns the state after the first draw, or None if no card is left for others.

    The cards are written into its record: to write and read a text of each position
    takes longer than all that is played from it.
    """
    left = deck.left(real + hand)
    if not left:
        return None
    state = drawn_once(deck).clone()
    record = state.record[0]
    record["table"], record["named"] = counts_of(real)[:JOKER], counts_of(named)[:JOKER]
    record["hands"][:2] = counts_of(hand), counts_of(Counter([left[0]]))
    rest = Counter(left[1:])
    rest[JOKER] = state.config.num_jokers - named.total() - hand[JOKER]
    record["aside"] = counts_of(rest)
    return state


def counts_of(bag: Bag) -> list[int]:
    """Returns the copies of each card and of the joker, `[53]`."""
    return [bag.get(card, 0) for card in range(JOKER + 1)]


class Search:
    """All that can be played from a position on.

    Attributes:
        start: The turn at its start.
        tables: Its legal tables.
        ends: Tables at which the turn may end.
        outs: Tables at which going out ends it (R19).
        seen: What came up.
    """

    def __init__(self, state: State) -> None:
        self.start = turn_of(state)
        self.ends: set[Table] = set()
        self.outs: set[Table] = set()
        self.seen: Seen = Counter()
        self.tables = list(legal_tables(self.start))
        self._path: set[bytes] = set()
        self._finished: set[bytes] = set()
        self._visit(state)

    def _visit(self, state: State) -> None:
        """Plays every legal action, each position once."""
        key = state.record.tobytes()
        assert key not in self._path, f"loop at {state.to_text()}"
        if key in self._finished:
            return
        self._path.add(key)
        turn, actions = turn_of(state), state.legal_action_names()
        self._compare(state, turn, actions)
        if turn.laid and "end" in actions:
            self.ends.add((turn.real, turn.named))
            self.seen["swap"] += self._is_swap(turn)
        for action in melding_of(actions):
            after = state.clone()
            after.apply_action(action)
            if after.outcome() is None:
                self._visit(after)
            else:
                last = turn_of(after)
                self.outs.add((last.real, last.named))
        self._path.remove(key)
        self._finished.add(key)

    def _compare(self, state: State, turn: Turn, actions: list[str]) -> None:
        """Compares what is legal with the definition of it."""
        assert actions, f"dead end at {state.to_text()}"
        expected = legal_melding_actions(turn, self.tables)
        assert melding_of(actions) == melding_of(expected), state.to_text()
        if turn.laid:
            assert ("end" in actions) is ("end" in expected), state.to_text()
        self.seen["compared"] += 1
        self.seen.update({action.split()[0] for action in actions})
        self.seen["old name"] += self._gives_old_name(turn, actions)

    def _is_swap(self, turn: Turn) -> bool:
        """Returns whether two released jokers bear each other's old names."""
        both = len(unpack(turn.locked)) == 2 and len(set(unpack(turn.named))) == 2
        return both and turn.named == self.start.named == turn.locked

    def _gives_old_name(self, turn: Turn, actions: list[str]) -> bool:
        """Returns whether a joker of the hand may get the name of a released one."""
        old = set(unpack(self.start.named)) - set(unpack(turn.named))
        waits = turn.pending is not None
        return not waits and any(f"joker {card_name(c)}" in actions for c in old)


def compare_ends(deck: Deck, real: Bag, named: Bag, hand: Bag) -> Seen:
    """Compares where a turn can end with where the rules let it.

    The last card of the hand ends the round as soon as the table stands (R19), so
    of the tables that take the whole hand one is reached if there are any, and
    others need not be.
    """
    state = state_at(deck, real, named, hand)
    if state is None:
        return Counter()
    search = Search(state)
    allowed = allowed_final_tables(search.start, search.tables)
    whole = {
        table
        for table in allowed
        if table[0] == search.start.real + search.start.hand
        and jokers_laid(search.start, table) == search.start.jokers
    }
    assert search.ends == allowed - whole, state.to_text()
    assert search.outs <= whole, state.to_text()
    assert bool(search.outs) is bool(whole), state.to_text()
    found = search.seen + Counter(
        positions=1, playable=int(bool(allowed)), tables=len(allowed)
    )
    found["out"] += bool(whole)
    return found


def compare_all(deck: Deck, *sizes: int) -> Seen:
    """Compares every position of a deck up to sizes as `starts` takes them."""
    seen: Seen = Counter()
    for cards in starts(deck, *sizes):
        seen += compare_ends(deck, *cards)
    return seen


# Ranks, packs and jokers of the deck, the most cards on the table and in the hand.
QUICK = [
    (3, 1, 0, 12, 3),
    (3, 1, 1, 6, 2),
    (3, 2, 0, 6, 2),
    (3, 2, 1, 4, 2),
    (3, 2, 2, 3, 2),
    (4, 1, 0, 12, 2),
    (4, 1, 1, 4, 2),
    (4, 2, 2, 3, 2),
    (5, 1, 0, 6, 2),
    (5, 1, 1, 3, 2),
]
SLOW = [
    (3, 1, 1, 12, 3),
    (3, 2, 1, 4, 3),
    (3, 2, 2, 3, 3),
    (3, 2, 2, 6, 2),
    (4, 1, 1, 6, 3),
    (5, 1, 1, 6, 2),
    (5, 2, 2, 3, 2),
]


def check_deck(sizes: tuple[int, ...]) -> None:
    """Compares every position of a deck, and asks that something came up."""
    deck = Deck(*sizes[:3])
    seen = compare_all(deck, *sizes[3:])
    assert seen["positions"] > 300, seen
    assert seen["playable"] > 0.05 * seen["positions"], seen
    assert seen["playable"] < 0.95 * seen["positions"], seen
    assert seen["out"] > 10, seen
    if deck.jokers > 0:
        assert seen["joker"] > 100, seen
        assert seen["take"] > 50, seen


@pytest.mark.parametrize("sizes", QUICK, ids=str)
def test_r12_to_r16_turns_end_where_the_rules_let_them(sizes: tuple[int, ...]) -> None:
    check_deck(sizes)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SLOW, ids=str)
def test_r12_to_r16_turns_end_where_the_rules_let_them_more_cards(
    sizes: tuple[int, ...],
) -> None:
    check_deck(sizes)


def test_the_positions_are_sound() -> None:
    """Their cards are written into records, where nothing checks them."""
    for sizes in QUICK:
        deck = Deck(*sizes[:3])
        for cards in islice(starts(deck, *sizes[3:]), 0, None, 40):
            state = state_at(deck, *cards)
            assert state is None or state.problems() == [], state


def search(table: list[str], hand: str, **options: int) -> Search:
    """Returns all that can be played from a position written by hand."""
    rules = {"num_ranks": 5, "packs": 2} | options
    return Search(position([hand, None], table, stock="", **rules))


def bags_of(real: str, named: str) -> Table:
    """Returns a table of cards written out."""
    return pack(parse_hand(real)), pack(parse_hand(named))


def test_r16_two_released_jokers_may_swap_their_names_in_any_order() -> None:
    """Counting names would not see it: there are as many of each as before."""
    found = search(["Ac *2c 3c", "Ad *2d 3d"], "2c 2d 2s 5h", num_ranks=5)
    assert found.seen["swap"] > 0
    assert bags_of("Ac 2c 3c Ad 2d 3d 2s", "2c 2d") in found.ends
    assert found.ends == allowed_final_tables(found.start)


def test_r16_a_joker_of_the_hand_may_get_the_old_name_of_a_released_one() -> None:
    """One real card lets the joker on the table go, and the other takes its name."""
    table = ["Ac *2c 3c", "2d 2h 2s"]
    found = search(table, "2c 5h *", num_ranks=5)
    assert found.seen["old name"] > 0
    assert bags_of("Ac 2c 3c 2d 2h 2s", "2c 4c") in found.ends
    state = position(["2c 5h *", None], table, num_ranks=5, packs=2)
    play(state, "lay 2c", "take 2c")
    assert "joker 2c" not in melding(state)  # what it gave up it does not take again
    assert "joker 2c" in melding(play(state, "joker 4c"))


def test_r19_going_out_may_leave_a_joker_as_it_is() -> None:
    """The last card ends the round, so the joker can have no other name any more."""
    table = ["2c 3c *4c", "4d 4h 4s"]
    found = search(table, "4c", num_ranks=5)
    assert found.outs == {bags_of("2c 3c 4d 4h 4s 4c", "4c")}
    assert len(allowed_final_tables(found.start)) > 1
    kept = search(table, "4c 2h", num_ranks=5)
    assert bags_of("2c 3c 4d 4h 4s 4c", "Ac") in kept.ends


# Does any of this notice anything?


@pytest.mark.parametrize("kind", ["lay", "joker", "take"])
def test_an_action_that_is_missing_is_noticed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last legal action of a kind is left out where there are two or more."""
    right = State.legal_action_names

    def too_few(state: State) -> list[str]:
        names = right(state)
        last = [name for name in names if name.startswith(kind)][1:][-1:]
        return [name for name in names if name not in last]

    monkeypatch.setattr(State, "legal_action_names", too_few)
    with pytest.raises(AssertionError):
        search(["Ac *2c 3c", "Ad *2d 3d"], "2c 2d 2s 5h", num_ranks=5)


def test_a_table_that_cannot_be_reached_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rules under which every joker keeps its name for good."""
    right = allowed_final_tables

    def none_renamed(turn: Turn, tables: list[Table]) -> set[Table]:
        names, allowed = unpack(turn.named), right(turn, tables)
        return {t for t in allowed if all(copies(t[1], card) for card in names)}

    monkeypatch.setattr("tests.test_order_free.allowed_final_tables", none_renamed)
    with pytest.raises(AssertionError):
        compare_all(Deck(3, 1, 1), 3, 2)
