"""The runner of our own figures: `python -m benchmarks.own steps`, one line of JSON.

It speaks the protocol of the peers' runners, so that all are measured in turn.
"""

from __future__ import annotations

import functools
import itertools
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.greedy_agent import GreedyAgent
from benchmarks import figures
from benchmarks.peers import aec, protocol
from benchmarks.peers.protocol import Figure, Measure, Order
from rummy_env import VectorEnv, manipulation_rummy_v0, solver
from rummy_env.config import MAX_CARDS

MASKS_A_SECOND: Final = 10_000
"""Masks that are timed for each second that a figure may take."""
FEWEST_MASKS: Final = 50
"""Of fewer there are no figures."""
LARGE_A_SECOND: Final = 50
"""Large tables for each second that a figure may take: they have to be played to."""
SHORT_WARM_UP: Final = 40
"""Steps before the clock starts where there are many games."""
GREEDY_GAMES: Final = 64
GREEDY_SHARE: Final = 4
"""The greedy agent thinks ten times as long as the engine, so it gets a part of the
time: that of the engine alone is on the clock."""


def mask_figures(players: int, order: Order) -> dict[str, Figure]:
    """Measures the masks of random play, microseconds each, in all and by table size.

    A class of tables that hardly came up is left out.
    """
    count = max(100, int(MASKS_A_SECOND * order.seconds))
    times, sizes = figures.mask_times(players, count, order.seed)
    found = _summary(f"mask_{players}", times)
    edges = (*figures.TABLE_SIZES, MAX_CARDS + 1)
    for fewest, more in itertools.pairwise(edges):
        among = times[(sizes >= fewest) & (sizes < more)]
        if len(among) >= FEWEST_MASKS:
            found |= _summary(f"mask_{players}_{fewest}", among)
    return found


def _summary(key: str, times: NDArray[np.float64]) -> dict[str, Figure]:
    """Returns mean, percentiles and maximum of times in microseconds."""
    values = {
        "mean": times.mean(),
        "p50": np.percentile(times, 50),
        "p95": np.percentile(times, 95),
        "p99": np.percentile(times, 99),
        "max": times.max(),
    }
    return {
        f"{key}_{name}": _times_figure(float(value), times)
        for name, value in values.items()
    }


def _times_figure(value: float, times: NDArray[np.float64]) -> Figure:
    """Returns a figure of times in microseconds."""
    return {"value": value, "steps": len(times), "seconds": float(times.sum()) / 1e6}


def aec_figures(players: int, order: Order) -> dict[str, Figure]:
    """Measures the AEC environment, bare and wrapped."""
    bare = manipulation_rummy_v0.raw_env(num_players=players)
    wrapped = manipulation_rummy_v0.env(num_players=players)
    return {
        f"raw_env_{players}": aec.steps(bare, order),
        f"env_{players}": aec.steps(wrapped, order),
    }


def vector_figures(players: int, threads: int, order: Order) -> dict[str, Figure]:
    """Measures many games at once, random play."""
    policy = figures.random_policy(order.seed)
    decisions, applied, spent = figures.vector_steps(
        players, threads, order.seconds, policy
    )
    return {
        f"vector_{players}_{threads}": protocol.rate(applied, spent),
        f"decisions_{players}_{threads}": protocol.rate(decisions, spent),
    }


def batch_figures(games: int, order: Order) -> dict[str, Figure]:
    """Measures so many games at once, two players, one thread, random play."""
    policy = figures.random_policy(order.seed)
    warm_up = figures.WARM_UP if games <= figures.NUM_GAMES else SHORT_WARM_UP
    decisions, _, spent = figures.vector_steps(
        2, 1, order.seconds, policy, games, warm_up
    )
    return {f"batch_{games}": protocol.rate(decisions, spent)}


def greedy_figures(players: int, order: Order) -> dict[str, Figure]:
    """Measures many games at once, greedy play."""
    agent = GreedyAgent()

    def policy(envs: VectorEnv) -> NDArray[np.int64]:
        return agent.act(envs.observation, envs.action_mask)

    decisions, applied, spent = figures.vector_steps(
        players, 1, order.seconds / GREEDY_SHARE, policy, GREEDY_GAMES
    )
    return {
        f"greedy_{players}": protocol.rate(applied, spent),
        f"greedy_decisions_{players}": protocol.rate(decisions, spent),
    }


def start_up_figures(order: Order) -> dict[str, Figure]:
    """Measures from import to the first `reset`, compiling and compiled."""
    with tempfile.TemporaryDirectory() as cache:
        two = figures.start_up(cache, 2)
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = figures.start_up(cache, 3), figures.start_up(cache, 3)
    found = {"start_cold_2": two, "start_cold": cold, "start_warm": warm}
    return {
        key: {"value": seconds, "steps": 1, "seconds": seconds}
        for key, seconds in found.items()
    }


def lay(question: Mapping[str, str]) -> int:
    """Returns how many cards the meld of the most cards lays."""
    found = solver.best_meld(question["table"], question["hand"], "cards")
    actions = [] if found is None else found[0]
    return sum(action.startswith(("lay ", "joker ")) for action in actions)


def arrange(question: Mapping[str, str]) -> bool:
    """Tells whether the table splits into melds."""
    return solver.arrange(question["table"]) is not None


def solver_figures(order: Order) -> dict[str, Figure]:
    """Asks the solver what the peers' solver is asked."""
    for table in ("7c 8c 9c", "7c 7c 8c 8c 9c 9c"):  # of one pack, and of two
        lay({"table": table, "hand": "Tc"})
        arrange({"table": table})
    return {
        f"solver_{kind}": protocol.ask(
            questions, arrange if kind.startswith("arrange") else lay
        )
        for kind, questions in protocol.read_questions(order).items()
    }


def large_figures(order: Order) -> dict[str, Figure]:
    """Measures best melds and layouts on large tables, microseconds each."""
    count = max(20, int(LARGE_A_SECOND * order.seconds))
    found: dict[str, Figure] = {}
    for name, times in figures.large_times(count, order.seed).items():
        found |= _summary(f"large_{name}", times)
    return found


def _for_players(measure: Callable[[int, Order], dict[str, Figure]]) -> list[Measure]:
    """Returns what measures each number of players."""
    return [functools.partial(measure, players) for players in figures.PLAYERS]


GROUPS: Final[dict[str, list[Measure]]] = {
    "steps": [
        *_for_players(aec_figures),
        *(
            functools.partial(vector_figures, players, threads)
            for players in figures.PLAYERS
            for threads in (1, 2)
        ),
    ],
    "batches": [functools.partial(batch_figures, games) for games in figures.BATCHES],
    "greedy": _for_players(greedy_figures),
    "masks": _for_players(mask_figures),
    "startup": [start_up_figures],
    "solver": [solver_figures],
    "large": [large_figures],
}


def main(words: Sequence[str]) -> None:
    """Measures the group named first on a command line."""
    if not words or words[0] not in GROUPS:
        sys.exit(f"usage: python -m benchmarks.own {{{','.join(GROUPS)}}} ...")
    protocol.run(GROUPS[words[0]], ["pettingzoo", "numba", "numpy"], words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
