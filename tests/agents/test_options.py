"""What may be decided: whole melds that can be laid, and what is known of them."""

import numpy as np
import pytest

from agents.options import (
    CARD_PLANES,
    NUM_FEATURES,
    SHARES,
    SMALL,
    WAIT,
    WHOLE,
    OptionConfig,
    features,
    find_options,
)
from agents.position import read
from agents.random_agent import RandomAgent
from rummy_env import RuleConfig, State, VectorEnv
from rummy_env.actions import ACTION_NAMES, END, KNOCK
from rummy_env.cards import JOKER, NUM_CARD_TYPES, POINTS

RULES = RuleConfig(num_players=3, num_ranks=7)
EVERYTHING = OptionConfig(window=106, num_small=100)


def some_games(count, rules=RULES):
    """Returns games at points at which something can be laid and nothing is yet."""
    envs = VectorEnv(10, rules, seed=4)
    envs.reset()
    agent = RandomAgent(0)
    rng = np.random.default_rng(0)
    found = []
    while len(found) < count:
        positions = read(envs.observation)
        nothing = positions.laid.sum(axis=1) + positions.locked.sum(axis=1) == 0
        can_meld = envs.action_mask[:, 3:].any(axis=1)
        fresh = nothing & can_meld & (positions.old < 0)
        found += [envs.game(row) for row in np.flatnonzero(fresh)]
        # mostly drawing, so that hands grow and the stock comes to its end
        draws = (envs.action_mask[:, 0] == 1) & (rng.random(10) < 0.8)
        envs.step(np.where(draws, 0, agent.act(envs.observation, envs.action_mask)))
    return found


@pytest.fixture(scope="module")
def games():
    return some_games(150)


def positions_of(games):
    seen = [game.observation(game.current_player) for game in games]
    return read(np.array(seen))


def words(options, kind):
    """Returns the options of a kind, each as what it lays."""
    return [
        " ".join(ACTION_NAMES[action] for action in options.plans[number])
        for number in np.flatnonzero(options.kind == kind)
    ]


def test_to_wait_is_the_first_option_everywhere(games):
    options = find_options(positions_of(games), EVERYTHING, RULES.num_ranks)
    rows, first = np.unique(options.row, return_index=True)
    np.testing.assert_array_equal(rows, np.arange(len(games)))
    assert (options.kind[first] == WAIT).all()
    assert (options.kind == WAIT).sum() == len(games)
    assert (np.diff(options.row) >= 0).all()
    for kind, plan in zip(options.kind, options.plans, strict=True):
        assert (kind == WAIT) == (plan == [])


def test_every_option_can_be_laid_card_by_card_and_leaves_what_it_says(games):
    options = find_options(positions_of(games), EVERYTHING, RULES.num_ranks)
    assert {WAIT, WHOLE, SMALL} == set(options.kind)
    assert any("joker" in plan for plan in words(options, WHOLE))
    for number in np.flatnonzero(options.kind != WAIT):
        game = games[options.row[number]].clone()
        player = game.current_player
        for action in options.plans[number]:
            game.apply_action(action)
        if game.outcome() is None and game.current_player == player:
            assert game.action_mask()[[END, KNOCK]].any()
            after = read(game.observation(player)[None])
            hand = options.outlook.hand[number]
            np.testing.assert_array_equal(after.hand[0], hand)
            table = (after.table + after.named)[0]
            np.testing.assert_array_equal(table, options.outlook.table[number])
        else:  # it went out
            assert options.outlook.hand[number].sum() == 0


def test_what_is_known_of_an_option_has_its_length_and_halves(games):
    positions = positions_of(games)
    options = find_options(positions, EVERYTHING, RULES.num_ranks)
    known = features(positions, options, RULES.num_ranks)
    assert known.shape == (len(options.row), NUM_FEATURES)
    assert known.dtype == np.float32
    assert np.isfinite(known).all()
    halves = np.delete(known, np.r_[SHARES], axis=1) * 2
    assert set(np.unique(halves)) <= set(range(5))
    assert (known[:, SHARES] * 2 % 1 != 0).any(axis=0).sum() > 5
    assert len(np.unique(known, axis=0)) > len(games)


def exchanged(positions, order):
    """Returns positions with the suits in another order."""

    def cards(counts):
        planes = counts[:, :NUM_CARD_TYPES].reshape(-1, 4, 13)[:, order]
        rest = counts[:, NUM_CARD_TYPES:]
        return np.concatenate([planes.reshape(-1, NUM_CARD_TYPES), rest], axis=1)

    names = ("table", "named", "locked", "laid", "hand", "unseen")
    return positions._replace(
        **{name: cards(getattr(positions, name)) for name in names}
    )


@pytest.mark.parametrize("order", [[1, 2, 3, 0], [2, 1, 0, 3]])
def test_with_suits_exchanged_features_have_them_exchanged(games, order):
    def known(positions):
        options = find_options(positions, EVERYTHING, RULES.num_ranks)
        # Of several best melds another one may be found.
        kept = features(positions, options, RULES.num_ranks)[options.kind != WHOLE]
        return options.row[options.kind != WHOLE], kept

    def by_row(rows, values):
        return sorted(
            (int(row), *value) for row, value in zip(rows, values, strict=True)
        )

    positions = positions_of(games)
    rows, before = known(positions)
    size = CARD_PLANES * NUM_CARD_TYPES
    planes = before[:, :size].reshape(-1, CARD_PLANES, 4, 13)[:, :, order]
    before[:, :size] = planes.reshape(-1, size)
    assert by_row(rows, before) == by_row(*known(exchanged(positions, order)))


def position(table, hand, stock, draws=1, **options):
    state = State.from_position(
        RuleConfig(num_players=2),
        table,
        [hand, "Kc Kh 9d"],
        draws=draws,
        seed=1,
        stock=stock,
        **options,
    )
    return read(state.observation(0)[None])


LONG = "As 2s 3s 4s 5s"
HAND = "5c 6c 7c Kd Qh 8d"


def test_far_from_the_end_only_what_may_end_the_round_is_laid():
    far = OptionConfig(window=4)
    options = find_options(position([], HAND, LONG), far, 13)
    assert options.kind.tolist() == [WAIT]
    options = find_options(position([], "5c 6c 7c 8c 2d", LONG), far, 13)
    assert options.kind.tolist() == [WAIT, WHOLE]
    assert options.outlook.hand[1] @ POINTS == 2


def test_near_the_end_melds_and_small_melds_are_options():
    near = OptionConfig(window=5)
    found = find_options(position([], HAND + " 8c", LONG), near, 13)
    assert words(found, WHOLE) == ["lay 5c lay 6c lay 7c lay 8c"]
    small = {"lay 5c lay 6c lay 7c", "lay 6c lay 7c lay 8c"}
    assert set(words(found, SMALL)) == small
    one = OptionConfig(window=5, num_small=1)
    assert (
        len(words(find_options(position([], HAND + " 8c", LONG), one, 13), SMALL)) == 1
    )


def test_in_the_last_lap_there_is_nothing_small():
    lap = position([], HAND, "", draws=0, lap=2)
    assert find_options(lap, EVERYTHING, 13).kind.tolist() == [WAIT, WHOLE]


def test_the_facts_of_an_option_are_of_what_it_leaves():
    at = position(["4c 4d 4h"], HAND + " *", LONG)
    options = find_options(at, OptionConfig(num_small=100), 13)
    known = features(at, options, 13)
    number = words(options, SMALL).index("lay 5c lay 6c lay 7c")
    row = known[np.flatnonzero(options.kind == SMALL)[number]]
    hand = row[:NUM_CARD_TYPES].reshape(4, 13) * 2
    assert hand.sum() == 3
    table = row[NUM_CARD_TYPES : 2 * NUM_CARD_TYPES] * 2
    assert table.sum() == 6
    opponents = row[SHARES][:4] * 20
    np.testing.assert_allclose(opponents, [3, 0, 0, 0])
    assert options.outlook.hand[-1, JOKER] == 1


def test_a_width_is_1_or_more_and_changes_only_which_whole_meld(games):
    with pytest.raises(ValueError, match="width is 1 or more"):
        OptionConfig(width=0)
    positions = positions_of(games)
    narrow = OptionConfig(window=106, num_small=100, width=1)
    one = find_options(positions, EVERYTHING, RULES.num_ranks)
    other = find_options(positions, narrow, RULES.num_ranks)
    assert words(one, WAIT) == words(other, WAIT)
    assert words(one, SMALL) == words(other, SMALL)
    assert words(one, WHOLE) != words(other, WHOLE)


def test_a_far_end_of_the_stock_is_told_by_what_a_small_meld_shifts(games):
    positions = positions_of(games)
    options = find_options(positions, EVERYTHING, RULES.num_ranks)

    def known(stock):
        changed = positions._replace(stock=np.full(len(positions.stock), stock))
        return features(changed, options, RULES.num_ranks)

    # two others draw three cards each, and a meld takes one card of one's own: seven
    for stock, same in ((32, 25), (38, 31), (39, 25), (45, 31), (31, 31), (7, 7)):
        np.testing.assert_array_equal(known(stock), known(same))
    assert (known(32) != known(31)).any()
