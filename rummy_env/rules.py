"""The rules as Python functions: a thin face on the kernel.

`round_scores` and `final_totals` answer questions about scores by themselves and check
what they are given; the other functions work on an array of one `record.STATE` and are
what `State`, the environment and the tools are made of. Those take records, options and
masks on trust, since they are called at every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rummy_env.actions import ACTION_NAMES, NUM_ACTIONS, action_name
from rummy_env.cards import card_name
from rummy_env.config import MAX_PLAYERS, MIN_PLAYERS, RuleConfig
from rummy_env.errors import (
    ConfigError,
    IllegalActionError,
    PositionError,
    RummyError,
    is_whole,
    nearest,
)
from rummy_env.kernel import calls, scoring, turn
from rummy_env.record import MAX_SCORE, STATE

ENDINGS: Final = ("knock", "out", "lap")
"""How a round ends: a knock (R18), going out (R19), after the last lap (R20)."""
_ENDED: Final = {
    "knock": scoring.BY_KNOCK,
    "out": scoring.BY_GOING_OUT,
    "lap": scoring.BY_LAP,
}


def _players_of(bits: int) -> list[int]:
    """Returns the players whose bits are set."""
    return [player for player in range(MAX_PLAYERS) if bits >> player & 1]


def check_config(config: RuleConfig) -> RuleConfig:
    """Returns a configuration, refused where it is none.

    Raises:
        ConfigError: It is no `RuleConfig`.
    """
    if not isinstance(config, RuleConfig):
        raise ConfigError(f"config is a RuleConfig, not {type(config).__name__}")
    return config


def check_states(states: NDArray[Any]) -> NDArray[Any]:
    """Returns a game, refused where it has not the form of one.

    What it holds is not looked at; `record.problems` does that.

    Raises:
        PositionError: It is no array `[1]` of `record.STATE`.
    """
    is_array = isinstance(states, np.ndarray)
    if not is_array or states.dtype != STATE or states.shape != (1,):
        raise PositionError(
            f"a game is an array [1] of record.STATE, not {type(states).__name__}"
            + (f" {list(states.shape)} of {states.dtype}"[:60] if is_array else "")
        )
    return states


def whole_numbers(values: Sequence[int]) -> NDArray[np.int64] | None:
    """Returns whole numbers from 0 to 10**9 as an array, None where they are none."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError):
        return None
    if array.dtype.kind not in "iu" or (array < 0).any() or (array > MAX_SCORE).any():
        return None
    return array.astype(np.int64)


def _numbers_of_players(name: str, values: Sequence[int]) -> NDArray[np.int64]:
    """Returns numbers of points or rounds, one a player, checked."""
    array = whole_numbers(values)
    if array is None:
        raise RummyError(
            f"{name} holds whole numbers from 0 to 10**9, not {str(values)[:60]}"
        )
    if array.ndim != 1 or not MIN_PLAYERS <= len(array) <= MAX_PLAYERS:
        raise RummyError(f"{name} holds one number for each of 2 to 5 players")
    return array


def round_scores(
    points: Sequence[int], *, ended: str, by: int | None = None
) -> tuple[list[int], list[int]]:
    """Returns what a round brings each player (R21 to R26).

    Args:
        points: Points in each hand.
        ended: "knock", "out" or "lap".
        by: Who knocked or went out; None after a lap.

    Returns:
        The scores, and who scores as winner.

    Raises:
        RummyError: The ending is unknown, somebody has to have ended it, or a value is
            of the wrong type.
    """
    counts = _numbers_of_players("points", points)
    if not isinstance(ended, str) or ended not in ENDINGS:
        raise RummyError(f"a round ends by {ENDINGS}; {nearest(str(ended), ENDINGS)}")
    if ended == "lap":
        if by is not None:
            raise RummyError("a round that ends with the lap is ended by nobody")
        player = turn.NOBODY
    else:
        if not is_whole(by):
            raise RummyError(f"who ended the round by {ended}? give a seat as `by`")
        if not 0 <= by < len(counts):
            raise RummyError(f"there is no player {by}")
        if ended == "out" and counts[by] != 0:
            raise RummyError(f"player {by} went out, but holds {counts[by]} points")
        player = int(by)
    scores = np.zeros(len(counts), dtype=np.int64)
    winners = scoring.score_round(counts, len(counts), _ENDED[ended], player, scores)
    return scores.tolist(), _players_of(int(winners))


def final_totals(
    scores: Sequence[int], rounds_won: Sequence[int], config: RuleConfig
) -> tuple[list[int], list[int]]:
    """Returns the totals at the end of a game (R27 to R29).

    Args:
        scores: Scores of all rounds; at least one reaches the target.
        rounds_won: Rounds each player won.
        config: The options: `target_score` and `round_bonus_to` matter; the number
            of players is taken from the scores.

    Returns:
        The totals, and who has the highest.

    Raises:
        RummyError: Nobody is at the target, the lengths differ, or a value is of the
            wrong type.
    """
    check_config(config)
    own = _numbers_of_players("scores", scores)
    won = _numbers_of_players("rounds_won", rounds_won)
    if len(own) != len(won):
        raise RummyError(f"{len(own)} scores, but {len(won)} numbers of rounds won")
    if own.max() < config.target_score:
        raise RummyError(
            f"no score reaches the target of {config.target_score}: the game goes on"
        )
    array = config.to_array()
    array[0] = len(own)
    totals = np.zeros(len(own), dtype=np.int64)
    winners = scoring.total_game(own, won, array, totals)
    return totals.tolist(), _players_of(int(winners))


def phase(states: NDArray[Any]) -> str:
    """Returns in words where the turn of a game stands."""
    state = states[0]
    player = int(state["to_move"])
    who = f"player {player}"
    if state["ended"] != scoring.RUNNING:
        return "the round is over"
    if state["pending"] != turn.NOT_PENDING:
        old = card_name(int(state["pending"]))
        return f"{who} has released the joker named {old} and must name it anew"
    if state["num_laid"] > 0:
        return f"{who} is melding"
    if state["lap_left"] != turn.NO_LAP:
        return f"{who} has the last turn of the lap, without a draw"
    if state["draws"] == 0:
        return f"{who} begins the turn"
    if state["draws"] == turn.MAX_DRAWS:
        return f"{who} has drawn the third card"
    return f"{who} has drawn {state['draws']} of {turn.MAX_DRAWS}"


def check_action(states: NDArray[Any], mask: NDArray[np.int8], action: int) -> None:
    """Refuses an action that is not legal.

    Args:
        states: The game, `[1]`.
        mask: What is legal, int8 `[159]`.
        action: An id from 0 to 158.

    Raises:
        IllegalActionError: Names the action, the phase and what would be legal.
    """
    if mask[action]:
        return
    legal = [ACTION_NAMES[index] for index in np.flatnonzero(mask)]
    options = ", ".join(legal) if legal else "nothing"
    raise IllegalActionError(
        f"{action_name(action)!r} is not legal: {phase(states)}; legal: {options}"
    )


def new_mask() -> NDArray[np.int8]:
    """Returns room for a mask: int8 `[159]`, zeros."""
    return np.zeros(NUM_ACTIONS, dtype=np.int8)


class Outcome(dict[str, Any]):
    """How a round ended: a dict whose entries are attributes as well."""

    def __getattr__(self, name: str) -> Any:
        """Returns an entry.

        Raises:
            AttributeError: There is none of this name.
        """
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"an outcome has no {name!r}") from None


def outcome(states: NDArray[Any], config: RuleConfig) -> Outcome | None:
    """Returns how a round ended, or None while it runs.

    Returns:
        `reason` ("knock", "out", "lap"), `by` (a player or None), `points` in each
        hand, `round_scores`, `winners` of the round, `scores` so far, `game_over`,
        `totals` (with the bonuses once the game is over), `game_winners` and
        `truncated` (R30).
    """
    state = states[0]
    if state["ended"] == scoring.RUNNING:
        return None
    count = config.num_players
    is_over = state["game_over"] == turn.GAME_OVER
    return Outcome(
        reason=ENDINGS[int(state["ended"]) - 1],
        by=None if state["by"] == turn.NOBODY else int(state["by"]),
        points=state["points"][:count].tolist(),
        round_scores=state["round_scores"][:count].tolist(),
        winners=_players_of(int(state["winners"])),
        scores=state["scores"][:count].tolist(),
        game_over=bool(state["game_over"] != turn.GAME_RUNNING),
        totals=state["totals"][:count].tolist(),
        game_winners=_players_of(int(state["game_winners"])) if is_over else [],
        truncated=bool(state["game_over"] == turn.GAME_TRUNCATED),
    )


def play(
    states: NDArray[Any],
    options: NDArray[np.int64],
    works: NDArray[Any],
    mask: NDArray[np.int8],
    action: int = calls.NO_ACTION,
) -> int:
    """Applies a legal action, if one is given, and writes what is legal then.

    Args:
        states: The game, `[1]`.
        options: `RuleConfig.to_array()`.
        works: A workspace, `[1]`.
        mask: Int8 `[159]`, overwritten; all 0 once the round is over.
        action: An id that `check_action` let pass.

    Returns:
        How many actions are legal.
    """
    return int(calls.play(states, options, works, action, mask))


start_game = calls.start_game
"""Deals the first round of a seed; see `kernel.turn.start_game`."""
start_next_round = calls.start_next_round
"""Deals the next round; see `kernel.turn.start_next_round`."""
