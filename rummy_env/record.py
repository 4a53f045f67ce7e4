"""The record of a game: all that is true now, in a few hundred bytes.

A game is one record of `STATE`, many games are an array of it: copying, comparing,
hashing and storing a game is doing so with its bytes. There is no history, no layout
of the table (R14) and nothing that could be worked out at no cost.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import NUM_CARD_TYPES
from rummy_env.config import MAX_CARDS, MAX_PLAYERS

STATE: Final = np.dtype(
    [
        ("seed", np.int64),
        ("round", np.int32),  # index, from 0
        ("scores", np.int32, (MAX_PLAYERS,)),  # of the rounds ended so far
        ("rounds_won", np.int32, (MAX_PLAYERS,)),
        ("turns_since_meld", np.int32, (MAX_PLAYERS,)),  # own turns this round
        # set when the round ends
        ("points", np.int32, (MAX_PLAYERS,)),  # in each hand
        ("round_scores", np.int32, (MAX_PLAYERS,)),
        ("totals", np.int32, (MAX_PLAYERS,)),  # with end-of-game bonuses, if any
        # cards, as counts
        ("hands", np.int8, (MAX_PLAYERS, NUM_CARD_TYPES + 1)),
        ("table", np.int8, (NUM_CARD_TYPES,)),  # real cards
        ("named", np.int8, (NUM_CARD_TYPES,)),  # jokers, by name
        ("locked", np.int8, (NUM_CARD_TYPES,)),  # those of them named this turn
        ("laid", np.int8, (NUM_CARD_TYPES,)),  # real cards laid this turn
        ("stock", np.int8, (MAX_CARDS,)),  # the next card is the last one left
        ("stock_left", np.int8),
        # the turn
        ("dealer", np.int8),
        ("to_move", np.int8),
        ("draws", np.int8),
        ("num_laid", np.int8),  # cards laid this turn, jokers from the hand included
        ("pending", np.int8),  # the name a released joker gave up, or -1
        ("lap_left", np.int8),  # turns left in the last lap, this one included, or -1
        ("table_legal", np.int8),  # derivable; kept because a look costs a search
        ("last_draws", np.int8, (MAX_PLAYERS,)),  # in each player's last turn
        ("last_laid", np.int8, (MAX_PLAYERS,)),
        # the end
        ("ended", np.int8),  # how the round ended, 0 while it runs
        ("by", np.int8),  # who knocked or went out, or -1
        ("winners", np.int8),  # of the round, a bit for each player
        ("game_over", np.int8),  # 0 running, 1 over, 2 truncated
        ("game_winners", np.int8),  # a bit for each player
    ]
)
"""The fields of a game; no padding bytes."""


def new_states(count: int = 1) -> NDArray[Any]:
    """Returns blank records, `[count]`: nothing is dealt yet."""
    return np.zeros(count, dtype=STATE)
