"""Nothing that a player cannot see changes what the player is told."""

from __future__ import annotations

import numpy as np
import pytest

from rummy_env import RuleConfig, State
from rummy_env.cards import JOKER, NUM_CARD_TYPES
from rummy_env.config import MAX_CARDS
from rummy_env.manipulation_rummy_v0 import raw_env
from rummy_env.observation import SIZE, view
from tests.driving import play_on, random_action

CONFIGS = [
    RuleConfig(num_players=2),
    RuleConfig(num_players=3),
    RuleConfig(num_players=5),
    RuleConfig(num_players=4, num_ranks=6, hand_size=5),
]


def seen_by(state: State, player: int) -> tuple[bytes, bytes]:
    """Returns a player's observation and, if it is theirs, the mask."""
    is_own = player == state.current_player
    mask = state.action_mask().tobytes() if is_own else b""
    return state.observation(player).tobytes(), mask


def swapped(state: State, player: int, rng: np.random.Generator) -> State | None:
    """Returns the game with a card of another hand and one of the stock exchanged.

    None where all the hidden cards that could change places are the same.
    """
    copy = state.clone()
    record = copy.record[0]
    other = (player + 1 + rng.integers(copy.config.num_players - 1)) % (
        copy.config.num_players
    )
    held = np.flatnonzero(record["hands"][other])
    left = int(record["stock_left"])
    if len(held) == 0 or left == 0:
        return None
    card, at = int(rng.choice(held)), int(rng.integers(left))
    if card == record["stock"][at]:
        return None
    record["hands"][other, card] -= 1
    record["hands"][other, record["stock"][at]] += 1
    record["stock"][at] = card
    copy._mask = None
    return copy


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.num_players)
def test_hidden_cards_never_change_what_a_player_is_told(config: RuleConfig) -> None:
    rng = np.random.default_rng(3)
    num_swapped = 0
    for game in range(4):
        state = State.new(config, game)
        while state.outcome() is None:
            for player in range(config.num_players):
                seen = seen_by(state, player)
                other = state.resample_hidden(player, int(rng.integers(2**62)))
                assert seen_by(other, player) == seen
                assert other.hand(player).tobytes() == state.hand(player).tobytes()
                exchanged = swapped(state, player, rng)
                if exchanged is not None:
                    assert seen_by(exchanged, player) == seen
                    num_swapped += exchanged != state
            play_on(state, rng, num_actions=5)
    assert num_swapped > 50


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.num_players)
def test_nor_do_the_order_of_the_stock_and_the_seed(config: RuleConfig) -> None:
    state, rng = State.new(config, 1), np.random.default_rng(1)
    play_on(state, rng, num_actions=20)
    for player in range(config.num_players):
        seen = seen_by(state, player)
        other = state.clone()
        left = other.stock_left
        other.record["stock"][0, :left] = rng.permutation(
            state.record["stock"][0, :left]
        )
        other.record["seed"] = 99
        assert other != state
        assert seen_by(other, player) == seen


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_the_end_still_hides_the_other_hands(num_players: int) -> None:
    game = raw_env(num_players=num_players, episode="round")
    rng = np.random.default_rng(0)
    game.reset(seed=4)
    while not any(game.terminations.values()):
        mask = game.observe(game.agent_selection)["action_mask"]
        game.step(random_action(mask, rng))
    state = game.game()
    for player, agent in enumerate(game.possible_agents):
        seen = game.observe(agent)["observation"].tobytes()
        assert not game.observe(agent)["action_mask"].any()
        for _ in range(20):
            other = swapped(state, player, rng)
            if other is not None:
                assert other.observation(player).tobytes() == seen


def test_the_state_holds_the_hands_and_the_stock() -> None:
    game = raw_env(num_players=3)
    rng = np.random.default_rng(2)
    game.reset(seed=2)
    for _ in range(60):
        full = game.state()
        assert game.state_space.contains(full)
        assert full.shape == (3 * SIZE + MAX_CARDS,)
        state = game.game()
        for player in range(3):
            part = full[player * SIZE : (player + 1) * SIZE]
            np.testing.assert_array_equal(part, state.observation(player))
            hand = view(part, "hand").sum(axis=0).ravel()
            np.testing.assert_array_equal(hand, state.hand(player)[:NUM_CARD_TYPES])
            jokers = view(part, "own_jokers")[0] * 2
            assert jokers == state.hand(player)[JOKER]
        cards = np.rint(full[3 * SIZE :] * (JOKER + 1)).astype(int) - 1
        stock = state.record["stock"][0, : state.stock_left][::-1]
        assert cards[: state.stock_left].tolist() == stock.tolist()
        assert (cards[state.stock_left :] == -1).all()
        mask = game.observe(game.agent_selection)["action_mask"]
        game.step(random_action(mask, rng))


def test_the_state_tells_the_next_card() -> None:
    game = raw_env(num_players=2)
    game.reset(seed=0)
    player = game.game().current_player
    card = round(float(game.state()[2 * SIZE]) * (JOKER + 1)) - 1
    before = game.game().hand(player)
    game.step("draw")
    drawn = game.game().hand(player) - before
    assert drawn.nonzero()[0].tolist() == [card]
