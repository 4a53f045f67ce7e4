"""A little of everything the kernels do, as text: `python -m tests.kernel_run`.

Run it under another setting of the compiler and compare. Cases of melding that are
named on the command line are left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from pathlib import Path

import numpy as np

from rummy_env import RuleConfig, State, solver
from rummy_env.cards import JOKER
from rummy_env.kernel.cache import source_digest
from rummy_env.kernel.jit import IS_COMPILED
from rummy_env.kernel.workspace import CAPACITY
from tests.driving import chosen_action

CASES = Path(__file__).with_name("cases") / "melding.json"
MOST_ACTIONS = 80
MOST_CASES = 25
WIDE = "wide"
"""The name by which `wide_lines` are left out."""


def round_lines(num_players: int, num_ranks: int) -> list[str]:
    """Plays a short round; returns every position with its mask."""
    config = RuleConfig(num_players=num_players, num_ranks=num_ranks, hand_size=4)
    state = State.new(config, seed=num_ranks)
    lines = []
    while state.outcome() is None and len(lines) < MOST_ACTIONS:
        text, mask = state.to_text(), state.action_mask()
        lines.append(f"{text} {state.legal_actions()} {state.layout()}")
        lines.append(str(state.observation(0).sum()))
        state.apply_action(chosen_action(text, mask))
    return [*lines, state.to_text()]


def case_lines(left_out: Collection[str]) -> list[str]:
    """Asks the solver what is playable in the cases of melding, and what is best."""
    lines = []
    for case in json.loads(CASES.read_text(encoding="utf-8"))[:MOST_CASES]:
        if case["name"] in left_out:
            continue
        table, hand = case["table"], case["hand"]
        best = solver.best_meld(table, hand)
        lines.append(f"{case['name']}: {solver.playable(table, hand)} {best}")
    return lines


def wide_lines() -> list[str]:
    """Returns a large hand's best meld with layers as wide as there is room.

    The hand has two jokers, and is one of those that fill a layer.
    """
    deck = np.repeat(np.arange(JOKER + 1), 2)
    hand = np.random.default_rng(549_593_687).choice(deck, 36, replace=False)
    counts = np.bincount(hand, minlength=JOKER + 1)[None]
    counts[0, JOKER] = 2
    nothing = np.zeros((1, JOKER), dtype=np.int64)
    question = (nothing, nothing, nothing, counts, np.full(1, -1))
    melds = solver.best_melds(*question, width=5 * CAPACITY)
    return [f"{melds.table.tolist()} {melds.named.tolist()}"]


def all_lines(left_out: Collection[str] = ()) -> list[str]:
    """Returns everything but some cases of melding, line by line."""
    lines = [*round_lines(2, 6), *round_lines(3, 5), *case_lines(left_out)]
    return lines if WIDE in left_out else [*lines, *wide_lines()]


if __name__ == "__main__":
    print(f"compiled {IS_COMPILED} digest {source_digest()}")
    print(*all_lines(sys.argv[1:]), sep="\n")
