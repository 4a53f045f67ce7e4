"""What is remembered of an earlier question saves time and changes no answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rummy_env import RuleConfig, State, solver
from rummy_env.actions import ACTION_NAMES
from rummy_env.kernel import calls, completion, memory
from rummy_env.kernel.calls import new_workspaces
from rummy_env.kernel.jit import entry
from rummy_env.kernel.workspace import NO_HINT
from rummy_env.record import new_states
from rummy_env.rules import new_mask

CONFIGS = [
    RuleConfig(num_players=2),
    RuleConfig(num_players=3),
    RuleConfig(num_players=5),
    RuleConfig(num_players=2, num_ranks=4, hand_size=6),
    RuleConfig(num_players=3, num_ranks=6, hand_size=5, jokers_per_pack=1),
    RuleConfig(num_players=2, packs=1, hand_size=9),
]


def positions(config: RuleConfig, rounds: int, seed: int) -> Iterator[NDArray[Any]]:
    """Yields the game at every step of random rounds, blank between them."""
    rng, options = np.random.default_rng(seed), config.to_array()
    states, works, mask = new_states(), new_workspaces(), new_mask()
    for game in range(rounds):
        calls.start_game(states, options, seed * 1000 + game)
        action = calls.NO_ACTION
        while calls.play(states, options, works, action, mask):
            yield states.copy()
            action = int(rng.choice(np.flatnonzero(mask)))


@entry
def ask_loaded(works: Any) -> None:
    """Answers the question in a workspace, as its memory helps, and remembers it."""
    memory.recall(works[0], works[0]["memory"])
    completion.answer_open(works[0])
    memory.remember(works[0], works[0]["memory"])


def ask(states: NDArray[Any], config: RuleConfig, works: NDArray[Any]) -> list[str]:
    """Returns what is legal, as a workspace with its memory says."""
    mask = new_mask()
    calls.play(states, config.to_array(), works, calls.NO_ACTION, mask)
    return [ACTION_NAMES[action] for action in np.flatnonzero(mask)]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: f"{c.num_players}-{c.packs}")
def test_r12_to_r16_any_memory_gives_the_same_answers(config: RuleConfig) -> None:
    """That of the last step, of one long ago, of another hand, of none."""
    rng = np.random.default_rng(1)
    last, mixed = new_workspaces(), new_workspaces()
    memories = np.zeros(40, dtype=last["memory"].dtype)
    for number, states in enumerate(positions(config, 12, 3)):
        expected = ask(states, config, new_workspaces())
        assert ask(states, config, last) == expected
        assert ask(states, config, last) == expected  # the very same question again
        mixed["memory"] = memories[rng.integers(len(memories))]
        assert ask(states, config, mixed) == expected
        memories[number % len(memories)] = last["memory"][0]


def test_memories_of_games_with_other_rules_give_the_same_answers() -> None:
    """A thread has one workspace for all its games, whatever their ranks and packs."""
    works = new_workspaces()
    games = [(config, positions(config, 6, 9)) for config in CONFIGS]
    rng = np.random.default_rng(2)
    for _ in range(1500):
        config, states = games[int(rng.integers(len(games)))]
        found = next(states, None)
        if found is not None:
            assert ask(found, config, works) == ask(found, config, new_workspaces())


def questions(seed: int) -> Iterator[tuple[list[str], str, int]]:
    """Yields tables and hands where cards come and go two at a time as well."""
    rng = np.random.default_rng(seed)
    melds = ["2c 3c 4c", "5d 6d 7d", "9s 9h 9d", "2h 3h 4h"]
    deck = [f"{rank}{suit}" for rank in "A23456789" for suit in "cdhs"]
    for _ in range(60):
        table = [meld for meld in melds if rng.random() < 0.5]
        used = " ".join(table).split()
        hand = list(rng.choice([card for card in deck if card not in used], 5))
        hand = [card for card in hand if hand.count(card) < 2]
        for _ in range(8):
            yield table, " ".join(hand), 9
            card = str(rng.choice([c for c in deck if c not in used and c not in hand]))
            hand = [*hand, card, card] if rng.random() < 0.5 else [*hand, card]


def test_r12_a_hand_that_grew_by_two_copies_of_a_card() -> None:
    """A table may lay one of them: not only what lays both is new."""
    works, found = new_workspaces(), 0
    for table, hand, num_ranks in questions(3):
        for each in (works, fresh := new_workspaces()):
            solver.load(each, table, hand, num_ranks=num_ranks)
            each["wanted_names"] = 52
            ask_loaded(each)
        lays = np.flatnonzero(works["lay"][0] == 1).tolist()
        assert lays == np.flatnonzero(fresh["lay"][0] == 1).tolist(), (table, hand)
        found += bool(lays)
    assert found > 50


def test_r16_a_name_of_a_game_with_more_ranks_is_none_of_this_one() -> None:
    """It was: a joker could be taken and had no name to go to."""
    wide = State.from_position(
        RuleConfig(num_players=2), "5h 6h 7h", ["8c 9c *", "Ks"], draws=1
    )
    assert wide.legal_action_names()
    rules = RuleConfig(num_players=2, packs=2, num_ranks=3, hand_size=3)
    game = State.from_position(rules, "3c 3h 3s Ah 2h *3h", ["3d Ac", "Ad"], draws=1)
    game.apply_action("lay 3d")
    assert game.legal_action_names() == ["end", "knock"]


def test_r16_hints_that_are_no_cards_are_none() -> None:
    """What a memory holds is not trusted, nor is a number in it."""
    config = RuleConfig(num_players=3, packs=2, num_ranks=7)
    rng, works = np.random.default_rng(5), new_workspaces()
    num_hints = 0
    for states in positions(config, 8, 4):
        expected = ask(states, config, new_workspaces())
        works["memory"]["hints"] = rng.integers(-128, 128, 2)
        works["memory"]["num_hints"] = 2
        assert ask(states, config, works) == expected
        hints = works[0]["hints"]
        assert (hints >= NO_HINT).all()
        assert (hints < 52).all()
        num_hints += int((hints != NO_HINT).sum())
    assert num_hints > 100


def test_a_memory_saves_work() -> None:
    """Or the test above would prove nothing."""
    config = RuleConfig(num_players=3)
    with_memory, without = new_workspaces(), new_workspaces()
    for states in positions(config, 5, 4):
        ask(states, config, with_memory)
        without["memory"] = np.zeros(1, dtype=without["memory"].dtype)
        ask(states, config, without)
    assert with_memory["num_looks"][0] < 0.9 * without["num_looks"][0]


def test_memories_of_lost_and_grown_hands_are_used() -> None:
    """Each way in which one question can follow from another comes up."""
    config, seen = RuleConfig(num_players=2), set()
    works = new_workspaces()
    for states in positions(config, 10, 5):
        works["lay"] = 0
        works["grown"] = -1
        ask(states, config, works)
        if (works["grown"] >= 0).any():
            seen.add("grown")
        elif (works["lay"] == -1).any():
            seen.add("narrower")
    assert seen == {"grown", "narrower"}
