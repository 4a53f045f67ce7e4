"""Plays games between given agents, many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from rummy_env import VectorEnv


def choose_actions(
    envs: VectorEnv, lineup: Sequence[Agent], active: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Returns an action for every row, asking each agent once for all its rows.

    Args:
        envs: The games.
        lineup: The agent on each seat; one agent may sit on several.
        active: The rows that matter, `[N]`; the others get their first legal action.

    Returns:
        Action ids, int64 `[N]`.
    """
    actions = np.asarray(envs.action_mask.argmax(axis=1), dtype=np.int64)
    seats_of: dict[int, list[int]] = {}
    for seat, agent in enumerate(lineup):
        seats_of.setdefault(id(agent), []).append(seat)
    for seats in seats_of.values():
        rows = np.flatnonzero(active & np.isin(envs.current_player, seats))
        if len(rows):
            agent = lineup[seats[0]]
            actions[rows] = agent.act(envs.observation[rows], envs.action_mask[rows])
    return actions


def play_first_episodes(
    envs: VectorEnv,
    lineup: Sequence[Agent],
    seed: int,
    *,
    report: Callable[[float], None] = lambda share: None,
) -> NDArray[np.int64]:
    """Plays every row's first episode to its end.

    Args:
        envs: The games; they are reset, so the same seed deals the same cards.
        lineup: The agent on each seat.
        seed: Seed of the deals; the agents' random numbers are the caller's business.
        report: Is told at every step which share of the episodes has ended.

    Returns:
        Final scores of every seat, int64 `[N, P]`.

    Raises:
        ValueError: There are not as many agents as seats.
    """
    if len(lineup) != envs.num_players:
        raise ValueError(
            f"{envs.num_players} seats need as many agents as that, not {len(lineup)}"
        )
    envs.reset(seed=seed)
    return play_out(envs, lineup, report=report)


def play_out(
    envs: VectorEnv,
    lineup: Sequence[Agent],
    *,
    report: Callable[[float], None] = lambda share: None,
) -> NDArray[np.int64]:
    """Plays the episode under way in every row to its end.

    Args:
        envs: The games.
        lineup: The agent on each seat.
        report: Is told at every step which share of the episodes has ended.

    Returns:
        Final scores of every seat, int64 `[N, P]`.
    """
    scores = np.zeros((envs.num_envs, envs.num_players), dtype=np.int64)
    active = np.ones(envs.num_envs, dtype=np.bool_)
    while active.any():
        report(1 - active.mean())
        envs.step(choose_actions(envs, lineup, active))
        ended = active & (envs.terminated | envs.truncated)
        scores[ended] = envs.final_scores[ended]
        active &= ~ended
    report(1.0)
    return scores
