"""Whole games, played on the engine and on the reference and compared at each step."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from rummy_env import RuleConfig, State
from tests.twins import Twin, cards_dealt, outcome_of, twin_of


class Comparison:
    """Games played on both sides, and how often they were compared.

    Attributes:
        seen: How many positions were compared, actions by kind, rounds by ending.
        rng: Chooses the actions.
        eagerness: How often a card is laid, where that is legal.
    """

    def __init__(self, seed: int) -> None:
        self.seen: Counter[str] = Counter()
        self.rng = random.Random(seed)
        self.eagerness = 1.0

    def choose(self, actions: list[str]) -> str:
        """Returns an action: in eager rounds most often one that lays or knocks."""
        rare = [a for a in actions if a.startswith("take") or a == "knock"]
        passive = [a for a in actions if a in ("draw", "end")] or actions
        active = [a for a in actions if a not in passive] or actions
        if self.rng.random() > self.eagerness:
            return self.rng.choice(passive)
        return self.rng.choice(rare if rare and self.rng.random() < 0.5 else active)

    def step(self, state: State, game: Twin) -> None:
        """Compares one position, and plays one action on both sides."""
        actions = state.legal_action_names()
        self.seen["compared"] += 1
        assert actions == game.legal_actions(), state.to_text()
        action = self.choose(actions)
        self.seen[action.split()[0]] += 1
        before = state.clone()
        state.apply_action(action)
        game.play(action)
        assert state.outcome() == outcome_of(game), (before.to_text(), action)
        assert game.problems() == []

    def compare_facts(self, state: State, game: Twin) -> None:
        """Compares what both sides know at the start of a round."""
        record = state.record[0]
        assert state.problems() == []
        assert state.current_player == game.player
        assert int(record["dealer"]) == game.dealer
        assert sum(map(len, game.hands)) + len(game.stock) == state.config.num_cards

    def play_round(self, state: State, game: Twin) -> None:
        """Plays a round to its end on both sides."""
        self.compare_facts(state, game)
        self.eagerness = self.rng.choice([0.2, 0.8, 0.9])
        while game.outcome is None:
            self.step(state, game)
        assert state.legal_action_names() == []
        assert state.problems() == []
        self.seen[game.outcome.reason] += 1

    def play_game(self, options: dict[str, Any], seed: int, max_rounds: int) -> None:
        """Plays rounds until the game ends, or so many of them."""
        state = State.new(RuleConfig(**options), seed)
        game = twin_of(state)
        for _ in range(max_rounds):
            self.play_round(state, game)
            assert game.outcome is not None
            if game.outcome.game_over:
                self.seen["truncated" if game.outcome.truncated else "won"] += 1
                return
            state.start_next_round()
            game.start_next_round(*cards_dealt(state))
