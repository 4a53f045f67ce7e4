"""Cards: their numbers, their names and their points.

A card type is the integer `suit * 13 + rank` (R2); the joker is card 52. Text is
rank then suit, `7h` or `Td`; a joker is `*`, a joker named seven of hearts `*7h`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from rummy_env.errors import NotationError

SUITS: Final = "cdhs"
RANKS: Final = "A23456789TJQK"
NUM_SUITS: Final = len(SUITS)
NUM_RANKS: Final = len(RANKS)
NUM_CARD_TYPES: Final = NUM_SUITS * NUM_RANKS
JOKER: Final = NUM_CARD_TYPES
"""The joker's index in a hand of `[53]` counts."""

JOKER_POINTS: Final = 25
RANK_POINTS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
POINTS: Final = np.array(RANK_POINTS * NUM_SUITS + (JOKER_POINTS,), dtype=np.int64)
"""Points in hand of each card type and of the joker (R3), `[53]`."""
POINTS.flags.writeable = False

JOKER_MARK: Final = "*"
CARD_NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
_CARD_OF_NAME: Final = {name: card for card, name in enumerate(CARD_NAMES)}


def suit_of(card: int) -> int:
    """Returns the suit of a card type, 0 to 3 for clubs, diamonds, hearts, spades."""
    return card // NUM_RANKS


def rank_of(card: int) -> int:
    """Returns the rank of a card type, 0 to 12 for ace to king."""
    return card % NUM_RANKS


def card_name(card: int) -> str:
    """Returns the text of a card type, `"7h"`, or `"*"` for the joker."""
    return JOKER_MARK if card == JOKER else CARD_NAMES[card]


def parse_card(text: str) -> int:
    """Returns the card type of `"7h"`, or `JOKER` for `"*"`.

    Raises:
        NotationError: The text is no card.
    """
    if text == JOKER_MARK:
        return JOKER
    card = _CARD_OF_NAME.get(text) if isinstance(text, str) else None
    if card is None:
        raise NotationError(
            f"{str(text)[:20]!r} is no card: write a rank of {RANKS} and a suit of "
            f"{SUITS}, as in '7h' or 'Td', or '{JOKER_MARK}' for a joker"
        )
    return card


def parse_hand(text: str) -> list[int]:
    """Returns the cards of `"7c 8c *"` in the order written.

    Raises:
        NotationError: A word of it is no card.
    """
    return [parse_card(word) for word in text.split()]


def parse_meld(text: str) -> list[tuple[int, bool]]:
    """Returns the cards of `"5c 6c *7c"`, each with whether a joker stands for it.

    Whether they form a meld is not checked.

    Raises:
        NotationError: A word of it is no card, or a joker without a name.
    """
    cards = []
    for word in text.split():
        named = word.removeprefix(JOKER_MARK)
        if not named:
            raise NotationError("a joker on the table needs a name, as in '*7c'")
        card = parse_card(named)
        if card == JOKER:
            raise NotationError(f"{word[:20]!r} is no card and no joker's name")
        cards.append((card, named != word))
    return cards


def format_hand(counts: Sequence[int] | np.ndarray) -> str:
    """Returns the text of a hand, by suit and rank, jokers last.

    Args:
        counts: Copies of each card type and, last, of the joker, `[53]`.
    """
    return " ".join(
        card_name(card) for card, count in enumerate(counts) for _ in range(int(count))
    )


def format_meld(meld: Iterable[tuple[int, bool]]) -> str:
    """Returns the text of a meld, jokers marked: the reverse of `parse_meld`."""
    return " ".join(
        (JOKER_MARK if is_joker else "") + CARD_NAMES[card] for card, is_joker in meld
    )
