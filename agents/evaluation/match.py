"""One candidate against opponents, on the same deals with the seats rotated.

Every deal is played once for each seat: the candidate sits there, the opponent on all
the others. What the cards and the seat give is thereby the same for both, and a deal's
rounds, averaged first, are one independent sample.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from agents.base import Agent
from agents.evaluation.estimates import Estimate, bootstrap_mean
from agents.registry import make_agent
from agents.rollout import play_first_episodes
from agents.run import Display
from rummy_env import VectorEnv
from rummy_env.config import RuleConfig


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """How an agent is measured.

    Attributes:
        opponents: Agents to play against, by name or path; empty skips the evaluation.
        deals: Deals against each opponent; each is played once for every seat.
        seed: Seed of the deals, another one than the training's.
        num_threads: Threads of the games.

    Raises:
        ValueError: A value is out of range.
    """

    opponents: tuple[str, ...] = ("random", "greedy")
    deals: int = 1000
    seed: int = 20_000
    num_threads: int = 2

    def __post_init__(self) -> None:
        """Checks the values."""
        object.__setattr__(self, "opponents", tuple(self.opponents))
        if self.deals < 2:
            raise ValueError(
                f"evaluation.deals is 2 or more, for an interval, not {self.deals}"
            )
        if self.num_threads < 1:
            raise ValueError(
                f"evaluation.num_threads is 1 or more, not {self.num_threads}"
            )
        if self.seed < 0:
            raise ValueError(f"evaluation.seed is 0 or more, not {self.seed}")


@dataclass(frozen=True)
class MatchResult:
    """How a candidate did against an opponent.

    Attributes:
        candidate: Name of the agent measured.
        opponent: Name of the agent on all other seats.
        num_players: Seats.
        num_deals: Deals; rounds played are deals times seats.
        score: The candidate's score a round.
        difference: The candidate's score less the mean of the others', a round.
        win_rate: Rounds won by the candidate, a tie counting for its share; between
            equals one in `num_players`.
    """

    candidate: str
    opponent: str
    num_players: int
    num_deals: int
    score: Estimate
    difference: Estimate
    win_rate: Estimate


def play_match(
    candidate: Agent,
    opponent: Agent,
    rules: RuleConfig,
    config: EvaluationConfig,
    *,
    make_envs: Callable[..., VectorEnv] = VectorEnv,
    report: Callable[[float], None] = lambda share: None,
) -> MatchResult:
    """Plays every deal with the candidate on each seat in turn.

    Args:
        candidate: The agent measured.
        opponent: The agent on all other seats; may be the candidate itself.
        rules: The game; an episode is one round.
        config: How many deals, and which.
        make_envs: Makes the games, for tests.
        report: Is told now and then which share of the match is played.
    """
    envs = make_envs(
        num_envs=config.deals,
        config=rules,
        seed=config.seed,
        num_threads=config.num_threads,
        episode="round",
        reward="score",
        skip_forced=True,
    )
    scores = np.empty((rules.num_players, config.deals, rules.num_players))
    for seat in range(rules.num_players):
        _seed_agents(candidate, opponent, config.seed, seat)
        lineup = [opponent] * rules.num_players
        lineup[seat] = candidate
        scores[seat] = play_first_episodes(
            envs,
            lineup,
            config.seed,
            report=_part(report, seat, rules.num_players),
        )
    return summarize(candidate.name, opponent.name, scores, config.seed)


def _part(
    report: Callable[[float], None], number: int, parts: int
) -> Callable[[float], None]:
    """Returns what takes the reports of one of several equal parts."""
    return lambda share: report((number + share) / parts)


def _seed_agents(candidate: Agent, opponent: Agent, seed: int, seat: int) -> None:
    """Gives both agents random numbers of their own for one rotation."""
    for number, agent in enumerate((opponent, candidate)):
        sequence = np.random.SeedSequence((seed, seat, number))
        agent.reset(int(sequence.generate_state(1)[0]))


def summarize(
    candidate: str, opponent: str, scores: NDArray[np.float64], seed: int
) -> MatchResult:
    """Returns the result of a match.

    Args:
        candidate: Name of the agent measured.
        opponent: Name of the agent on all other seats.
        scores: Scores by rotation, deal and seat, `[P, S, P]`; in rotation p the
            candidate sat on seat p.
        seed: Seed of the resampling.
    """
    num_players, num_deals, _ = scores.shape
    own = np.stack([scores[seat, :, seat] for seat in range(num_players)])
    others = (scores.sum(axis=2) - own) / (num_players - 1)
    best = scores.max(axis=2)
    wins = (own == best) / (scores == best[..., None]).sum(axis=2)
    return MatchResult(
        candidate=candidate,
        opponent=opponent,
        num_players=num_players,
        num_deals=num_deals,
        score=bootstrap_mean(own.mean(axis=0), seed),
        difference=bootstrap_mean((own - others).mean(axis=0), seed),
        win_rate=bootstrap_mean(wins.mean(axis=0), seed),
    )


def make_opponents(rules: RuleConfig, config: EvaluationConfig) -> list[Agent]:
    """Returns the opponents, to be played or to see in time that they exist.

    Raises:
        UnknownAgentError: An agent is unknown.
        CheckpointError: A policy cannot be read or does not fit.
    """
    return [make_agent(name, rules) for name in config.opponents]


def measure(
    candidate: str, rules: RuleConfig, config: EvaluationConfig
) -> list[MatchResult]:
    """Plays a match against each opponent, and shows on stderr how far it is.

    Args:
        candidate: The agent measured, by name or path.
        rules: The game.
        config: Whom to play, how many deals, and which.

    Raises:
        UnknownAgentError: An agent is unknown.
        CheckpointError: A policy cannot be read or does not fit.
    """
    agent = make_agent(candidate, rules)
    opponents = make_opponents(rules, config)
    results = []
    start = time.monotonic()
    with Display(Console(stderr=True)) as display:
        for number, opponent in enumerate(opponents):
            text = f"{agent.name} plays against {opponent.name}"

            def say(share: float, text: str = text) -> None:
                display.say(share, time.monotonic() - start, text)

            report = _part(say, number, len(opponents))
            results.append(play_match(agent, opponent, rules, config, report=report))
    return results
