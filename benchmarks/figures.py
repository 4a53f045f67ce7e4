"""Measures the engine: masks, steps and start-up. `benchmarks.own` runs it.

Positions are those of random legal play to the end of rounds, but for greedy play.
Machines are shared and noisy, so compare figures of one run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rummy_env import RuleConfig, VectorEnv
from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS
from rummy_env.kernel import calls
from rummy_env.kernel.calls import new_workspaces
from rummy_env.kernel.layout import new_melds
from rummy_env.kernel.leaving import BY_POINTS
from rummy_env.record import new_states
from rummy_env.rules import new_mask

PLAYERS = (2, 3, 5)
NUM_GAMES = 256
BATCHES = (1, 16, 256, 4096)
"""Numbers of games that are compared."""
TABLE_SIZES = (0, 20, 40, 60)
"""The fewest cards on the table in each class of masks."""
LARGE_TABLE = 60
"""The fewest cards on a large one."""
WARM_UP = 150
"""Steps of a `VectorEnv` before the clock starts."""

Policy = Callable[[VectorEnv], NDArray[np.int64]]
"""Chooses an action for every row."""


def mask_times(
    num_players: int, count: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Returns microseconds and cards on the table for `count` masks of random play.

    The time of a call into the kernel that does nothing else is taken off. The
    workspace on the clock is asked about each position once, and remembers the one
    before as it does in play: asked again, it would know the answer. Another one
    plays.
    """
    config = RuleConfig(num_players=num_players)
    options, works, mask, states = (
        config.to_array(),
        new_workspaces(packs=config.num_packs),
        new_mask(),
        new_states(),
    )
    playing = new_workspaces(packs=config.num_packs)
    rng = np.random.default_rng(seed)
    times, sizes = np.zeros(count), np.zeros(count, dtype=np.int64)
    game = 0
    at = 0
    while at < count:
        calls.start_game(states, options, seed * 1_000_000 + game)
        game += 1
        action = calls.NO_ACTION
        while at < count:
            legal = calls.play(states, options, playing, action, mask)
            if legal == 0:
                break
            start = time.perf_counter()
            calls.play(states, options, works, calls.NO_ACTION, mask)
            times[at] = (time.perf_counter() - start) * 1e6
            sizes[at] = states["table"].sum() + states["named"].sum()
            at += 1
            action = int(rng.choice(np.flatnonzero(mask)))
    return times - _call_time(states, options, works, mask), sizes


def large_tables(count: int, seed: int) -> list[NDArray[np.void]]:
    """Returns games of random play of five at 60 cards or more and a joker in hand.

    At the draw of who may meld then; at most two of one round.
    """
    options, mask = RuleConfig(num_players=5).to_array(), new_mask()
    works, states = new_workspaces(), new_states()
    rng, found, game = np.random.default_rng(seed), list[NDArray[np.void]](), 0
    while len(found) < count:
        calls.start_game(states, options, seed * 1_000_000 + game)
        game, taken, action = game + 1, 0, calls.NO_ACTION
        while calls.play(states, options, works, action, mask) and taken < 2:
            if _is_large(states[0]):
                found.append(states.copy())
                taken += 1
            action = int(rng.choice(np.flatnonzero(mask)))
    return found[:count]


def _is_large(state: np.void) -> bool:
    """Tells whether a game is what `large_tables` looks for."""
    if state["draws"] == 0 or state["num_laid"] > 0:
        return False
    lying = int(state["table"].sum() + state["named"].sum())
    return lying >= LARGE_TABLE and state["hands"][state["to_move"], JOKER] > 0


def large_times(count: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Returns microseconds of best melds and of layouts, on such tables.

    The call into the kernel is on the clock, reading the question is not.
    """
    works, melds = new_workspaces(), new_melds()
    calls.find_best(works, BY_POINTS, -1)  # compiles it; so does the next line
    calls.arrange(works, melds, melds)
    times = {"best": np.zeros(count), "arrange": np.zeros(count)}
    for at, states in enumerate(large_tables(count, seed)):
        for name in times:
            _load(works, states[0])
            start = time.perf_counter()
            if name == "best":
                calls.find_best(works, BY_POINTS, -1)
            else:
                calls.arrange(works, melds, melds)
            times[name][at] = (time.perf_counter() - start) * 1e6
    return times


def _load(works: NDArray[np.void], state: np.void) -> None:
    """Puts the table of a game and the hand of who is to move into a workspace."""
    works[0]["table"], works[0]["named"] = state["table"], state["named"]
    works[0]["hand"] = state["hands"][state["to_move"]]
    works[0]["locked"], works[0]["pending"] = 0, 0
    works[0]["num_ranks"], works[0]["wanted_names"] = NUM_RANKS, NUM_CARD_TYPES


def _call_time(
    states: NDArray[np.void],
    options: NDArray[np.int64],
    works: NDArray[np.void],
    mask: NDArray[np.int8],
) -> float:
    """Returns the microseconds of a call for a round that is over."""
    ended = states.copy()
    ended["ended"] = 1
    times = []
    for _ in range(1000):
        start = time.perf_counter()
        calls.play(ended, options, works, calls.NO_ACTION, mask)
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def random_actions(
    mask: NDArray[np.int8], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Returns a random legal action for each row."""
    dice = rng.random(mask.shape, dtype=np.float32)
    return np.asarray((dice * mask).argmax(axis=1), dtype=np.int64)


def random_policy(seed: int) -> Policy:
    """Returns random legal play."""
    rng = np.random.default_rng(seed)
    return lambda envs: random_actions(envs.action_mask, rng)


def vector_steps(
    num_players: int,
    threads: int,
    seconds: float,
    policy: Policy,
    games: int = NUM_GAMES,
    warm_up: int = WARM_UP,
) -> tuple[int, int, float]:
    """Steps many games; only the compiled step is on the clock.

    Games begin together, and the beginning of a round is its quickest part, so they
    are played until they no longer keep step before the clock starts.

    Returns:
        Decisions, applied actions and seconds.
    """
    envs = VectorEnv(
        games, RuleConfig(num_players=num_players), 0, threads, skip_forced=True
    )
    envs.reset()
    for _ in range(warm_up):
        envs.step(policy(envs))
    spent, decisions = 0.0, 0
    before = int(envs.num_applied.sum())
    while spent < seconds:
        actions = policy(envs)
        start = time.perf_counter()
        envs.step(actions)
        spent += time.perf_counter() - start
        decisions += envs.num_envs
    applied = int(envs.num_applied.sum()) - before
    envs.close()
    return decisions, applied, spent


def start_up(cache: str, num_players: int) -> float:
    """Returns seconds from import to the first `reset`, in a process of its own."""
    code = (
        "import time; t = time.perf_counter();"
        "from rummy_env import manipulation_rummy_v0 as m;"
        f"m.raw_env({num_players}).reset(seed=0);"
        "print(time.perf_counter() - t)"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    output = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return float(output)
