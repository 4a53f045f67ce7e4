"""Two ways to the best meld of a hand that does not fit as a whole find the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rummy_env import RuleConfig
from rummy_env.cards import JOKER
from rummy_env.kernel import best, calls
from rummy_env.kernel.jit import ADDRESSES, addresses, entry
from rummy_env.kernel.leaving import BY_CARDS, BY_POINTS, FIRST_BOUND, least_left
from rummy_env.kernel.turn import load_question
from rummy_env.kernel.workspace import WORKSPACE
from rummy_env.record import new_states
from rummy_env.rules import new_mask

NOTHING_FITS = -2
"""No card can be laid, or all of them can."""


@entry
def by_asking(states: Any, options: Any, works: Any, objective: int) -> int:
    """Returns what the best meld leaves, found by asking; see `best._leave_few`."""
    work = works[0]
    load_question(states[0], options, work)
    best._put_aside(work)
    if best._all_fit(work):
        return NOTHING_FITS
    return best._leave_few(work, objective, best._hand_value(work, objective))


@entry
def by_walking(states: Any, options: Any, works: Any, objective: int) -> int:
    """Returns the same, found by the walk that adds up what stays."""
    work = works[0]
    load_question(states[0], options, work)
    best._put_aside(work)
    total = best._hand_value(work, objective)
    left = least_left(work, objective, FIRST_BOUND, total)
    if left <= total:
        best._prefer_first(work, objective, left)
    return left


@pytest.mark.parametrize("players", [2, 3, 5])
def test_asking_and_walking_leave_the_same_cards(players: int) -> None:
    config = RuleConfig(num_players=players)
    options, works, mask = config.to_array(), calls.new_workspaces(), new_mask()
    asking, states = calls.new_workspaces(), new_states()
    asking[ADDRESSES] = addresses(WORKSPACE, with_late=True)
    walking, rng, compared = asking.copy(), np.random.default_rng(players), 0
    for seed in range(40):
        calls.start_game(states, options, seed)
        action = calls.NO_ACTION
        while calls.play(states, options, works, action, mask):
            action = int(rng.choice(np.flatnonzero(mask)))
            if states["pending"][0] >= 0 or states["draws"][0] == 0:
                continue
            objective = (BY_POINTS, BY_CARDS)[seed % 2]
            left = by_asking(states, options, asking, objective)
            if left in (NOTHING_FITS, best.NOT_FOUND):
                continue
            assert by_walking(states, options, walking, objective) == left
            for part in ("best_table", "best_pending"):
                np.testing.assert_array_equal(asking[part], walking[part])
            has_joker = states["hands"][0, states["to_move"][0], JOKER] > 0
            compared += 1 + int(has_joker)
    assert compared > 100
