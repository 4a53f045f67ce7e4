"""Agents among one another, on the same deals in all seats.

A deal is one independent sample: what every lineup makes of it in every seating is
averaged first, so chance in the cards and the seats falls on all alike.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.callable_agent import CallableAgent, Policy
from agents.evaluation.estimates import Estimate, bootstrap
from agents.evaluation.games import TALLIES, Played, play
from agents.evaluation.lineups import Lineup, make_lineups, make_seatings
from agents.evaluation.rating import ratings
from agents.evaluation.results import AgentResult, Profile, Report
from agents.registry import common_rules, make_agent
from rummy_env import VectorEnv
from rummy_env.config import RuleConfig

_CHUNK: Final = 1000
"""Deals of a task; not a matter of the workers, so that results are not either."""
_RATING_RESAMPLES: Final = 200
_POLL_SECONDS: Final = 0.5
"""How often it is looked how far the workers are."""

Contestant = str | Agent | Policy
"""An agent, its name or path, or a callable from observations and masks to actions."""


@dataclass(frozen=True, kw_only=True)
class TournamentConfig:
    """How agents are compared.

    Attributes:
        deals: Deals; each is played by every lineup in every seating.
        seed: Seed of the deals, of chance in the agents and of the intervals.
        episode: "round", or "game" for whole games with their bonuses.
        workers: Processes; results do not depend on it. With more than one, agents
            that are no names must be importable: functions of a module, not lambdas.
        lineups: "all", or "first" for the first agent alone on one seat, against each
            of the others on all the rest.

    Raises:
        ValueError: A value is out of range.
    """

    deals: int = 1000
    seed: int = 20_000
    episode: str = "round"
    workers: int = 1
    lineups: str = "all"

    def __post_init__(self) -> None:
        """Checks the values."""
        if self.deals < 2:
            raise ValueError(f"deals: 2 or more, for an interval, not {self.deals}")
        if self.workers < 1:
            raise ValueError(f"workers: 1 or more, not {self.workers}")
        if self.seed < 0:
            raise ValueError(f"seed: 0 or more, not {self.seed}")
        if self.episode not in ("round", "game"):
            raise ValueError(f"episode: round or game, not {self.episode!r}")
        if self.lineups not in ("all", "first"):
            raise ValueError(f"lineups: all or first, not {self.lineups!r}")


class _Task(NamedTuple):
    """Some deals of one lineup in one seating."""

    lineup: int
    seating: Lineup
    seating_number: int
    chunk: int
    num_deals: int


def evaluate(
    agents: Sequence[Contestant],
    rules: RuleConfig | None = None,
    config: TournamentConfig | None = None,
    *,
    report: Callable[[float], None] = lambda share: None,
) -> Report:
    """Plays agents against one another and says how they did.

    Args:
        agents: Whom to compare: names or paths, agents, or callables that take
            observations `[B, D]` and action masks `[B, 159]` and return actions `[B]`.
        rules: The game; None for what the policies among the agents were trained for.
        config: How many deals, and which.
        report: Is told now and then which share is played.

    Raises:
        ValueError: There is no agent, one is unknown or does not fit the rules, or
            cannot go to the other processes that the config asks for.
    """
    config = config or TournamentConfig()
    if not agents:
        raise ValueError("there is nobody to evaluate: give an agent")
    only_first = config.lineups == "first"
    if only_first and len(agents) == 1:
        raise ValueError("lineups: first needs somebody to play against")
    if config.workers > 1:
        _check_portable(agents)
    rules = rules or common_rules([a for a in agents if isinstance(a, str)], {})
    made = [_make(agent, rules) for agent in agents]
    names = _different([agent.name for agent in made])
    lineups = make_lineups(len(agents), rules.num_players, only_first=only_first)
    tasks = _tasks(lineups, config)
    table = _Table(len(agents), lineups, config.deals)
    given = made if config.workers == 1 else agents
    for task, played in _results(given, rules, config, tasks, report):
        table.add(task, played)
    report(1.0)
    return table.summary(names, rules, config)


def _check_portable(agents: Sequence[Contestant]) -> None:
    """Refuses agents that other processes cannot load.

    Raises:
        ValueError: There is one.
    """
    for agent in agents:
        try:
            pickle.dumps(agent)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ValueError(
                f"workers: the agent {agent!r} cannot go to other processes ({error}); "
                "take 1, or a function that can be imported"
            ) from None


def _make(agent: Contestant, rules: RuleConfig) -> Agent:
    """Returns an agent ready to play."""
    if isinstance(agent, str):
        return make_agent(agent, rules)
    if isinstance(agent, Agent):
        return agent
    if callable(agent):
        return CallableAgent(agent, getattr(agent, "__name__", "callable"))
    raise ValueError(f"an agent is a name, an Agent or a callable, not {agent!r}")


def _different(names: Sequence[str]) -> list[str]:
    """Returns names with a number after those that were there already."""
    found: list[str] = []
    for name in names:
        number, new = 1, name
        while new in found:
            number += 1
            new = f"{name} ({number})"
        found.append(new)
    return found


def _tasks(lineups: Sequence[Lineup], config: TournamentConfig) -> list[_Task]:
    """Returns all that is to be played."""
    return [
        _Task(number, seating, order, chunk, min(_CHUNK, config.deals - chunk * _CHUNK))
        for chunk in range(-(-config.deals // _CHUNK))
        for number, lineup in enumerate(lineups)
        for order, seating in enumerate(make_seatings(lineup))
    ]


def _results(
    agents: Sequence[Contestant],
    rules: RuleConfig,
    config: TournamentConfig,
    tasks: Sequence[_Task],
    report: Callable[[float], None],
) -> Iterator[tuple[_Task, Played]]:
    """Yields what came of every task, in order: sums must not depend on luck."""
    if config.workers == 1:
        made = [_make(agent, rules) for agent in agents]
        for number, task in enumerate(tasks):

            def show(share: float, number: int = number) -> None:
                report((number + share) / len(tasks))

            yield task, _play_task(made, rules, config, task, show)
        return
    workers = min(config.workers, len(tasks))
    context = multiprocessing.get_context("spawn")
    shares = context.RawArray("d", len(tasks))
    start = functools.partial(_start_worker, agents, rules, config, shares)
    with ProcessPoolExecutor(workers, context, initializer=start) as pool:
        try:
            # A process inherits what is held back, and heeds it in `_start_worker`.
            with _interrupts_held_back():
                futures = [pool.submit(_work, *each) for each in enumerate(tasks)]
            for task, future in zip(tasks, futures, strict=True):
                while not wait([future], timeout=_POLL_SECONDS).done:
                    report(sum(shares) / len(tasks))
                yield task, future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Has Ctrl-C wait until the end of the block, where the system can do that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_worker: Callable[[_Task, Callable[[float], None]], Played]
"""In a process of the pool: what plays a task."""
_shares: Any
"""In such a process: which share of each task is played, for all to see."""


def _start_worker(
    agents: Sequence[Contestant],
    rules: RuleConfig,
    config: TournamentConfig,
    shares: Any,
) -> None:
    """Makes the agents of a process of the pool."""
    global _worker, _shares
    _shares = shares
    # Ctrl-C ends it without a word, unless it is ignored, as in the background
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    made = [_make(agent, rules) for agent in agents]
    _worker = functools.partial(_play_task, made, rules, config)


def _work(number: int, task: _Task) -> Played:
    """Plays a task in a process of the pool."""

    def show(share: float) -> None:
        _shares[number] = share

    return _worker(task, show)


def _play_task(
    agents: Sequence[Agent],
    rules: RuleConfig,
    config: TournamentConfig,
    task: _Task,
    report: Callable[[float], None],
) -> Played:
    """Plays some deals; chance follows from the task alone."""
    envs = VectorEnv(task.num_deals, rules, episode=config.episode)
    for number in set(task.seating):
        entropy = (config.seed, task.lineup, task.seating_number, task.chunk, number)
        agents[number].reset(_seed(entropy) >> 32)
    lineup = [agents[number] for number in task.seating]
    seed, is_game = _seed((config.seed, task.chunk)), config.episode == "game"
    return play(envs, lineup, seed, is_game=is_game, report=report)


def _seed(entropy: tuple[int, ...]) -> int:
    """Returns a seed from 0 to 2**63 - 1 made of numbers."""
    state = np.random.SeedSequence(entropy).generate_state(1, np.uint64)
    return int(state[0] >> 1)


class _Table:
    """Adds up what agents make of deals."""

    def __init__(
        self, num_agents: int, lineups: Sequence[Lineup], num_deals: int
    ) -> None:
        self._lineups = lineups
        self._num_seatings = [len(make_seatings(lineup)) for lineup in lineups]
        self._own = np.zeros((num_deals, num_agents, 3))
        self._seats = np.zeros(num_agents)
        self._pairs = np.zeros((num_deals, num_agents, num_agents))
        self._meetings = np.zeros((num_agents, num_agents))
        self._tallies = np.zeros((num_agents, len(TALLIES)), dtype=np.int64)

    def add(self, task: _Task, played: Played) -> None:
        """Adds what came of a task."""
        first = task.chunk * _CHUNK
        deals = slice(first, first + task.num_deals)
        scores = played.scores.astype(np.float64)
        best = scores == scores.max(axis=1, keepdims=True)
        wins = best / best.sum(axis=1, keepdims=True)
        rest = scores.sum(axis=1, keepdims=True) - scores
        ahead = scores - rest / (scores.shape[1] - 1)
        for seat, agent in enumerate(task.seating):
            columns = (scores[:, seat], ahead[:, seat], wins[:, seat])
            self._own[deals, agent] += np.stack(columns, axis=1)
            self._tallies[agent] += played.tallies[:, seat].sum(axis=0)
            if task.chunk == 0:
                self._seats[agent] += 1
        self._add_pairs(task, deals, scores)

    def _add_pairs(
        self, task: _Task, deals: slice, scores: NDArray[np.float64]
    ) -> None:
        """Adds by how much each agent was ahead of each other."""
        seats = np.array(task.seating)
        mean = {agent: scores[:, seats == agent].mean(axis=1) for agent in set(seats)}
        for one in mean:
            for other in mean:
                if one != other:
                    self._pairs[deals, one, other] += mean[one] - mean[other]
                    self._meetings[one, other] += task.chunk == 0

    def summary(
        self, names: Sequence[str], rules: RuleConfig, config: TournamentConfig
    ) -> Report:
        """Returns the report when all is played."""
        own = self._estimates(config.seed)
        rating = self._ratings(config.seed)
        return Report(
            rules=rules.options(),
            episode=config.episode,
            num_deals=config.deals,
            seed=config.seed,
            lineups=[[names[agent] for agent in line] for line in self._lineups],
            seatings=self._num_seatings[0],
            agents=[
                AgentResult(
                    name,
                    int(self._seats[number]) * config.deals,
                    score,
                    ahead,
                    win_rate,
                    rating[number],
                    _profile(dict(zip(TALLIES, tallies.tolist(), strict=True))),
                )
                for number, (name, tallies, (score, ahead, win_rate)) in enumerate(
                    zip(names, self._tallies, own, strict=True)
                )
            ],
            payoff=self._payoff(config.seed),
        )

    def _estimates(self, seed: int) -> list[list[Estimate]]:
        """Returns score, ahead and win rate of each agent."""
        samples = self._own / self._seats[:, None]
        found = bootstrap(samples.reshape(len(samples), -1), seed)
        return [found[at : at + 3] for at in range(0, len(found), 3)]

    def _payoff(self, seed: int) -> list[list[Estimate | None]]:
        """Returns the matrix of differences."""
        samples = self._pairs / np.maximum(self._meetings, 1)
        found = bootstrap(samples.reshape(len(samples), -1), seed)
        size = len(self._meetings)
        return [
            [
                found[one * size + other] if self._meetings[one, other] else None
                for other in range(size)
            ]
            for one in range(size)
        ]

    def _ratings(self, seed: int) -> list[Estimate]:
        """Returns the ratings; games are counted on the scale of all deals."""
        num_deals = len(self._own)
        games = np.array(self._num_seatings) * float(num_deals)

        def rate(mean_wins: NDArray[np.float64]) -> NDArray[np.float64]:
            return ratings(self._lineups, games, mean_wins * num_deals)

        wins = self._own[:, :, 2]
        return bootstrap(wins, seed, statistic=rate, num_resamples=_RATING_RESAMPLES)


def _profile(counts: dict[str, int]) -> Profile:
    """Returns how an agent plays from what was counted."""

    def per(name: str, of: str) -> float | None:
        return counts[name] / counts[of] if counts[of] else None

    return Profile(
        points_left=per("points_left", "rounds"),
        knocks=per("knocks", "rounds"),
        undercuts=per("undercuts", "knocks"),
        outs=per("outs", "rounds"),
        draws_per_turn=per("draws", "turns"),
        cards_per_meld=per("cards_laid", "melds"),
    )
