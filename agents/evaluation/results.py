"""What a tournament has found, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from agents.evaluation.estimates import Estimate


@dataclass(frozen=True)
class Profile:
    """How an agent plays; None where there was no occasion.

    Attributes:
        points_left: Points in hand at the end of a round.
        knocks: Share of rounds that it ended by knocking.
        undercuts: Share of its knocks after which it was not the winner.
        outs: Share of rounds that it ended by going out.
        draws_per_turn: Cards drawn in a turn outside the last lap.
        cards_per_meld: Cards laid in a meld.
    """

    points_left: float | None
    knocks: float | None
    undercuts: float | None
    outs: float | None
    draws_per_turn: float | None
    cards_per_meld: float | None


@dataclass(frozen=True)
class AgentResult:
    """How an agent did over all its games.

    Attributes:
        name: Its name in this tournament, each another.
        num_games: Games played, one for each seat it had.
        score: Its score a game.
        ahead: Its score less the mean of the other seats', a game.
        win_rate: Games won, a tie counting for its share.
        rating: Its rating on the scale of Elo, zero in the mean of all.
        profile: How it plays.
    """

    name: str
    num_games: int
    score: Estimate
    ahead: Estimate
    win_rate: Estimate
    rating: Estimate
    profile: Profile


@dataclass(frozen=True)
class Report:
    """What a tournament has found.

    Attributes:
        rules: The options of the game.
        episode: What was played, "round" or "game".
        num_deals: Deals; each was played by every lineup in all its seatings.
        seed: Seed of the deals.
        lineups: Who played, names by seat before they were seated.
        seatings: Orders in which a lineup sat down.
        agents: How each agent did, in the order given.
        payoff: Score of the agent of the row less that of the column's, a game, over
            the games that both were in; None where there were none.
    """

    rules: dict[str, Any]
    episode: str
    num_deals: int
    seed: int
    lineups: list[list[str]]
    seatings: int
    agents: list[AgentResult]
    payoff: list[list[Estimate | None]]

    @property
    def ranking(self) -> list[AgentResult]:
        """The agents, best rating first."""
        return sorted(self.agents, key=lambda agent: -agent.rating.mean)

    def to_json(self) -> dict[str, Any]:
        """Returns plain data."""
        return {
            **asdict(self),
            "ranking": [agent.name for agent in self.ranking],
        }
