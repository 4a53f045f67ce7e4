"""Pictures: a game as a table that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rummy_env.cards import NUM_CARD_TYPES, card_name, format_hand, format_meld
from rummy_env.config import RuleConfig
from rummy_env.kernel.turn import NO_LAP, NOT_PENDING
from rummy_env.rules import outcome, phase


def _loose_cards(state: Any) -> str:
    """Returns the cards of a table that does not split into melds yet."""
    cards = [
        (c, False) for c in range(NUM_CARD_TYPES) for _ in range(state["table"][c])
    ]
    cards += [
        (c, True) for c in range(NUM_CARD_TYPES) for _ in range(state["named"][c])
    ]
    return format_meld(sorted(cards))


def _table_lines(state: Any, layout: Sequence[str] | None) -> list[str]:
    """Returns the table, a meld a line."""
    if layout is None:
        lines = ["table (being rearranged):", f"  {_loose_cards(state)}"]
    elif layout:
        lines = ["table:", *(f"  {meld}" for meld in layout)]
    else:
        lines = ["table: empty"]
    if state["pending"] != NOT_PENDING:
        lines.append(f"  * was {card_name(int(state['pending']))}, waits for a name")
    return lines


def _player_line(state: Any, player: int, viewer: int | None) -> str:
    """Returns a player's hand, or its size if it is not the viewer's."""
    hand = state["hands"][player]
    mark = ">" if player == state["to_move"] and not state["ended"] else " "
    size = int(hand.sum())
    cards = format_hand(hand) if viewer in (None, player) else "?"
    return (
        f"{mark} player_{player}  score {int(state['scores'][player]):4d}  "
        f"{size:2d} cards: {cards}"
    )


def render(
    states: Any,
    config: RuleConfig,
    layout: Sequence[str] | None,
    viewer: int | None = None,
) -> str:
    """Returns a game as text: the table, the hands, the stock, the scores.

    Args:
        states: The game, `[1]`.
        config: Its options.
        layout: The table as melds, jokers marked with `*`; None while it is not legal.
        viewer: Whose hand is shown; None shows all of them.
    """
    state = states[0]
    lines = [f"round {int(state['round']) + 1}, {phase(states)}"]
    stock = f"stock: {int(state['stock_left'])} cards"
    if state["lap_left"] != NO_LAP:
        stock += f", last lap: {int(state['lap_left'])} turns left"
    lines += [stock, *_table_lines(state, layout)]
    lines += [_player_line(state, p, viewer) for p in range(config.num_players)]
    result = outcome(states, config)
    if result is not None:
        by = "" if result["by"] is None else f" of player_{result['by']}"
        lines.append(
            f"ended by {result['reason']}{by}; points {result['points']}, "
            f"scores {result['round_scores']}"
        )
    return "\n".join(lines)
