"""Hypothesis strategies: tables and turns that are legal, or nearly so.

Where cards are drawn at random hardly any table is legal, so these start from melds,
take a card away or add one, and give the hand what is missing or lies close.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from rummy_env import RuleConfig, State
from rummy_env.cards import JOKER, NUM_RANKS, card_name, rank_of
from tests.reference.completion import Turn
from tests.reference.melds import Meld, all_melds, pack
from tests.twins import table_text

Draw = Callable[[st.SearchStrategy[Any]], Any]
Bag = Counter[int]


@dataclass(frozen=True)
class Deck:
    """The cards in play.

    Attributes:
        num_ranks: Ranks kept (R2).
        packs: Packs (R1).
        jokers: Jokers, at most one a pack.
    """

    num_ranks: int
    packs: int
    jokers: int

    def cards(self) -> list[int]:
        """Returns every card type in play."""
        return [suit * 13 + rank for suit in range(4) for rank in range(self.num_ranks)]

    def left(self, real: Bag) -> list[int]:
        """Returns the real cards that are not among some, with repeats."""
        return [c for c in self.cards() for _ in range(self.packs - real[c])]


@dataclass(frozen=True)
class Table:
    """Real cards and joker names, and the deck they are from."""

    deck: Deck
    real: Bag
    named: Bag

    def text(self) -> str:
        """Returns the cards as `solver` takes them."""
        return table_text(sorted(self.real.elements()), sorted(self.named.elements()))


def decks(fewest_ranks: int = 3) -> st.SearchStrategy[Deck]:
    """Decks of all sizes, the full one most often; two packs more often than one."""
    ranks = st.sampled_from([*range(fewest_ranks, NUM_RANKS), *[NUM_RANKS] * 4])
    packs = st.sampled_from([(1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (2, 2), (2, 2)])
    return st.builds(lambda n, p: Deck(n, *p), ranks, packs)


@cache
def melds(num_ranks: int) -> st.SearchStrategy[Meld]:
    """Melds: any, those with an ace, and those of two suits and few ranks."""
    every = all_melds(num_ranks)
    short = [meld for meld in every if len(meld) <= 5]
    aces = [meld for meld in short if any(rank_of(card) == 0 for card in meld)]
    crowded = [meld for meld in short if max(meld) < 26 or rank_of(max(meld)) < 3]
    return st.one_of(*map(st.sampled_from, (short, short, every, aces, crowded)))


@cache
def melds_through(num_ranks: int, card: int) -> st.SearchStrategy[Meld]:
    """Short melds that hold a card."""
    every = [meld for meld in all_melds(num_ranks) if len(meld) <= 4 and card in meld]
    return st.sampled_from(every)


def add_melds(deck: Deck, chosen: Iterable[Meld], most: int) -> tuple[Bag, Bag]:
    """Returns melds put together, as far as the deck has their cards.

    A card of which no real copy is left is a joker; a meld that would need one joker
    too many is left out, and so is one that makes the table too large.
    """
    real, named = Counter[int](), Counter[int]()
    for meld in chosen:
        gaps = [card for card in meld if real[card] >= deck.packs]
        size = real.total() + named.total() + len(meld)
        if named.total() + len(gaps) <= deck.jokers and size <= most:
            named.update(gaps)
            real.update(card for card in meld if card not in gaps)
    return real, named


@st.composite
def tables(
    draw: Draw, deck: Deck, fewest: int, most: int, *, legal: bool = False
) -> Table:
    """Tables of so many cards at the most: melds, give or take a card.

    Some hold the same meld twice, and one card up to four times. Few have less
    than `fewest` cards.
    """
    least = fewest // 4
    base = draw(st.lists(melds(deck.num_ranks), min_size=least, max_size=least + 8))
    kind = draw(st.sampled_from(["", "twice", "crowd"]))
    if kind == "twice" and base:
        base = [base[0], *base[: draw(st.integers(1, 4))], *base]
    if kind == "crowd":
        card = draw(st.sampled_from(deck.cards()))
        through = melds_through(deck.num_ranks, card)
        base = draw(st.lists(through, min_size=4, max_size=6)) + base
    size = most if kind == "crowd" else draw(st.integers(fewest, most)) + 2
    real, named = add_melds(deck, base, size)
    free = deck.jokers - named.total()
    for _ in range(draw(st.integers(0, free)) if real else 0):
        card = draw(st.sampled_from(sorted(+real)))
        real[card] -= 1
        named[card] += 1
    if not legal:
        disturb(draw, deck, real)
    return Table(deck, +real, named)


def disturb(draw: Draw, deck: Deck, real: Bag) -> None:
    """Takes cards off a table or puts one there; leaves a third as they are."""
    change = draw(st.sampled_from(["", "", "less", "less", "more", "both"]))
    if change in ("less", "both") and +real:
        for _ in range(draw(st.integers(1, 4))):
            if +real:
                real[draw(st.sampled_from(sorted(+real)))] -= 1
    left = deck.left(real)
    if change in ("more", "both") and left:
        real[draw(st.sampled_from(left))] += 1


def near_cards(deck: Deck, bag: Bag, left: Iterable[int]) -> list[int]:
    """Returns those of the cards left that lie beside some, in suit or in rank."""
    ranks = Counter(rank_of(card) for card in bag)
    line = deck.num_ranks
    beside = {
        card // 13 * 13 + (rank_of(card) + step) % line
        for card in bag
        for step in (-2, -1, 0, 1, 2)
    }
    return [card for card in left if card in beside or ranks[rank_of(card)] > 1]


@st.composite
def hands(draw: Draw, table: Table, most: int) -> Bag:
    """Hands of real cards: part of a meld that fits, cards close by, and any."""
    deck = table.deck
    hand = Counter[int]()
    for card in draw(st.one_of(st.just(()), melds(deck.num_ranks)))[:most]:
        hand[card] += table.real[card] < deck.packs
    for close in draw(st.lists(st.booleans(), max_size=most)):
        left = deck.left(table.real + hand)
        choice = near_cards(deck, table.real + hand, left) if close else left
        if choice and hand.total() < most:
            hand[draw(st.sampled_from(choice))] += 1
    return +hand


@st.composite
def turns(
    draw: Draw,
    fewest: int,
    most: int,
    *,
    largest_hand: int = 5,
    fewest_ranks: int = 3,
) -> Turn:
    """Turns at their start or on the way: names locked, a joker that waits."""
    deck = draw(decks(fewest_ranks))
    table = draw(tables(deck, fewest, most))
    hand = draw(hands(table, largest_hand))
    named = sorted(table.named.elements())
    pending = draw(st.sampled_from([None, None, *named]))
    if pending is not None:
        named.remove(pending)
    locked = [card for card in named if draw(st.booleans())]
    jokers = deck.jokers - table.named.total()
    return Turn(
        real=pack(table.real.elements()),
        named=pack(named),
        locked=pack(locked),
        hand=pack(hand.elements()),
        jokers=draw(st.sampled_from([0, 0, *range(jokers + 1)])),
        pending=pending,
        laid=bool(pending is not None or locked or draw(st.booleans())),
        num_ranks=deck.num_ranks,
    )


@st.composite
def positions(draw: Draw, fewest: int, most: int, fewest_ranks: int = 3) -> State:
    """States before a turn's meld, at every draw and in the lap, the table legal."""
    deck = draw(decks(fewest_ranks))
    config = config_of(draw, deck)
    table = draw(tables(deck, fewest, most, legal=True))
    own = draw(hands(table, 6))
    own[JOKER] = draw(st.integers(0, deck.jokers - table.named.total()))
    rest = draw(st.permutations(deck.left(table.real + own)))
    assume(own.total() and len(rest) > config.num_players)
    others = [
        [rest.pop() for _ in range(min(draw(st.integers(1, 6)), len(rest) // 4 + 1))]
        for _ in range(config.num_players - 1)
    ]
    lap = draw(st.sampled_from([False] * 5 + [True]))
    draws = 0 if lap else draw(st.sampled_from([0, 1, 1, 2, 2, 3]))
    size = 0 if lap else draw(st.integers(int(draws == 0), min(8, len(rest))))
    return State.from_position(
        config,
        table=table.text(),
        hands=[words(cards) for cards in [sorted(own.elements()), *others]],
        draws=draws,
        stock=words(rest[:size]),
        lap=lap,
        dealer=config.num_players - 1,
    )


def config_of(draw: Draw, deck: Deck) -> RuleConfig:
    """Returns options of a deck, with the others drawn."""
    return RuleConfig(
        num_players=draw(st.integers(2, 3)),
        packs=deck.packs,
        hand_size=1,
        num_ranks=deck.num_ranks,
        jokers_per_pack=int(deck.jokers > 0),
        knock_limit=draw(st.sampled_from([0, 5, 9])),
        target_score=draw(st.sampled_from([1, 30, 150])),
        round_bonus_to=draw(st.sampled_from(["others", "all"])),
        knock_in_last_lap=draw(st.booleans()),
        max_rounds=draw(st.sampled_from([1, 2, 100])),
    )


def words(cards: Iterable[int]) -> str:
    """Returns cards, jokers too, as a text."""
    return " ".join(card_name(card) for card in cards)
