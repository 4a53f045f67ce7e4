"""What would have followed where a game was broken off for its length (R30).

A truncated game is not over: its seats could have gone on to score. Engines deal the
next game within the same step, so the position that would have followed is played
from a copy taken before it, under rules that allow one more round.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rummy_env import VectorEnv
from rummy_env.observation import view
from rummy_env.state import State


def games_near_the_limit(envs: VectorEnv) -> dict[int, State]:
    """Returns copies of the games in their last round, by row, to be played on.

    Those that a step may truncate, unless the engine plays a whole round by itself
    before it; an episode that is a round is never truncated.

    Args:
        envs: The games, of whole games.
    """
    limit = envs.config.max_rounds
    longer = dataclasses.replace(envs.config, max_rounds=limit + 1)
    rounds_left = np.rint(view(envs.observation, "round")[:, 1] * limit)
    rows = np.flatnonzero(rounds_left == 1).tolist()
    return {row: State(longer, envs.game(row).record) for row in rows}


def positions_after(
    games: Mapping[int, State],
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.int64]]:
    """Returns the first choice of the round that would have followed, in each row.

    Args:
        games: Copies from before the step, as `games_near_the_limit` returns; they
            are played on.
        rows: The rows that the step truncated, `[K]`, all among the games.
        actions: What was played in them, `[K]`.

    Returns:
        What every seat sees, float32 `[K, P, D]`; the legal actions, int8 `[K, A]`;
        who is to act, int64 `[K]`.
    """
    after = [games[row] for row in rows.tolist()]
    for game, action in zip(after, actions.tolist(), strict=True):
        game.apply_action(action)
        _play_forced(game)
        game.start_next_round()
        _play_forced(game)
    seats = range(after[0].config.num_players)
    return (
        np.stack([[game.observation(seat) for seat in seats] for game in after]),
        np.stack([game.action_mask() for game in after]),
        np.array([game.current_player for game in after], dtype=np.int64),
    )


def _play_forced(game: State) -> None:
    """Plays actions without an alternative, to a choice or the end of the round."""
    while len(legal := game.legal_actions()) == 1:
        game.apply_action(legal[0])
