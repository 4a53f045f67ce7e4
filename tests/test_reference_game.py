"""Tests of the reference game, phase by phase."""

from __future__ import annotations

import random

import pytest

from rummy_env.actions import ACTION_NAMES
from rummy_env.cards import JOKER, parse_hand
from rummy_env.config import RuleConfig
from tests.reference.completion import action_order
from tests.reference.game import Game, card_points


def deck_of(config: RuleConfig) -> list[int]:
    """Returns the cards in play, in order."""
    cards = [suit * 13 + rank for suit in range(4) for rank in range(config.num_ranks)]
    return cards * config.num_packs + [JOKER] * config.num_jokers


def deal(config: RuleConfig, rng: random.Random) -> tuple[list[list[int]], list[int]]:
    """Returns shuffled hands and the stock."""
    cards = deck_of(config)
    rng.shuffle(cards)
    size = config.hand_size
    ends = range(size, size * config.num_players + 1, size)
    return [cards[end - size : end] for end in ends], cards[ends[-1] :]


def given(hands: list[str], stock: str, **options: object) -> Game:
    """Returns a game whose last player deals, so that player 0 begins.

    The cards need not be whole packs.
    """
    config = RuleConfig.from_options(num_players=len(hands), **options)
    cards = [parse_hand(hand) for hand in hands]
    return Game(config, cards, parse_hand(stock), len(hands) - 1)


def play_out(game: Game, actions: str) -> None:
    """Plays actions given in one text, parted by commas."""
    for action in actions.split(", "):
        game.apply(action)


def test_r3_points() -> None:
    assert [card_points(card) for card in parse_hand("Ac 2d 9h Ts Jc Qd Kh *")] == [
        *[1, 2, 9, 10],
        *[10, 10, 10, 25],
    ]


def test_r5_the_player_left_of_the_dealer_begins() -> None:
    config = RuleConfig(num_players=3)
    hands, stock = deal(config, random.Random(0))
    assert [Game(config, hands, stock, dealer).player for dealer in range(3)] == [
        *[1, 2, 0]
    ]


def test_r6_a_turn_draws_up_to_three_cards() -> None:
    game = given(["5c 6c", "9h Kd"], "7c 2d 3s Ks")
    assert game.legal_actions() == ["draw"]
    game.apply("draw")
    assert game.legal_actions() == ["draw", "lay 5c", "lay 6c", "lay 7c"]
    game.apply("draw")
    assert game.legal_actions() == ["draw", "lay 5c", "lay 6c", "lay 7c"]
    game.apply("draw")
    assert game.legal_actions() == ["end"]
    game.apply("end")
    assert (game.player, game.draws, game.legal_actions()) == (1, 0, ["draw"])


def test_r7_after_a_meld_nothing_is_drawn() -> None:
    game = given(["5c 6c 8c Kd", "9h Kd"], "7c 2d 3s Ks")
    play_out(game, "draw, lay 6c, lay 7c, lay 8c")
    assert game.legal_actions() == ["end", "lay 5c"]
    game.apply("end")
    assert game.player == 1
    with pytest.raises(ValueError, match="not legal"):
        game.apply("end")


def test_r9_the_stock_runs_out_within_a_turn() -> None:
    game = given(["5c 6c 9d", "9h Kd"], "7c")
    game.apply("draw")
    assert game.legal_actions() == ["end", "lay 5c", "lay 6c", "lay 7c"]
    game.apply("end")
    assert (game.player, game.turns_left) == (1, 2)


def test_r18_knock_after_the_third_draw_or_a_meld() -> None:
    game = given(["Ac", "9h Kd"], "2c Ad Ah Ks")
    play_out(game, "draw, draw, draw")
    assert game.legal_actions() == ["end", "knock"]
    game.apply("knock")
    assert game.outcome is not None
    assert (game.outcome.reason, game.outcome.by) == ("knock", 0)
    assert game.outcome.points == [5, 19]
    assert (game.outcome.scores, game.outcome.winners) == ([14, 0], [0])
    assert game.legal_actions() == []
    game = given(["Ac 7d 7h", "9h Kd"], "7s Ad Ah Ks")
    play_out(game, "draw, lay 7d, lay 7h, lay 7s")
    assert game.legal_actions() == ["end", "knock"]


def test_r18_the_turn_of_the_last_card_may_knock_the_lap_may_not() -> None:
    game = given(["Ac", "9h Kd"], "2c")
    game.apply("draw")
    assert game.legal_actions() == ["end", "knock"]
    for allowed in (False, True):
        game = given(["Ac Kd", "Ah"], "2c", knock_in_last_lap=allowed)
        play_out(game, "draw, end")
        assert game.legal_actions() == ["end", "knock"][: 1 + allowed]


def test_r19_going_out_ends_the_round_at_once() -> None:
    game = given(["5c 6c", "9h Kd"], "7c 2d")
    play_out(game, "draw, lay 5c, lay 6c, lay 7c")
    assert game.outcome is not None
    assert (game.outcome.reason, game.outcome.by) == ("out", 0)
    assert game.outcome.scores == [44, 0]


def test_r19_not_while_a_released_joker_waits() -> None:
    game = given(["7c", "9h Kd"], "8c 2d")
    game.real, game.named = parse_hand("5c 6c"), parse_hand("7c")
    play_out(game, "draw, lay 7c, lay 8c")
    assert game.outcome is None
    assert game.legal_actions() == ["take 7c"]
    game.apply("take 7c")
    assert game.legal_actions() == ["joker 4c", "joker 9c"]
    game.apply("joker 9c")
    assert game.outcome is not None
    assert game.outcome.reason == "out"
    assert sorted(game.named) == parse_hand("9c")


def test_r20_the_last_lap_gives_each_player_one_turn() -> None:
    game = given(["Kc Kd", "9c 9d", "8c 8d"], "2h")
    play_out(game, "draw, end")
    players = []
    while game.outcome is None:
        players.append(game.player)
        assert game.legal_actions() == ["end"]
        game.apply("end")
    assert players == [1, 2, 0]
    assert (game.outcome.reason, game.outcome.by) == ("lap", None)
    assert game.outcome.scores == [0, 0, 22 + 18 - 16 - 16]


def test_r20_a_meld_in_the_lap_needs_no_draw() -> None:
    game = given(["Kc Kd", "9c 9d 9h 4c"], "2h")
    play_out(game, "draw, end")
    assert game.legal_actions() == ["end", "lay 9c", "lay 9d", "lay 9h"]
    play_out(game, "lay 9c, lay 9d, lay 9h")
    assert game.legal_actions() == ["end"]
    play_out(game, "end, end")
    assert game.outcome is not None
    assert game.outcome.round_scores == [0, 18]


def test_r27_to_r29_the_game_ends_at_the_target() -> None:
    game = given(["5c 6c", "9h Kd"], "7c 2d", target_score=44)
    play_out(game, "draw, lay 5c, lay 6c, lay 7c")
    assert game.outcome is not None
    assert game.outcome.game_over
    assert not game.outcome.truncated
    assert (game.outcome.totals, game.outcome.game_winners) == ([144, 0], [0])


def test_r30_the_game_is_truncated_after_max_rounds() -> None:
    for target, truncated in [(45, True), (44, False)]:
        game = given(["5c 6c", "9h Kd"], "7c 2d", max_rounds=1, target_score=target)
        play_out(game, "draw, lay 5c, lay 6c, lay 7c")
        assert game.outcome is not None
        assert game.outcome.game_over
        assert game.outcome.truncated is truncated
        assert (game.outcome.game_winners == []) is truncated
        assert game.outcome.totals == ([44, 0] if truncated else [144, 0])


def play_game(game: Game, rng: random.Random) -> int:
    """Plays random actions to the end of a game; returns its rounds."""
    while True:
        assert game.problems() == []
        actions = game.legal_actions()
        assert actions == action_order(actions)
        if len(game.stock) % 5 == 0:
            assert actions == [name for name in ACTION_NAMES if game.is_legal(name)]
        assert (actions == []) is (game.outcome is not None)
        if game.outcome is None:
            melding = [a for a in actions if a not in ("draw", "end")]
            game.apply(rng.choice(melding or actions))
        elif game.outcome.game_over:
            return game.rounds_played
        else:
            dealer, hands_and_stock = game.dealer, deal(game.config, rng)
            game.start_next_round(*hands_and_stock)
            assert game.dealer == (dealer + 1) % game.config.num_players


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "num_ranks": 3, "hand_size": 3, "max_rounds": 5},
        {"num_players": 2, "num_ranks": 5, "hand_size": 4, "packs": 2},
        {"num_players": 3, "num_ranks": 4, "hand_size": 5, "target_score": 60},
        {"num_players": 3, "num_ranks": 6, "knock_in_last_lap": True, "hand_size": 6},
        {"num_players": 4, "num_ranks": 13, "jokers_per_pack": 0, "max_rounds": 1},
        {"num_players": 2, "max_rounds": 2},
    ],
)
def test_random_games_keep_their_cards_and_end(options: dict[str, object]) -> None:
    config = RuleConfig.from_options(**options)
    rng = random.Random(3)
    for _ in range(3):
        hands, stock = deal(config, rng)
        assert len(stock) == config.stock_size
        play_game(Game(config, hands, stock, rng.randrange(config.num_players)), rng)


@pytest.mark.parametrize(("players", "stock"), [(2, 33), (3, 76), (4, 66), (5, 56)])
def test_r4_stock_after_the_deal(players: int, stock: int) -> None:
    config = RuleConfig(num_players=players)
    assert len(deal(config, random.Random(0))[1]) == stock
