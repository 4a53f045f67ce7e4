"""Positions written by hand, and actions played on them."""

from __future__ import annotations

from typing import Any

from rummy_env import RuleConfig, State
from rummy_env.cards import NUM_CARD_TYPES, RANKS, SUITS


def position(hands: list[str | None], table: Any = "", **given: Any) -> State:
    """Returns a position; arguments that are rule options make its configuration.

    Without a word on it the first player moves and has drawn once.
    """
    places = ("to_move", "draws", "seed", "stock", "scores", "rounds_won", "dealer")
    placed = {key: given.pop(key) for key in (*places, "lap") if key in given}
    if not placed.get("lap"):
        placed.setdefault("draws", 1)
    config = RuleConfig(**{"num_players": len(hands), **given})
    return State.from_position(config, table, hands, **placed)


def play(state: State, *actions: str) -> State:
    """Plays actions in turn and returns the state."""
    for action in actions:
        state.apply_action(action)
    return state


def melding(state: State) -> list[str]:
    """Returns the legal actions without draw, end and knock."""
    return melding_of(state.legal_action_names())


def melding_of(actions: list[str]) -> list[str]:
    """Returns those of some actions that lay, name or take a card."""
    return [name for name in actions if " " in name]


def lays(cards: str) -> list[str]:
    """Returns the actions that lay these cards."""
    return [f"lay {card}" for card in cards.split()]


def names(cards: str) -> list[str]:
    """Returns the actions that name a joker as one of these cards."""
    return [f"joker {card}" for card in cards.split()]


def result(state: State) -> dict[str, Any]:
    """Returns the outcome of a round that is over."""
    outcome = state.outcome()
    assert outcome is not None
    return outcome


def deck(num_ranks: int = 13) -> list[str]:
    """Returns every card once, without the joker."""
    assert len(RANKS) * len(SUITS) == NUM_CARD_TYPES
    return [rank + suit for suit in SUITS for rank in RANKS[:num_ranks]]
