"""Measures the engine: `python benchmarks/figures.py`, a Markdown table on stdout.

Positions are those of random legal play to the end of rounds. Every figure is the
median of five measurements, with the lowest and the highest behind it: machines are
shared and noisy, so compare figures of one run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rummy_env import RuleConfig, VectorEnv, manipulation_rummy_v0
from rummy_env.kernel import calls
from rummy_env.kernel.calls import new_workspaces
from rummy_env.record import new_states
from rummy_env.rules import new_mask

REPEATS = 5
PLAYERS = (2, 3, 5)


def spread(values: list[float], unit: str, digits: int = 0) -> str:
    """Returns the median with the lowest and the highest."""
    shown = [f"{value:,.{digits}f}" for value in sorted(values)]
    middle = f"{statistics.median(values):,.{digits}f}"
    return f"{middle} {unit} ({shown[0]} to {shown[-1]})"


def mask_times(num_players: int, count: int, seed: int) -> NDArray[np.float64]:
    """Returns microseconds for each of `count` masks of random play.

    The time of a call into the kernel that does nothing else is taken off.
    """
    config = RuleConfig(num_players=num_players)
    options, works, mask, states = (
        config.to_array(),
        new_workspaces(),
        new_mask(),
        new_states(),
    )
    rng = np.random.default_rng(seed)
    times = np.zeros(count)
    game = 0
    at = 0
    while at < count:
        calls.start_game(states, options, seed * 1_000_000 + game)
        game += 1
        action = calls.NO_ACTION
        while at < count:
            legal = calls.play(states, options, works, action, mask)
            if legal == 0:
                break
            start = time.perf_counter()
            calls.play(states, options, works, calls.NO_ACTION, mask)
            times[at] = (time.perf_counter() - start) * 1e6
            at += 1
            action = int(rng.choice(np.flatnonzero(mask)))
    return times - _call_time(states, options, works, mask)


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


def random_actions(mask: NDArray[np.int8], rng: np.random.Generator) -> NDArray:
    """Returns a random legal action for each row."""
    return (rng.random(mask.shape, dtype=np.float32) * mask).argmax(axis=1)


def vector_steps(num_players: int, threads: int, seconds: float) -> tuple[float, float]:
    """Returns decisions and applied actions a second, in the compiled step alone."""
    envs = VectorEnv(
        1024, RuleConfig(num_players=num_players), 0, threads, skip_forced=True
    )
    envs.reset()
    rng = np.random.default_rng(0)
    spent = 0.0
    decisions = 0
    applied = int(envs.num_applied.sum())
    while spent < seconds:
        actions = random_actions(envs.action_mask, rng)
        start = time.perf_counter()
        envs.step(actions)
        spent += time.perf_counter() - start
        decisions += envs.num_envs
    applied = int(envs.num_applied.sum()) - applied
    envs.close()
    return decisions / spent, applied / spent


def raw_env_steps(num_players: int, seconds: float) -> float:
    """Returns steps a second of `raw_env` through `agent_iter` and `last`."""
    game = manipulation_rummy_v0.raw_env(num_players=num_players)
    rng = np.random.default_rng(0)
    steps, seed, spent = 0, 0, 0.0
    while spent < seconds:
        start = time.perf_counter()
        game.reset(seed=seed)
        seed += 1
        for _ in game.agent_iter():
            observation, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                game.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            game.step(int(legal[int(rng.random() * len(legal))]))
            steps += 1
        spent += time.perf_counter() - start
    return steps / spent


def start_up(cache: str) -> float:
    """Returns seconds from import to the first `reset`, in a process of its own."""
    code = (
        "import time; t = time.perf_counter();"
        "from rummy_env import manipulation_rummy_v0 as m; m.raw_env().reset(seed=0);"
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


def rows(masks: int, seconds: float) -> Iterator[tuple[str, str]]:
    """Yields what was measured and the figure, one after the other."""
    for players in PLAYERS:
        parts = [mask_times(players, masks // REPEATS, n) for n in range(REPEATS)]
        for name, of in _SUMMARIES.items():
            figure = spread([of(part) for part in parts], "us", 1)
            yield f"mask, {players} players, {name}", figure
    for players in PLAYERS:
        for threads in (1, 2):
            runs = [vector_steps(players, threads, seconds) for _ in range(REPEATS)]
            where = f"VectorEnv, {players} players, {threads} thread(s)"
            yield f"{where}, decisions", spread([run[0] for run in runs], "/s")
            yield f"{where}, applied", spread([run[1] for run in runs], "/s")
    for players in PLAYERS:
        figures = [raw_env_steps(players, seconds) for _ in range(REPEATS)]
        yield f"raw_env, {players} players, steps", spread(figures, "/s")
    with tempfile.TemporaryDirectory() as cache:
        yield "import to first reset, cold", f"{start_up(cache):.1f} s"
        warm = [start_up(cache) for _ in range(REPEATS)]
        yield "import to first reset, warm", spread(warm, "s", 2)


_SUMMARIES: dict[str, Callable[[NDArray[np.float64]], float]] = {
    "median": lambda times: float(np.median(times)),
    "mean": lambda times: float(times.mean()),
    "p99": lambda times: float(np.percentile(times, 99)),
    "max": lambda times: float(times.max()),
}


def main() -> None:
    """Prints the table, a row as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--masks", type=int, default=100_000, help="masks a count")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each speed")
    chosen = parser.parse_args()
    print("| what | median of five (lowest to highest) |\n| --- | --- |", flush=True)
    for name, figure in rows(chosen.masks, chosen.seconds):
        print(f"| {name} | {figure} |", flush=True)


if __name__ == "__main__":
    main()
