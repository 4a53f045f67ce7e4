"""A player that plays its options out on cards dealt anew, and takes the best."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.dmc_agent import best_of, dare
from agents.expert_agent import ExpertAgent
from agents.options import OptionConfig, find_options
from agents.plans import Plan, Planner
from agents.position import Positions
from agents.rollout import play_out
from rummy_env import RuleConfig, State, VectorEnv
from rummy_env.actions import DRAW, END
from rummy_env.cards import CARD_NAMES, JOKER, card_name

MAX_SEED = 2**63


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """How long it thinks.

    Attributes:
        budget_ms: Milliseconds after which no further deals are played out; 0 for no
            limit. With one, choices depend on the machine.
        deals: The most deals of the hidden cards for each choice.
        batch: Deals played out at once, each with every option.
    """

    budget_ms: float = 0.0
    deals: int = 32
    batch: int = 16


class SearchAgent:
    """Judges each option by playing it out with a fast policy on every seat.

    The cards that the player does not see are dealt anew for each trial (the other
    hands keep their sizes), the same for all options, so that these are compared on
    the same deals. It searches where nothing is laid yet and there is a choice.

    Args:
        rules: The game.
        base: The policy that plays the trials out; the expert by default.
        config: How long it thinks.
        options: What it chooses from.
        seed: Of the deals.
    """

    def __init__(
        self,
        rules: RuleConfig,
        base: Agent | None = None,
        config: SearchConfig | None = None,
        options: OptionConfig | None = None,
        seed: int = 0,
    ) -> None:
        self._base = base or ExpertAgent(rules.num_ranks, rules.knock_limit)
        self._rules = rules
        self._config = config or SearchConfig()
        self._options = options or OptionConfig()
        self._planner = Planner(self._plan, rules.num_ranks)
        self.reset(seed)

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return f"search({self._base.name})"

    def reset(self, seed: int) -> None:
        """Restarts the deals that it thinks of."""
        self._rng = np.random.default_rng(seed)
        self._planner.reset()
        self._base.reset(seed)

    def act(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Returns an action for each position.

        Args:
            observations: What the player to act sees, float32 `[B, D]`.
            masks: The legal actions, int8 `[B, 159]`, at least one in each row.

        Returns:
            Action ids, int64 `[B]`.
        """
        positions, actions = self._planner.act(observations, masks)
        dare(positions, actions, masks)
        return actions

    def _plan(self, positions: Positions) -> list[Plan]:
        """Returns the meld of each position, [] to wait."""
        options = find_options(positions, self._options, self._rules.num_ranks)
        values = np.zeros(len(options.row), dtype=np.float32)
        for row in range(len(positions.old)):
            own = np.flatnonzero(options.row == row)
            if len(own) > 1:
                plans = [options.plans[number] for number in own]
                values[own] = self._judge(positions.rows(np.array([row])), plans)
        return [options.plans[number] for number in best_of(options.row, values)]

    def _judge(self, position: Positions, plans: list[Plan]) -> NDArray[np.float32]:
        """Returns the mean payoff of each plan over deals of the hidden cards."""
        start, config = time.perf_counter(), self._config
        total, count = np.zeros(len(plans)), 0
        while count < config.deals:
            deals = [self._deal(position) for _ in range(config.batch)]
            total += self._play(deals, plans)
            count += config.batch
            spent = (time.perf_counter() - start) * 1000
            if config.budget_ms and spent > config.budget_ms:
                break
        return (total / count).astype(np.float32)

    def _deal(self, position: Positions) -> State:
        """Returns the position with the cards that are not seen dealt at random."""
        unseen = np.repeat(np.arange(JOKER + 1), position.unseen[0])
        cards = self._rng.permutation(unseen)
        sizes = position.opponents[0]
        hands = [np.repeat(np.arange(JOKER + 1), position.hand[0])]
        for size in sizes[sizes > 0]:
            hands.append(cards[:size])
            cards = cards[size:]
        named = np.repeat(np.arange(JOKER), position.named[0])
        table = np.repeat(np.arange(JOKER), position.table[0])
        words = [CARD_NAMES[card] for card in table]
        words += [f"*{CARD_NAMES[card]}" for card in named]
        return State.from_position(
            self._rules,
            " ".join(words),
            [" ".join(card_name(int(card)) for card in hand) for hand in hands],
            draws=int(position.draws[0]),
            seed=int(self._rng.integers(MAX_SEED)),
            stock=" ".join(card_name(int(card)) for card in cards),
            lap=int(position.lap_left[0]) or None,
        )

    def _play(self, deals: list[State], plans: list[Plan]) -> NDArray[np.float64]:
        """Returns what each plan pays over the deals, added up."""
        payoffs = np.zeros((len(deals), len(plans)))
        running: list[State] = []
        places: list[tuple[int, int]] = []
        for number, deal in enumerate(deals):
            for at, plan in enumerate(plans):
                game = deal.clone()
                _lay(game, plan)
                outcome = game.outcome()
                if outcome is None:
                    running.append(game)
                    places.append((number, at))
                else:
                    payoffs[number, at] = _payoff(np.array(outcome.round_scores))
        if running:
            envs = VectorEnv(len(running), self._rules)
            envs.place(running)
            scores = play_out(envs, [self._base] * self._rules.num_players)
            for (number, at), of_round in zip(places, scores, strict=True):
                payoffs[number, at] = _payoff(of_round)
        return np.asarray(payoffs.sum(axis=0))


def _lay(game: State, plan: Plan) -> None:
    """Plays a plan, or what waiting comes to: a draw, or the end of the turn."""
    for action in plan:
        game.apply_action(action)
    if not plan:
        mask = game.action_mask()
        game.apply_action(DRAW if mask[DRAW] else END)


def _payoff(scores: NDArray[np.int64]) -> float:
    """Returns the score of the first seat over the mean of the others."""
    return float(scores[0] - scores[1:].mean())
