"""Kuhn's poker: three cards, a bet of one; its numbers are known."""

from __future__ import annotations

import itertools

from agents.exploitability import Decision

CARDS = "JQK"
PASS, BET = "pass", "bet"
OVER = {"pp": 1, "bp": 1, "pbp": 1, "bb": 2, "pbb": 2}
"""The stakes of what ends a game."""


class Kuhn:
    """States are the cards and what was said: `("KJ", "pb")`."""

    def begin(self):
        deals = ["".join(cards) for cards in itertools.permutations(CARDS, 2)]
        return [(1 / len(deals), (deal, "")) for deal in deals]

    def payoff(self, state):
        cards, said = state
        if said not in OVER:
            return None
        is_ahead = CARDS.index(cards[0]) > CARDS.index(cards[1])
        if said in ("bp", "pbp"):  # who passes on a bet loses
            is_ahead = said == "bp"
        return float(OVER[said] if is_ahead else -OVER[said])

    def decision(self, state):
        cards, said = state
        player = len(said) % 2
        return Decision(player, (cards[player], said), (PASS, BET))

    def play(self, state, action):
        cards, said = state
        return [(1.0, (cards, said + action[0]))]


def equilibrium(side, alpha=0.2):
    """Returns the equilibrium that bets a jack first with a chance of alpha."""
    bets = {
        ("J", ""): alpha,
        ("Q", ""): 0.0,
        ("K", ""): 3 * alpha,
        ("J", "pb"): 0.0,
        ("Q", "pb"): alpha + 1 / 3,
        ("K", "pb"): 1.0,
        ("J", "p"): 1 / 3,
        ("Q", "p"): 0.0,
        ("K", "p"): 1.0,
        ("J", "b"): 0.0,
        ("Q", "b"): 1 / 3,
        ("K", "b"): 1.0,
    }
    strategy = [1.0]
    for infoset in side.infosets:
        strategy += [1 - bets[infoset], bets[infoset]]
    return strategy
