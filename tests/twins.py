"""The same game twice: the engine's state and the reference game made from it.

Only facts are carried over (cards, seats, counters); what follows from them is for
either side to work out by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummy_env import State
from rummy_env.cards import CARD_NAMES, JOKER, NUM_CARD_TYPES, card_name
from rummy_env.config import RuleConfig
from tests.reference import integer
from tests.reference.completion import Turn
from tests.reference.game import Game
from tests.reference.melds import all_melds, pack_counts, unpack

CROWDED = 45
"""With more real cards on the table and two free jokers exact covers take long."""
LARGE = 30
"""From so many real cards on the integer program is asked instead."""


def cards_of(counts: NDArray[np.int8]) -> list[int]:
    """Returns the cards of counts, with repeats."""
    return [card for card, n in enumerate(counts.tolist()) if n for _ in range(n)]


class Twin(Game):
    """A reference game that can be told what is legal, once that was compared.

    It asks the integer program about large tables.
    """

    _assumed: str | None = None

    def is_legal(self, action: str) -> bool:
        return action == self._assumed or super().is_legal(action)

    def play(self, action: str) -> None:
        """Plays an action that is known to be legal."""
        self._assumed = action
        self.apply(action)
        self._assumed = None

    def is_crowded(self) -> bool:
        """Returns whether exact covers would take long over what is legal."""
        free = self.hands[self.player].count(JOKER) + len(self.named)
        free += (self.pending is not None) - len(self.locked)
        return free == 2 and len(self.real) > CROWDED

    def melding_actions(self) -> list[str]:
        if len(self.real) < LARGE:
            return super().melding_actions()
        return integer_actions(self.turn())


def cards_dealt(state: State) -> tuple[list[list[int]], list[int]]:
    """Returns the hands and the stock, its next card first."""
    record, count = state.record[0], state.config.num_players
    hands = [cards_of(hand) for hand in record["hands"][:count]]
    stock = record["stock"][: int(record["stock_left"])][::-1]
    return hands, [int(card) for card in stock]


def twin_of(state: State) -> Twin:
    """Returns the reference game at the same point of a round that runs."""
    record, count = state.record[0], state.config.num_players
    twin = Twin(state.config, *cards_dealt(state), int(record["dealer"]))
    twin.player, twin.draws = int(record["to_move"]), int(record["draws"])
    twin.real, twin.named = cards_of(record["table"]), cards_of(record["named"])
    twin.locked = cards_of(record["locked"])
    twin.aside = cards_of(record["aside"])
    twin.laid = int(record["num_laid"])
    twin.pending = None if record["pending"] < 0 else int(record["pending"])
    twin.turns_left = None if record["lap_left"] < 0 else int(record["lap_left"])
    twin.scores = [int(score) for score in record["scores"][:count]]
    twin.rounds_won = [int(won) for won in record["rounds_won"][:count]]
    twin.rounds_played = int(record["round"])
    return twin


def turn_of(state: State) -> Turn:
    """Returns the turn of `twin_of` without the rest of the game."""
    record = state.record[0]
    hand, pending = record["hands"][record["to_move"]], int(record["pending"])
    return Turn(
        real=packed(record["table"].tobytes()),
        named=packed(record["named"].tobytes()),
        locked=packed(record["locked"].tobytes()),
        hand=packed(hand.tobytes()),
        jokers=int(hand[JOKER]),
        pending=None if pending < 0 else pending,
        laid=bool(record["num_laid"]),
        num_ranks=state.config.num_ranks,
    )


@lru_cache(maxsize=1 << 16)
def packed(counts: bytes) -> int:
    """Returns the packed multiset of counts of a byte each."""
    return pack_counts(counts)


def outcome_of(game: Game) -> dict[str, Any] | None:
    """Returns the reference's outcome in the words of `State.outcome`."""
    return None if game.outcome is None else asdict(game.outcome)


def table_text(real: Iterable[int], named: Iterable[int]) -> str:
    """Returns cards and named jokers as text."""
    words = [CARD_NAMES[card] for card in real]
    return " ".join(words + [f"*{CARD_NAMES[card]}" for card in named])


def question_of(turn: Turn) -> dict[str, Any]:
    """Returns a turn of the oracle as arguments of `solver.playable`."""
    hand = [*unpack(turn.hand), *[JOKER] * turn.jokers]
    return {
        "table": table_text(unpack(turn.real), unpack(turn.named)),
        "hand": " ".join(card_name(card) for card in hand),
        "locked": table_text([], unpack(turn.locked)),
        "pending": None if turn.pending is None else CARD_NAMES[turn.pending],
        "num_ranks": turn.num_ranks,
    }


def integer_question(turn: Turn) -> integer.Question:
    """Returns a turn of the oracle as the integer program takes it."""
    bags = (turn.real, turn.named, turn.locked, turn.hand)
    real, named, locked, hand = (counts_in(unpack(bag)) for bag in bags)
    return integer.Question(
        real,
        named,
        locked,
        hand,
        turn.jokers,
        turn.pending,
        turn.laid,
        turn.num_ranks,
    )


def integer_actions(turn: Turn) -> list[str]:
    """Returns the legal lay, joker, take and end actions by the integer program."""
    asked = integer_question(turn)
    cards = {
        "lay": integer.lays(asked),
        "joker": integer.names(asked),
        "take": integer.takes(asked),
    }
    actions = [f"{kind} {CARD_NAMES[card]}" for kind in cards for card in cards[kind]]
    total = [real + named for real, named in zip(asked.real, asked.named, strict=True)]
    is_over = turn.laid and turn.pending is None
    can_end = is_over and integer.is_legal_table(total, turn.num_ranks)
    return ["end", *actions] if can_end else actions


def counts_in(cards: Iterable[int]) -> tuple[int, ...]:
    """Returns how often each card type is among cards, `[52]`."""
    bag = Counter(cards)
    return tuple(bag[card] for card in range(NUM_CARD_TYPES))


def is_layout_of(
    layout: Sequence[str], real: Iterable[int], named: Iterable[int], num_ranks: int
) -> bool:
    """Returns whether a layout holds just these cards, in melds (R10, R11)."""
    words = [word for meld in layout for word in meld.split()]
    melds = {frozenset(meld) for meld in all_melds(num_ranks)}
    for meld in layout:
        cards = [CARD_NAMES.index(word.lstrip("*")) for word in meld.split()]
        if len(set(cards)) < len(cards) or frozenset(cards) not in melds:
            return False
    return Counter(words) == Counter(table_text(real, named).split())


def deck_counts(config: RuleConfig) -> list[int]:
    """Returns the copies of every card in play, jokers last (R1, R2)."""
    counts = [0] * NUM_CARD_TYPES
    for suit in range(4):
        for rank in range(config.num_ranks):
            counts[suit * 13 + rank] = config.num_packs
    return [*counts, config.num_packs * config.jokers_per_pack]
