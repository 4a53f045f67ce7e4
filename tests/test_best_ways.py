"""Two ways to the best meld of a hand that does not fit as a whole find the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rummy_env import RuleConfig
from rummy_env.cards import JOKER, NUM_RANKS
from rummy_env.kernel import best, calls
from rummy_env.kernel.completion import answer
from rummy_env.kernel.jit import ADDRESSES, addresses, entry
from rummy_env.kernel.leaving import BY_CARDS, BY_POINTS, FIRST_BOUND, least_left
from rummy_env.kernel.loose import leave_out, list_loose, next_stay
from rummy_env.kernel.one_joker import NO_NAME, TOO_WIDE
from rummy_env.kernel.turn import load_question
from rummy_env.kernel.without import NO_JOKER, name_without
from rummy_env.kernel.workspace import MOST_LOOSE, WORKSPACE
from rummy_env.record import new_states
from rummy_env.rules import new_mask

NOTHING_FITS = -2
"""No card can be laid, or all of them can."""
MOST_SETS = 60
"""Sets of cards to stay that are compared of one hand."""


@entry
def by_asking(states: Any, options: Any, works: Any, objective: int) -> int:
    """Returns what the best meld leaves, found by asking; see `best._leave_few`."""
    work = works[0]
    load_question(states[0], options, work)
    best._put_aside(work)
    if best._all_fit(work):
        return NOTHING_FITS
    most = best._hand_value(work, objective)
    return best._leave_few(work, objective, most, best.MOST_TRIES)


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


@entry
def is_refuted_as_loaded(works: Any) -> bool:
    """Tells whether walks for one joker say that the hand does not fit as a whole."""
    return not best._all_fit(works[0]) and works[0]["is_refuted"] == 1


@entry
def is_refuted(states: Any, options: Any, works: Any) -> bool:
    """Tells the same of the hand of who is to move."""
    load_question(states[0], options, works[0])
    return is_refuted_as_loaded(works)


@entry
def names_by_layers(works: Any, objective: int, names: Any) -> int:
    """Writes the lowest name for each set of cards to stay, up to the first that fits.

    From the layers of the hand as a whole. Returns how many sets there are.
    """
    work = works[0]
    count, last = list_loose(work, objective), 0
    for number in range(min(len(names), (1 << count) - 1)):
        last = next_stay(work, count, last)
        leave_out(work, count, last)
        names[number] = name_without(work)
        if names[number] != NO_NAME:
            return number + 1
    return len(names)


@entry
def names_anew(works: Any, objective: int, names: Any) -> None:
    """Writes the same, every set asked by a walk of its own."""
    work = works[0]
    count, last = list_loose(work, objective), 0
    for number in range(len(names)):
        last = next_stay(work, count, last)
        leave_out(work, count, last)
        fits = best._fits_but_for(work, TOO_WIDE)
        names[number] = work["best_name"] if fits else NO_NAME


@entry
def ask_for_all(states: Any, options: Any, works: Any) -> None:
    """Asks what may be laid."""
    load_question(states[0], options, works[0])
    answer(works[0])


@pytest.mark.parametrize("objective", [BY_POINTS, BY_CARDS])
@pytest.mark.parametrize(("players", "num_ranks"), [(3, 13), (5, 13), (3, 6), (2, 4)])
def test_names_where_cards_stay_are_those_of_walks_anew(
    players: int, num_ranks: int, objective: int
) -> None:
    config = RuleConfig(num_players=players, packs=2, num_ranks=num_ranks, hand_size=7)
    options, works, mask = config.to_array(), calls.new_workspaces(), new_mask()
    asking, states = calls.new_workspaces(), new_states()
    asking[ADDRESSES] = addresses(WORKSPACE, with_late=True)
    rng, fitted, num_sets = np.random.default_rng(players), 0, 0
    for seed in range(60):
        calls.start_game(states, options, seed)
        action = calls.NO_ACTION
        while calls.play(states, options, works, action, mask):
            action = int(rng.choice(np.flatnonzero(mask)))
            hand = states["hands"][0, states["to_move"][0]]
            if states["pending"][0] >= 0 or hand[JOKER] == 0:
                continue
            if hand.sum() > MOST_LOOSE or not is_refuted(states, options, asking):
                continue
            names = np.full(MOST_SETS, NO_NAME)
            names = names[: names_by_layers(asking, objective, names)]
            anew = np.full_like(names, NO_NAME)
            names_anew(asking, objective, anew)
            np.testing.assert_array_equal(names, anew)
            fitted += len(names) > 0 and names[-1] != NO_NAME
            num_sets += len(names)
    assert fitted > 10
    assert num_sets > 1000


def test_a_joker_may_have_to_stay_for_another_card() -> None:
    works, names = calls.new_workspaces(), np.full(MOST_SETS, NO_NAME)
    works[ADDRESSES] = addresses(WORKSPACE, with_late=True)
    five_of_clubs, king_of_diamonds, five_of_spades = 4, 25, 43
    works["num_ranks"] = 13
    works["table"][0, five_of_clubs:five_of_spades:NUM_RANKS] = 1
    works["hand"][0, [king_of_diamonds, five_of_spades, JOKER]] = 1
    # the joker has no place beside four fives, and nothing else goes with the king
    assert is_refuted_as_loaded(works)
    names = names[: names_by_layers(works, BY_CARDS, names)]
    # one stays: the joker, the five, the king; two: joker and five, joker and king
    assert names.tolist() == [NO_NAME, NO_NAME, NO_NAME, NO_NAME, NO_JOKER]


def test_layers_of_a_hand_that_does_not_fit_are_forgotten_with_the_next_walk() -> None:
    config = RuleConfig(num_players=5)
    options, works, mask = config.to_array(), calls.new_workspaces(), new_mask()
    works[ADDRESSES] = addresses(WORKSPACE, with_late=True)
    states = new_states()
    calls.start_game(states, options, 0)
    rng, asked, action = np.random.default_rng(0), 0, calls.NO_ACTION
    while calls.play(states, options, works, action, mask):
        action = int(rng.choice(np.flatnonzero(mask)))
        if states["pending"][0] < 0 and is_refuted(states, options, works):
            ask_for_all(states, options, works)
            assert works["is_refuted"][0] == 0
            asked += 1
    assert asked > 0
