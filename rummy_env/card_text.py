"""Tables and hands as people write them, counted, and layouts as text.

Cards are written as in `cards`: a table is a list of melds, `["5c 6c *7c"]`, or cards
in any order, `"5c 6c *7c"`, since how they are laid out does not matter (R14); a hand
is a text, `"7c 8c *"`, or several.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import (
    CARD_NAMES,
    JOKER_MARK,
    NUM_CARD_TYPES,
    NUM_RANKS,
    card_name,
    format_meld,
    parse_card,
    parse_meld,
    rank_of,
    suit_of,
)
from rummy_env.config import FIRST_HIGH_ACE_RANKS, MAX_JOKERS, MAX_PACKS
from rummy_env.errors import NotationError, PositionError

Table: TypeAlias = str | Iterable[str]
"""Cards as one text, or as a list of melds."""
Hand: TypeAlias = str | Iterable[str]
Meld: TypeAlias = list[tuple[int, bool]]
"""Cards of a meld, each with whether a joker stands for it."""
_Left: TypeAlias = tuple[list[int], list[int]]
"""Real cards and jokers by name that are still to be placed."""


def card_texts(cards: Table) -> list[str]:
    """Returns a text of cards, or several, as a list.

    Raises:
        NotationError: It is neither.
    """
    if isinstance(cards, str):
        return [cards]
    try:
        texts = list(cards)
    except TypeError:
        found = type(cards).__name__
        raise NotationError(
            f"cards are a text such as '7c 8c' or a list of such texts, not {found}"
        ) from None
    for text in texts:
        if not isinstance(text, str):
            raise NotationError(
                f"cards are texts such as '7c 8c', not {type(text).__name__}"
            )
    return texts


class _Words:
    """The words that a text may hold, each with the place where it is counted.

    Args:
        places: The words and their places.
        parse: What refuses any other word and says why.
    """

    def __init__(self, places: dict[str, int], parse: Callable[[str], Any]) -> None:
        self._places = places
        self._parse = parse

    def places(self, cards: Table) -> list[int]:
        """Returns the places of the words of a text, or of several."""
        words, places = " ".join(card_texts(cards)).split(), self._places
        with contextlib.suppress(KeyError):
            return [places[word] for word in words]
        for word in words:
            self._parse(word)
        raise AssertionError("not reached: one of the words is no card")


_HAND_AT: Final = 2 * NUM_CARD_TYPES
_NUM_PLACES: Final = _HAND_AT + NUM_CARD_TYPES + 1
_ON_TABLE: Final = _Words(
    {
        mark + name: card + NUM_CARD_TYPES * len(mark)
        for mark in ("", JOKER_MARK)
        for card, name in enumerate(CARD_NAMES)
    },
    parse_meld,
)
"""Real cards first, then jokers by name."""
_IN_HAND: Final = _Words(
    {name: _HAND_AT + card for card, name in enumerate((*CARD_NAMES, JOKER_MARK))},
    parse_card,
)


def _count(places: list[int]) -> NDArray[np.int64]:
    """Returns how often each place is named, int64 `[157]`."""
    return np.bincount(np.array(places, dtype=np.int64), minlength=_NUM_PLACES)


def table_counts(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the real cards and the named jokers of a table, int64 `[52]` each.

    Raises:
        NotationError: A word is no card, or a joker has no name.
    """
    counts = _count(_ON_TABLE.places(table))
    return counts[:NUM_CARD_TYPES], counts[NUM_CARD_TYPES:_HAND_AT]


def hand_counts(hand: Hand) -> NDArray[np.int64]:
    """Returns a hand as counts, int64 `[53]`, jokers last.

    Raises:
        NotationError: A word is no card.
    """
    return _count(_IN_HAND.places(hand))[_HAND_AT:]


def question_counts(table: Table, hand: Hand) -> NDArray[np.int64]:
    """Returns a table and a hand as counts, as `kernel.calls.ask` takes them.

    In less time than one after the other.

    Returns:
        Real cards on the table, jokers there by name, the hand, jokers last, int64
        `[157]`.

    Raises:
        NotationError: A word is no card, or a joker on the table has no name.
    """
    return _count(_ON_TABLE.places(table) + _IN_HAND.places(hand))


_RANKS_OF_CARDS: Final = np.arange(NUM_CARD_TYPES) % NUM_RANKS


def check_counts(
    real: NDArray[Any], jokers: int, num_ranks: int, packs: int = MAX_PACKS
) -> None:
    """Refuses cards that no packs hold.

    Args:
        real: Copies of each card type, in hands and on the table, `[52]`.
        jokers: Jokers anywhere.
        num_ranks: Ranks in play.
        packs: Packs in play.

    Raises:
        PositionError: Too many copies of a card, one that is not in play, or more than
            two jokers, however many packs.
    """
    is_wrong = real > packs
    if num_ranks < NUM_RANKS:
        is_wrong |= (real > 0) & (num_ranks <= _RANKS_OF_CARDS)
    if np.count_nonzero(is_wrong):
        card = int(is_wrong.argmax())
        name = card_name(card)
        if rank_of(card) >= num_ranks:
            raise PositionError(f"{name} is not in play with num_ranks={num_ranks}")
        raise PositionError(
            f"{int(real[card])} copies of {name}, but {packs} pack(s) in play"
        )
    if jokers > MAX_JOKERS:
        raise PositionError(f"{jokers} jokers, but there are two at most")


def _is_meld(cards: Sequence[int], num_ranks: int) -> bool:
    """Tells whether cards, a run from its low end, form a meld (R10, R11)."""
    ranks = [rank_of(card) for card in cards]
    suits = {suit_of(card) for card in cards}
    if len(cards) < 3:
        return False
    if len(set(ranks)) == 1:
        return len(suits) == len(cards)
    if num_ranks >= FIRST_HIGH_ACE_RANKS and ranks[-1] == 0:
        ranks[-1] = num_ranks
    is_run = ranks == list(range(ranks[0], ranks[0] + len(ranks)))
    return is_run and len(suits) == 1 and len(set(cards)) == len(cards)


def parse_layout(layout: Iterable[str], num_ranks: int) -> list[Meld]:
    """Returns the melds among the texts of a layout; what is none is left out.

    Raises:
        NotationError: A word is no card.
    """
    melds = [parse_meld(text) for text in card_texts(layout)]
    return [m for m in melds if _is_meld([card for card, _ in m], num_ranks)]


def _keep_as_was(meld: list[int], old: list[Meld], left: _Left) -> Meld | None:
    """Returns a meld as it lay before, and uses it up; None if it can not lie so."""
    for before in old:
        if [card for card, _ in before] == meld:
            if all(left[is_joker][card] > 0 for card, is_joker in before):
                for card, is_joker in before:
                    left[is_joker][card] -= 1
                old.remove(before)
                return before
    return None


def format_layout(
    melds: list[list[int]], real: NDArray[Any], named: NDArray[Any], old: list[Meld]
) -> list[str]:
    """Returns a layout as texts, with jokers in it.

    Copies of a card are alike, so which of them is the joker is free: a meld that
    stands stays as it was, for the eye.

    Args:
        melds: Card types, each meld from its low end.
        real: Real cards, `[52]`.
        named: Jokers by name, `[52]`.
        old: The layout before; what is found again is taken out of it.
    """
    names = named.tolist()
    if not any(names):
        return [" ".join([CARD_NAMES[card] for card in meld]) for meld in melds]
    left = real.tolist(), names
    layout = [_keep_as_was(meld, old, left) if old else None for meld in melds]
    return [
        _place_jokers(meld, names) if before is None else format_meld(before)
        for meld, before in zip(melds, layout, strict=True)
    ]


def _place_jokers(meld: list[int], names: list[int]) -> str:
    """Returns a meld as text, jokers for the cards that still have any, used up."""
    words = []
    for card in meld:
        is_joker = names[card] > 0
        names[card] -= is_joker
        words.append(JOKER_MARK + CARD_NAMES[card] if is_joker else CARD_NAMES[card])
    return " ".join(words)
