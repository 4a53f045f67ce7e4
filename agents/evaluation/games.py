"""Plays episodes and counts what is done in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.rollout import choose_actions
from rummy_env import VectorEnv
from rummy_env.actions import DRAW, END, KNOCK, LAY, NAME_JOKER, NUM_ACTIONS, TAKE
from rummy_env.cards import JOKER_POINTS, NUM_CARD_TYPES, POINTS
from rummy_env.observation import view

TALLIES: Final = (
    "rounds",
    "turns",
    "draws",
    "melds",
    "cards_laid",
    "knocks",
    "undercuts",
    "outs",
    "points_left",
)
"""What is counted for each seat: turns outside the last lap and draws in them; melds
and cards laid; rounds ended by knocking, those of them lost, rounds ended by going
out; points in hand at the end of rounds."""
_AT: Final = {name: number for number, name in enumerate(TALLIES)}

_LAID_POINTS: Final = np.zeros(NUM_ACTIONS, dtype=np.int64)
_LAID_POINTS[LAY:NAME_JOKER] = POINTS[:NUM_CARD_TYPES]


_SCORE_OF_OPPONENT: Final = 5
"""Where an opponent's score stands among the facts about it."""


class Played(NamedTuple):
    """What came of some episodes.

    Attributes:
        scores: Final scores, int64 `[N, P]`.
        tallies: See `TALLIES`, int64 `[N, P, len(TALLIES)]`.
    """

    scores: NDArray[np.int64]
    tallies: NDArray[np.int64]


def play(
    envs: VectorEnv,
    lineup: Sequence[Agent],
    seed: int,
    *,
    is_game: bool = False,
    report: Callable[[float], None] = lambda share: None,
) -> Played:
    """Plays every row's first episode to its end.

    Nobody is asked where only one action is legal.

    Args:
        envs: The games, which must not skip forced actions; they are reset.
        lineup: The agent on each seat.
        seed: Seed of the deals; the agents' random numbers are the caller's business.
        is_game: Whether episodes are whole games; only for what is reported.
        report: Is told at every step which share is played, roughly.
    """
    envs.reset(seed=seed)
    stock = _stock_left(envs)
    tally = _Tally(envs)
    scores = np.zeros((envs.num_envs, envs.num_players), dtype=np.int64)
    active = np.ones(envs.num_envs, dtype=np.bool_)
    while active.any():
        has_choice = active & (envs.action_mask.sum(axis=1, dtype=np.int64) > 1)
        actions = choose_actions(envs, lineup, has_choice)
        tally.before(np.flatnonzero(active), actions)
        envs.step(actions)
        tally.after(np.flatnonzero(active))
        ended = active & (envs.terminated | envs.truncated)
        scores[ended] = envs.final_scores[ended]
        active &= ~ended
        now = _nearness(envs) if is_game else 1 - _stock_left(envs) / stock
        played = np.where(active, now, 1.0)
        report(float(played.clip(0, 1).mean()))
    return Played(scores, tally.counts)


def _stock_left(envs: VectorEnv) -> NDArray[np.float32]:
    """Returns how many cards are in each stock, in hundreds."""
    left: NDArray[np.float32] = view(envs.observation, "stock_left")[:, 0].copy()
    return left


def _nearness(envs: VectorEnv) -> NDArray[np.float32]:
    """Returns the best score of each row as a share of the target."""
    own = view(envs.observation, "own_score")[:, 0]
    others = view(envs.observation, "opponents")[:, :, _SCORE_OF_OPPONENT]
    return np.asarray(np.maximum(own, others.max(axis=1)))


class _Tally:
    """Counts what is done in games, from what the players see.

    Attributes:
        counts: See `TALLIES`, int64 `[N, P, len(TALLIES)]`.
    """

    def __init__(self, envs: VectorEnv) -> None:
        self._envs = envs
        shape = (envs.num_envs, envs.num_players)
        self.counts = np.zeros((*shape, len(TALLIES)), dtype=np.int64)
        self._points = np.zeros(shape, dtype=np.int64)
        self._round = np.zeros(envs.num_envs, dtype=np.int64)
        self._seat = np.zeros(envs.num_envs, dtype=np.int64)
        self._actions = np.zeros(envs.num_envs, dtype=np.int64)
        self._see_hands(np.arange(envs.num_envs))

    def before(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Counts actions about to be played in some rows."""
        self._seat = self._envs.current_player.copy()
        self._actions = actions
        done, seen = actions[rows], self._envs.observation[rows]
        waits = view(seen, "is_pending")[:, 0] == 1
        is_joker = (done >= NAME_JOKER) & (done < TAKE) & ~waits
        lays = ((done >= LAY) & (done < NAME_JOKER)) | is_joker
        ends = (done == END) | (done == KNOCK)
        self._add(rows, "draws", done == DRAW)
        self._add(rows, "cards_laid", lays)
        self._add(rows, "melds", ends & (view(seen, "laid_any")[:, 0] == 1))
        self._add(rows, "turns", ends & (view(seen, "is_lap")[:, 0] == 0))
        held = np.rint(view(seen, "own_points")[:, 0] * 100).astype(np.int64)
        held -= _LAID_POINTS[done] + JOKER_POINTS * is_joker
        self._points[rows, self._seat[rows]] = held
        self._is_lap = view(self._envs.observation, "is_lap")[:, 0] == 1

    def after(self, rows: NDArray[np.int64]) -> None:
        """Counts rounds that have ended in some rows."""
        envs = self._envs
        number = _round_numbers(envs)
        has_ended = envs.terminated | envs.truncated | (number != self._round)
        rows = rows[has_ended[rows]]
        if not len(rows):
            return
        self.counts[rows, :, _AT["rounds"]] += 1
        self.counts[rows, :, _AT["points_left"]] += self._points[rows]
        self._count_ending(rows)
        self._round = number
        if (~(envs.terminated | envs.truncated)[rows]).any():
            self._see_hands(rows)

    def _count_ending(self, rows: NDArray[np.int64]) -> None:
        """Counts who ended the rounds that have ended, and how it went."""
        done, seat, points = self._actions[rows], self._seat[rows], self._points[rows]
        at = np.arange(len(rows))
        own = points[at, seat]
        others = points.copy()
        others[at, seat] = own + 1
        is_out = done >= LAY
        self._add(rows, "knocks", done == KNOCK)
        is_undercut = (done == KNOCK) & (others.min(axis=1) <= own)
        self._add(rows, "undercuts", is_undercut)
        self._add(rows, "outs", is_out)
        self._add(rows, "melds", is_out)
        self._add(rows, "turns", is_out & ~self._is_lap[rows])

    def _add(
        self, rows: NDArray[np.int64], name: str, counts: NDArray[np.bool_]
    ) -> None:
        """Adds to a count of the seats that act."""
        self.counts[rows, self._seat[rows], _AT[name]] += counts

    def _see_hands(self, rows: NDArray[np.int64]) -> None:
        """Notes the points that everybody is dealt."""
        for seat in range(self._envs.num_players):
            points = view(self._envs.observe(seat), "own_points")[rows, 0]
            self._points[rows, seat] = np.rint(points * 100)


def _round_numbers(envs: VectorEnv) -> NDArray[np.int64]:
    """Returns how many rounds were played in each row."""
    rounds = view(envs.observation, "round")[:, 0] * 10
    return np.asarray(np.rint(rounds), dtype=np.int64)
