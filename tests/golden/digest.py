"""A digest of a thousand seeded games of all player counts and options mixed.

The actions follow from the seed, the row and the step alone, so whatever changes a
deal, a mask, a turn, a reward or a score changes the digest. Observations have one of
their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummy_env import RuleConfig, VectorEnv

PATH = Path(__file__).with_name("digest.txt")
GAMES_A_GROUP = 50
OPTIONS: list[dict[str, Any]] = [
    {"max_rounds": 3},
    {"packs": 1, "hand_size": 7, "knock_limit": 10, "target_score": 60},
    {"num_ranks": 6, "hand_size": 5, "target_score": 60, "round_bonus_to": "all"},
    {"jokers_per_pack": 0, "knock_limit": 0, "max_rounds": 2},
    {
        "packs": 2,
        "num_ranks": 4,
        "hand_size": 4,
        "knock_limit": 8,
        "knock_in_last_lap": True,
        "max_rounds": 5,
    },
]
GROUPS = [
    {"num_players": players, **options}
    for players in (2, 3, 4, 5)
    for options in OPTIONS
]


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Returns numbers that look random: the last steps of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _chosen(masks: NDArray[np.int8], step: int) -> NDArray[np.int64]:
    """Returns a legal action for each row, by its row and the step."""
    rows = np.arange(1, len(masks) + 1, dtype=np.uint64)
    numbers = _mixed(rows * np.uint64(0x9E3779B97F4A7C15) + np.uint64(step))
    ranks = masks.cumsum(axis=1, dtype=np.int64)
    which = (numbers % ranks[:, -1].astype(np.uint64)).astype(np.int64)
    return (ranks > which[:, None]).argmax(axis=1)


def _frames(
    envs: VectorEnv,
) -> Iterator[tuple[NDArray[np.bool_], list[NDArray[Any]], NDArray[np.float32]]]:
    """Yields which games still ran before each step, and what all rows were then.

    Masks, players to act and actions come before the step, rewards and endings after
    it; the observations are those before.
    """
    running = np.ones(envs.num_envs, dtype=np.bool_)
    step = 0
    while running.any():
        actions = _chosen(envs.action_mask, step)
        before = [envs.action_mask.copy(), envs.current_player.copy(), actions]
        seen = envs.observation.copy()
        envs.step(actions)
        after = [envs.reward, envs.terminated, envs.truncated, envs.final_scores]
        yield running, before + after, seen
        running = running & ~(envs.terminated | envs.truncated)
        step += 1


def digest_group(options: dict[str, Any], seed: int) -> tuple[int, str, str]:
    """Returns how many actions a group's games take, and the digests of both kinds."""
    envs = VectorEnv(GAMES_A_GROUP, RuleConfig(**options), seed, episode="game")
    envs.reset()
    games, observations, count = hashlib.sha256(), hashlib.sha256(), 0
    for running, facts, seen in _frames(envs):
        for fact in facts:
            games.update(np.ascontiguousarray(fact[running]).tobytes())
        observations.update(np.ascontiguousarray(seen[running]).tobytes())
        count += int(running.sum())
    return count, games.hexdigest()[:16], observations.hexdigest()[:16]


def digest_text() -> str:
    """Returns the digest of all groups: of games, of observations, the parts."""
    lines, games, observations = [], hashlib.sha256(), hashlib.sha256()
    for seed, options in enumerate(GROUPS):
        count, of_games, of_observations = digest_group(options, seed)
        games.update(of_games.encode())
        observations.update(of_observations.encode())
        words = " ".join(f"{key}={value}" for key, value in options.items())
        lines.append(f"{of_games} {of_observations} {count} actions, {words}")
    heads = [
        f"# {GAMES_A_GROUP * len(GROUPS)} games, written by `make golden`",
        f"games {games.hexdigest()[:16]}",
        f"observations {observations.hexdigest()[:16]}",
        f"# games, observations; {GAMES_A_GROUP} games a line",
    ]
    return "\n".join([*heads, *lines]) + "\n"
