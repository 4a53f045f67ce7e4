"""What one player sees, as numbers: the table of sections and their encoder.

`SECTIONS` is the one place that says what stands where in an observation: the size,
the encoder's offsets, `observation.view` and the documentation all come from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import (
    JOKERS_AT,
    MAX_PLAYERS,
    MAX_ROUNDS_AT,
    MIN_PLAYERS,
    NUM_PLAYERS_AT,
    NUM_RANKS_AT,
    PACKS_AT,
    TARGET_SCORE_AT,
)
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.scoring import RUNNING, hand_points
from rummy_env.kernel.turn import MAX_DRAWS, NO_LAP, NOT_PENDING

# What the scalars are divided by, so that networks see numbers around one.
PER_HAND: Final = 20.0
PER_STOCK: Final = 100.0
PER_POINTS: Final = 100.0
PER_LAID: Final = 10.0
PER_TURNS: Final = 10.0
PER_ROUNDS: Final = 10.0

CARDS: Final = (NUM_SUITS, NUM_RANKS)
OPPONENT_FACTS: Final = 7


@dataclass(frozen=True)
class Section:
    """One slice of an observation.

    Attributes:
        name: Its name.
        shape: The shape it is viewed in.
        doc: What the numbers mean.
    """

    name: str
    shape: tuple[int, ...]
    doc: str

    @property
    def size(self) -> int:
        """How many numbers it takes."""
        return math.prod(self.shape)


SECTIONS: Final = (
    Section("hand", (2, *CARDS), "Own hand: at least one copy, at least two."),
    Section("table", (2, *CARDS), "Real cards on the table: at least one, two."),
    Section("named", (2, *CARDS), "Jokers on the table by name: at least one, two."),
    Section("laid", (2, *CARDS), "Real cards laid this turn: at least one, two."),
    Section("locked", (2, *CARDS), "Jokers named this turn: at least one, two."),
    Section("unseen", (2, *CARDS), "Cards neither in the own hand nor on the table."),
    Section("released", CARDS, "The name that the waiting joker gave up, if any."),
    Section("own_jokers", (1,), "Jokers in the own hand, divided by 2."),
    Section("unseen_jokers", (1,), "Jokers neither held nor named, divided by 2."),
    Section("is_acting", (1,), "1 if the observer is the one to act."),
    Section("draws", (MAX_DRAWS + 1,), "Cards drawn this turn, 0 to 3, one-hot."),
    Section("laid_any", (1,), "1 if anything was laid this turn."),
    Section("num_laid", (1,), "Cards laid this turn, divided by 10."),
    Section("is_pending", (1,), "1 if a released joker waits for a name."),
    Section("table_legal", (1,), "1 if the table is legal as it stands."),
    Section("is_lap", (1,), "1 in the last lap."),
    Section("lap_left", (1,), "Turns left in the lap, divided by the players."),
    Section("stock_left", (1,), "Cards left in the stock, divided by 100."),
    Section("own_hand_size", (1,), "Cards in the own hand, divided by 20."),
    Section("own_points", (1,), "Points in the own hand, divided by 100."),
    Section("own_score", (1,), "Own score divided by the target score."),
    Section("own_rounds_won", (1,), "Rounds the observer won, divided by 10."),
    Section(
        "opponents",
        (MAX_PLAYERS - 1, OPPONENT_FACTS),
        "Each other player in seat order after the observer: there is one; hand size "
        "(/20); draws (/3) and cards laid (/10) in the last turn; turns since the "
        "last meld (/10); score (/target); rounds won (/10).",
    ),
    Section("actor", (MAX_PLAYERS,), "Seats from the observer to who acts, one-hot."),
    Section("dealer", (MAX_PLAYERS,), "Seats from the observer to the dealer."),
    Section("round", (2,), "Rounds played (/10); part of max_rounds that is left."),
    Section("num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), "2 to 5, one-hot."),
)
SIZE: Final = sum(section.size for section in SECTIONS)
"""The length of an observation."""
OFFSETS: Final = {
    section.name: sum(before.size for before in SECTIONS[:index])
    for index, section in enumerate(SECTIONS)
}

_ONE: Final = np.float32(1.0)
_ZERO: Final = np.float32(0.0)
_HAND: Final = OFFSETS["hand"]
_TABLE: Final = OFFSETS["table"]
_NAMED: Final = OFFSETS["named"]
_LAID: Final = OFFSETS["laid"]
_LOCKED: Final = OFFSETS["locked"]
_UNSEEN: Final = OFFSETS["unseen"]
_RELEASED: Final = OFFSETS["released"]
_OWN_JOKERS: Final = OFFSETS["own_jokers"]
_UNSEEN_JOKERS: Final = OFFSETS["unseen_jokers"]
_IS_ACTING: Final = OFFSETS["is_acting"]
_DRAWS: Final = OFFSETS["draws"]
_LAID_ANY: Final = OFFSETS["laid_any"]
_NUM_LAID: Final = OFFSETS["num_laid"]
_IS_PENDING: Final = OFFSETS["is_pending"]
_TABLE_LEGAL: Final = OFFSETS["table_legal"]
_IS_LAP: Final = OFFSETS["is_lap"]
_LAP_LEFT: Final = OFFSETS["lap_left"]
_STOCK_LEFT: Final = OFFSETS["stock_left"]
_OWN_HAND_SIZE: Final = OFFSETS["own_hand_size"]
_OWN_POINTS: Final = OFFSETS["own_points"]
_OWN_SCORE: Final = OFFSETS["own_score"]
_OWN_ROUNDS_WON: Final = OFFSETS["own_rounds_won"]
_OPPONENTS: Final = OFFSETS["opponents"]
_ACTOR: Final = OFFSETS["actor"]
_DEALER: Final = OFFSETS["dealer"]
_ROUND: Final = OFFSETS["round"]
_NUM_PLAYERS: Final = OFFSETS["num_players"]


@kernel
def encode(state: Any, config: Any, player: int, out: Any) -> None:
    """Writes all that a player sees of a game, at any time.

    Public facts and the player's own hand, nothing else (R8).

    Args:
        state: The game.
        config: The options.
        player: Who asks.
        out: Float32 `[SIZE]`, overwritten.
    """
    out[:] = 0.0
    _encode_cards(state, config, player, out)
    _encode_turn(state, config, player, out)
    _encode_player(state, config, player, out)
    for distance in range(1, config[NUM_PLAYERS_AT]):
        _encode_opponent(state, config, player, distance, out)


@kernel
def _mark_all(planes: Any, counts: Any) -> None:
    """Writes of each card whether there is at least one copy, and at least two.

    Without branches, and where indices are seen not to be negative, so that the
    compiler does many cards at once.
    """
    for card in range(NUM_CARD_TYPES):
        planes[card] = _ONE if counts[card] > 0 else _ZERO
        planes[NUM_CARD_TYPES + card] = _ONE if counts[card] > 1 else _ZERO


@kernel
def _encode_cards(state: Any, config: Any, player: int, out: Any) -> None:
    """Writes the planes of cards."""
    hand, table, named = state["hands"][player], state["table"], state["named"]
    _mark_all(out[_HAND:], hand)
    _mark_all(out[_TABLE:], table)
    _mark_all(out[_NAMED:], named)
    _mark_all(out[_LAID:], state["laid"])
    _mark_all(out[_LOCKED:], state["locked"])
    packs, num_ranks = config[PACKS_AT], config[NUM_RANKS_AT]
    jokers = config[JOKERS_AT] - hand[JOKER]
    for card in range(NUM_CARD_TYPES):
        unseen = packs - hand[card] - table[card]
        out[_UNSEEN + card] = _ONE if unseen > 0 else _ZERO
        out[_UNSEEN + NUM_CARD_TYPES + card] = _ONE if unseen > 1 else _ZERO
        jokers -= named[card]
    for suit in range(NUM_SUITS):
        for rank in range(num_ranks, NUM_RANKS):
            card = suit * NUM_RANKS + rank
            out[_UNSEEN + card] = 0.0
            out[_UNSEEN + NUM_CARD_TYPES + card] = 0.0
    if state["pending"] != NOT_PENDING:
        out[_RELEASED + int(state["pending"])] = 1.0
        jokers -= 1
    out[_OWN_JOKERS] = hand[JOKER] / 2.0
    out[_UNSEEN_JOKERS] = jokers / 2.0


@kernel
def _encode_turn(state: Any, config: Any, player: int, out: Any) -> None:
    """Writes where the turn, the lap and the game stand."""
    num_players = config[NUM_PLAYERS_AT]
    if state["to_move"] == player and state["ended"] == RUNNING:
        out[_IS_ACTING] = 1.0
    out[_DRAWS + int(state["draws"])] = 1.0
    out[_LAID_ANY] = 1.0 if state["num_laid"] > 0 else 0.0
    out[_NUM_LAID] = state["num_laid"] / PER_LAID
    out[_IS_PENDING] = 1.0 if state["pending"] != NOT_PENDING else 0.0
    out[_TABLE_LEGAL] = state["table_legal"]
    if state["lap_left"] != NO_LAP:
        out[_IS_LAP] = 1.0
        out[_LAP_LEFT] = state["lap_left"] / num_players
    out[_STOCK_LEFT] = state["stock_left"] / PER_STOCK
    out[_ACTOR + (state["to_move"] - player) % num_players] = 1.0
    out[_DEALER + (state["dealer"] - player) % num_players] = 1.0
    rounds = config[MAX_ROUNDS_AT]
    out[_ROUND] = state["round"] / PER_ROUNDS
    out[_ROUND + 1] = (rounds - state["round"]) / rounds
    out[_NUM_PLAYERS + num_players - MIN_PLAYERS] = 1.0


@kernel
def hand_size(hand: Any) -> int:
    """Returns the number of cards in a hand of counts, `[53]`."""
    size = 0
    for card in range(NUM_CARD_TYPES + 1):
        size += hand[card]
    return size


@kernel
def _encode_player(state: Any, config: Any, player: int, out: Any) -> None:
    """Writes the facts about the observer."""
    hand = state["hands"][player]
    out[_OWN_HAND_SIZE] = hand_size(hand) / PER_HAND
    out[_OWN_POINTS] = hand_points(hand) / PER_POINTS
    out[_OWN_SCORE] = state["scores"][player] / config[TARGET_SCORE_AT]
    out[_OWN_ROUNDS_WON] = state["rounds_won"][player] / PER_ROUNDS


@kernel
def _encode_opponent(
    state: Any, config: Any, player: int, distance: int, out: Any
) -> None:
    """Writes the facts about the player so many seats after the observer."""
    other = (player + distance) % config[NUM_PLAYERS_AT]
    at = _OPPONENTS + (distance - 1) * OPPONENT_FACTS
    out[at] = 1.0
    out[at + 1] = hand_size(state["hands"][other]) / PER_HAND
    out[at + 2] = state["last_draws"][other] / MAX_DRAWS
    out[at + 3] = state["last_laid"][other] / PER_LAID
    out[at + 4] = state["turns_since_meld"][other] / PER_TURNS
    out[at + 5] = state["scores"][other] / config[TARGET_SCORE_AT]
    out[at + 6] = state["rounds_won"][other] / PER_ROUNDS
