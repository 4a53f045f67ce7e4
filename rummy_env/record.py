"""The record of a game: all that is true now, in a few hundred bytes.

A game is one record of `STATE`, many games are an array of it: copying, comparing,
hashing and storing a game is doing so with its bytes. There is no history, no layout
of the table (R14) and nothing that could be worked out at no cost.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import JOKER, NUM_CARD_TYPES, card_name, rank_of
from rummy_env.config import MAX_CARDS, MAX_PLAYERS, RuleConfig
from rummy_env.kernel import calls
from rummy_env.kernel.calls import new_workspaces
from rummy_env.kernel.deal import NO_CARD
from rummy_env.kernel.scoring import (
    BY_GOING_OUT,
    BY_KNOCK,
    BY_LAP,
    RUNNING,
    hand_points,
    score_round,
    total_game,
)
from rummy_env.kernel.turn import (
    GAME_OVER,
    GAME_RUNNING,
    GAME_TRUNCATED,
    MAX_DRAWS,
    NO_LAP,
    NOBODY,
    NOT_PENDING,
)

MAX_SCORE: Final = 10**9
MAX_ROUNDS_WON: Final = 10**7
"""Limits that keep totals within 32 bits."""

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
        ("aside", np.int8, (NUM_CARD_TYPES + 1,)),  # out of play, in made-up positions
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


def copied(states: NDArray[Any]) -> NDArray[Any]:
    """Returns a copy of records: NumPy's own goes field by field, ten times slower."""
    copy = np.empty_like(states)
    copy.view(np.uint8)[:] = states.view(np.uint8)
    return copy


def packs_of(states: NDArray[Any]) -> int:
    """Returns how many packs the cards of games could be of, 1 or 2.

    Sound games with two packs seldom need both; unsound ones with one pack may.

    Args:
        states: Games, `[N]`.
    """
    hands = states["hands"].sum(axis=1, dtype=np.int64)
    jokers = hands[:, JOKER] + states["named"].sum(axis=1, dtype=np.int64)
    jokers += states["pending"] != NOT_PENDING
    is_one_pack = (hands[:, :JOKER] + states["table"] <= 1).all() and (
        jokers <= 1
    ).all()
    return 1 if is_one_pack else 2


def problems(
    states: NDArray[Any], config: RuleConfig, works: NDArray[Any] | None = None
) -> list[str]:
    """Returns all that is wrong with a record, in words; nothing if it is sound.

    Args:
        states: The game, `[1]`.
        config: Its options.
        works: A workspace, `[1]`, for so many packs, if one is at hand: to make one
            takes as long as the rest.
    """
    state = states[0]
    if works is None:
        works = new_workspaces(packs=config.num_packs)
    wrong_cards = _card_problems(state, config)
    return [
        *wrong_cards,
        *_turn_problems(state, config),
        *_past_problems(state, config),
        # a table of cards that there are not is no question for the kernels
        *([] if wrong_cards else _table_problems(states, config, works)),
        *_end_problems(state, config),
    ]


def _card_problems(state: Any, config: RuleConfig) -> list[str]:
    """Returns what is wrong with the cards: lost, doubled or in no place."""
    found = []
    stock, left = state["stock"], int(state["stock_left"])
    if not 0 <= left <= len(stock) or (stock[left:] != NO_CARD).any():
        found.append("drawn cards are still in the stock")
    if (stock[:left] < 0).any() or (stock[:left] > JOKER).any():
        found.append("the stock holds what is no card")
        return found
    total = np.bincount(stock[:left], minlength=JOKER + 1)
    total = total + state["hands"].sum(axis=0, dtype=np.int64) + state["aside"]
    total[:JOKER] += state["table"]
    total[JOKER] += state["named"].sum(dtype=np.int64)
    total[JOKER] += state["pending"] != NOT_PENDING
    expected = _cards_in_play(config)
    for wrong in np.flatnonzero(total != expected).tolist():
        found.append(
            f"{card_name(wrong)}: {total[wrong]} copies instead of {expected[wrong]}"
        )
    for name in ("hands", "table", "named", "locked", "laid", "aside"):
        if (state[name] < 0).any():
            found.append(f"{name} holds a negative count")
    if state["hands"][config.num_players :].any():
        found.append("a seat without a player holds cards")
    if state["ended"] == RUNNING:
        for player in range(config.num_players):
            if player != state["to_move"] and not state["hands"][player].any():
                found.append(f"player {player} has no card left, and the round goes on")
    return found


@lru_cache(maxsize=64)
def _cards_in_play(config: RuleConfig) -> NDArray[np.int64]:
    """Returns the copies of every card, jokers last, int64 `[53]`, to be read only."""
    copies = np.zeros(JOKER + 1, dtype=np.int64)
    for card in range(JOKER):
        copies[card] = config.num_packs * (rank_of(card) < config.num_ranks)
    copies[JOKER] = config.num_jokers
    return copies


def _turn_problems(state: Any, config: RuleConfig) -> list[str]:
    """Returns what is wrong with the turn."""
    found = []
    seats = range(config.num_players)
    for name, most in (("scores", MAX_SCORE), ("rounds_won", MAX_ROUNDS_WON)):
        if (state[name] < 0).any() or (state[name] > most).any():
            found.append(f"{name} are not from 0 to {most}")
    if not 0 <= state["round"] < config.max_rounds:
        found.append(f"round {state['round']} is not among {config.max_rounds}")
    if state["to_move"] not in seats or state["dealer"] not in seats:
        found.append("a seat has no player")
    if not 0 <= state["draws"] <= MAX_DRAWS:
        found.append("more than three draws")
    lap = int(state["lap_left"])
    if lap != NO_LAP and not 1 <= lap <= config.num_players:
        found.append("the lap has more turns than players")
    is_stuck = state["draws"] == 0 and state["stock_left"] == 0
    if lap == NO_LAP and is_stuck and state["ended"] == RUNNING:
        found.append("nothing is drawn yet, but the stock is empty")
    if (state["locked"] > state["named"]).any():
        found.append("a locked name is not on the table")
    if (state["laid"] > state["table"]).any():
        found.append("a card laid this turn is not on the table")
    laid = state["laid"].sum(dtype=np.int64)
    if state["num_laid"] < laid:
        found.append("more cards were laid than were counted")
    if state["num_laid"] > laid + state["locked"].sum(dtype=np.int64):
        found.append("more cards were counted as laid than were")
    if state["num_laid"] == 0 and state["pending"] != NOT_PENDING:
        found.append("a joker was released before a card was laid")
    if lap == NO_LAP and state["draws"] == 0 and state["num_laid"] > 0:
        found.append("cards were laid before the draw")
    if state["draws"] == MAX_DRAWS and state["num_laid"] > 0:
        found.append("cards were laid after the third draw")
    if lap != NO_LAP and state["draws"] > 0:
        found.append("nobody draws in the last lap")
    for card in np.flatnonzero(state["named"]):
        if rank_of(int(card)) >= config.num_ranks:
            found.append(f"a joker is named {card_name(int(card))}, not in play")
    return found


def _past_problems(state: Any, config: RuleConfig) -> list[str]:
    """Returns what is wrong with what everybody saw of past turns (R8)."""
    found = []
    count = config.num_players
    for name in ("turns_since_meld", "last_draws", "last_laid"):
        if state[name][count:].any():
            found.append(f"{name} tells of a seat without a player")
    for player in range(count):
        found += _last_turn_problems(state, player, count)
        found += _pass_problems(state, player, count)
    is_over = state["ended"] != RUNNING
    laid = state["last_laid"].sum(dtype=np.int64)
    laid += 0 if is_over else state["num_laid"]
    on_table = state["table"].sum(dtype=np.int64) + state["named"].sum(dtype=np.int64)
    if laid > on_table + (state["pending"] != NOT_PENDING):
        found.append("more cards were laid than the table holds")
    mover = int(state["to_move"]) % count
    for last, now in (("last_draws", "draws"), ("last_laid", "num_laid")):
        if is_over and state[last][mover] != state[now]:
            found.append(f"{last} is not that of the last turn")
    return found


def _last_turn_problems(state: Any, player: int, count: int) -> list[str]:
    """Returns what a player's last turn cannot have been (R6, R9, R20)."""
    draws, laid = int(state["last_draws"][player]), int(state["last_laid"][player])
    turns = int(state["turns_since_meld"][player])
    found = []
    if not 0 <= draws <= MAX_DRAWS:
        found.append(f"player {player} drew {draws} cards in one turn")
    if laid < 0:
        found.append(f"player {player} laid {laid} cards")
    if laid > 0 and draws == MAX_DRAWS:
        found.append(f"player {player} melded after the third draw")
    if laid > 0 and turns != 0:
        found.append(f"player {player} melded, but {turns} turns ago")
    if laid == 0 and draws > 0 and turns == 0:
        found.append(f"player {player} passed, but 0 turns ago melded")
    if laid == 0 and 0 < draws < MAX_DRAWS and state["stock_left"] > 0:
        found.append(f"player {player} passed after {draws} draws, with a stock")
    was_turn = laid != 0 or turns != 0
    if draws == 0 and was_turn and not _had_lap_turn(state, player, count):
        found.append(f"player {player} had a turn without a draw before the last lap")
    return found


def _had_lap_turn(state: Any, player: int, count: int) -> bool:
    """Tells whether a player's turn in the last lap is over (R20)."""
    if state["lap_left"] == NO_LAP:
        return False
    turns_over = count - int(state["lap_left"]) + int(state["ended"] != RUNNING)
    # seats back from the last of them
    last = int(state["to_move"]) - int(state["ended"] == RUNNING)
    return (last - player) % count < turns_over


def _pass_problems(state: Any, player: int, count: int) -> list[str]:
    """Returns whether a player passed more often than the hand tells of.

    A pass brings three cards (R6), and cards leave a hand by a meld only. Exempt are
    the turn that a made-up position began in, the one that took the last of the stock
    (R9), which brought one at least, and the one of the last lap (R20).
    """
    passes = int(state["turns_since_meld"][player])
    cards = int(state["hands"][player].sum(dtype=np.int64))
    is_running = state["ended"] == RUNNING
    if is_running and state["to_move"] == player:  # as it was before this turn
        cards += int(state["num_laid"]) - int(state["draws"])
    most = 1 + (cards - 1) // MAX_DRAWS
    if state["lap_left"] != NO_LAP or (state["stock_left"] == 0 and not is_running):
        most = 2 + (cards - 2) // MAX_DRAWS
    most += _had_lap_turn(state, player, count)
    if 0 <= passes <= max(0, most):
        return []
    return [f"player {player} has passed {passes} times with {cards} cards"]


def _table_problems(
    states: NDArray[Any], config: RuleConfig, works: NDArray[Any]
) -> list[str]:
    """Returns what is wrong with the table."""
    state = states[0]
    is_pending = state["pending"] != NOT_PENDING
    work = works[0]
    work["table"], work["named"] = state["table"], state["named"]
    work["num_ranks"] = config.num_ranks
    is_legal = bool(calls.is_table_legal(works)) and not is_pending
    found = []
    if bool(state["table_legal"]) != is_legal:
        found.append(f"the table is noted as legal: {bool(state['table_legal'])}")
    if not is_legal and (state["num_laid"] == 0 or state["ended"] != RUNNING):
        found.append("the table is not legal, though no meld is under way")
    mover = int(state["to_move"])
    is_empty = mover in range(MAX_PLAYERS) and not state["hands"][mover].any()
    if state["ended"] == RUNNING and is_empty and is_legal:
        found.append("the player to move has no card left, and the round goes on")
    return found


def _end_problems(state: Any, config: RuleConfig) -> list[str]:
    """Returns what is wrong with the end of a round that is over."""
    found: list[str] = []
    count, seats = config.num_players, range(config.num_players)
    is_over = state["game_over"] != GAME_RUNNING
    if state["ended"] == RUNNING:
        is_clean = not (is_over or state["winners"] or state["game_winners"])
        if not is_clean or state["by"] != NOBODY:
            found.append("a round that runs has been won or ended")
        return found
    if state["ended"] not in (BY_KNOCK, BY_GOING_OUT, BY_LAP):
        return [f"there is no ending {state['ended']}"]
    if state["by"] not in (seats if state["ended"] != BY_LAP else (NOBODY,)):
        return ["the round was ended by somebody else"]
    points = [int(hand_points(hand)) for hand in state["hands"][:count]]
    if points != state["points"][:count].tolist():
        found.append("the points are not those of the hands")
    scores = np.zeros(count, dtype=np.int64)
    ended, by = int(state["ended"]), int(state["by"])
    winners = score_round(np.array(points), count, ended, by, scores)
    if scores.tolist() != state["round_scores"][:count].tolist():
        found.append("the scores of the round are not those of its points")
    if int(winners) != int(state["winners"]):
        found.append("the winners of the round are not those of its points")
    return found + _game_problems(state, config)


def _game_problems(state: Any, config: RuleConfig) -> list[str]:
    """Returns what is wrong with whether the game is over, and who won it."""
    count = config.num_players
    own = state["scores"][:count].astype(np.int64)
    totals, winners, game_over = own.copy(), 0, GAME_RUNNING
    if own.max() >= config.target_score:
        won, game_over = state["rounds_won"][:count].astype(np.int64), GAME_OVER
        winners = int(total_game(own, won, config.to_array(), totals))
    elif state["round"] + 1 >= config.max_rounds:
        game_over = GAME_TRUNCATED
    found = []
    if int(state["game_over"]) != game_over:
        found.append("whether the game is over does not follow from its scores")
    if totals.tolist() != state["totals"][:count].tolist():
        found.append("the totals are not those of the scores")
    if int(state["game_winners"]) != winners:
        found.append("the winners of the game are not those of the totals")
    return found
