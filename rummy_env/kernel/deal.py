"""Chance: a counter-based generator and the deals made from it.

A deal is a function of the game's seed and the round's index, nothing else, on every
platform: whatever was played, the same round of the same seed brings the same cards.
The generator hashes (seed, stream, counter) with the finaliser of SplitMix64 (Steele,
Lea and Flood 2014, "Fast splittable pseudorandom number generators"). This is the one
module that uses unsigned words.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from rummy_env.config import (
    HAND_SIZE_AT,
    JOKERS_AT,
    NUM_PLAYERS_AT,
    NUM_RANKS_AT,
    PACKS_AT,
)
from rummy_env.kernel.jit import add, entry, kernel, multiply

NO_CARD: Final = -1
"""Stands in the stock's array where a card has been drawn."""

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)
_SHIFT_30: Final = np.uint64(30)
_SHIFT_27: Final = np.uint64(27)
_SHIFT_31: Final = np.uint64(31)
_SHIFT_32: Final = np.uint64(32)
_SHIFT_1: Final = np.uint64(1)
_SPAN: Final = 1 << 32

DEALER_STREAM: Final = 1 << 62
"""The stream of the first dealer; deals use the round's index, from 0."""
EPISODE_STREAM: Final = DEALER_STREAM + 1
"""The stream of episode seeds."""
POSITION_STREAM: Final = DEALER_STREAM + 2
"""The stream of cards dealt into a made-up position."""


@kernel
def _mix(word: Any) -> Any:
    """Returns the word scrambled, one to one."""
    word = multiply(word ^ (word >> _SHIFT_30), _MIX_1)
    word = multiply(word ^ (word >> _SHIFT_27), _MIX_2)
    return word ^ (word >> _SHIFT_31)


@kernel
def stream_key(seed: int, stream: int) -> Any:
    """Returns the key, uint64, of one stream of words of a seed."""
    key = _mix(add(np.uint64(seed), _GOLDEN))
    return _mix(add(key, multiply(np.uint64(stream), _MIX_1)))


@kernel
def _half_word(key: Any, counter: int) -> int:
    """Returns 32 random bits as an int64."""
    word = _mix(add(key, multiply(np.uint64(counter + 1), _GOLDEN)))
    return int(np.int64(word >> _SHIFT_32))


@kernel
def below(key: Any, counter: int, bound: int) -> tuple[int, int]:
    """Returns an unbiased number from 0 to `bound - 1`, and the next counter.

    Rejection as in Lemire 2019, "Fast random integer generation in an interval".
    """
    threshold = _SPAN % bound
    while True:
        product = _half_word(key, counter) * bound
        counter += 1
        if product % _SPAN >= threshold:
            return product // _SPAN, counter


@entry
def episode_seed(seed: int, row: int, episode: int) -> int:
    """Returns the seed, from 0 to 2**63 - 1, of an episode in a row of many games.

    Args:
        seed: The seed of the whole.
        row: The row; an environment with a single game is row 0.
        episode: How many episodes were begun in this row before.
    """
    key = add(stream_key(seed, EPISODE_STREAM), multiply(np.uint64(row), _MIX_2))
    word = _mix(add(_mix(key), multiply(np.uint64(episode), _GOLDEN)))
    return int(np.int64(word >> _SHIFT_1))


@kernel
def shuffle(cards: Any, count: int, key: Any) -> None:
    """Puts the first `count` cards of an array in random order (Fisher-Yates)."""
    counter = 0
    for last in range(count - 1, 0, -1):
        other, counter = below(key, counter, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card


@entry
def shuffle_for(cards: Any, seed: int, stream: int) -> None:
    """Puts an array of cards in the random order of a seed and a stream."""
    shuffle(cards, len(cards), stream_key(seed, stream))


@kernel
def first_dealer(seed: int, num_players: int) -> int:
    """Returns the dealer of the first round (R4)."""
    dealer, _ = below(stream_key(seed, DEALER_STREAM), 0, num_players)
    return dealer


@kernel
def _fill_deck(cards: Any, config: Any) -> int:
    """Writes all cards in play into an array in a fixed order (R1, R2).

    Returns:
        How many there are.
    """
    count = 0
    for _ in range(config[PACKS_AT]):
        for suit in range(NUM_SUITS):
            for rank in range(config[NUM_RANKS_AT]):
                cards[count] = suit * NUM_RANKS + rank
                count += 1
    for _ in range(config[JOKERS_AT]):
        cards[count] = JOKER
        count += 1
    return count


@kernel
def deal_cards(state: Any, config: Any) -> None:
    """Shuffles all cards for the state's seed and round, and deals (R4).

    The stock is an array whose next card is the last one left.
    """
    stock = state["stock"]
    stock[:] = NO_CARD
    state["hands"][:] = 0
    state["aside"][:] = 0
    count = _fill_deck(stock, config)
    shuffle(stock, count, stream_key(state["seed"], state["round"]))
    for _ in range(config[HAND_SIZE_AT]):
        for player in range(config[NUM_PLAYERS_AT]):
            count -= 1
            state["hands"][player, stock[count]] += 1
            stock[count] = NO_CARD
    state["stock_left"] = count
