"""Many games at once are the same games one at a time."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest
import torch

from rummy_env import ConfigError, IllegalActionError, RuleConfig, RummyError, VectorEnv
from rummy_env.actions import NUM_ACTIONS
from rummy_env.kernel import batch
from rummy_env.kernel.deal import episode_seed
from rummy_env.manipulation_rummy_v0 import raw_env
from rummy_env.observation import SIZE
from tests.driving import NO_CHOICE, SMALL_GAME, random_actions

ARRAYS = (
    "observation",
    "action_mask",
    "current_player",
    "reward",
    "terminated",
    "truncated",
    "final_scores",
    "game_seed",
    "num_skipped",
    "num_applied",
)


def make(num_envs: int = 6, **options: Any) -> VectorEnv:
    """Returns quick games, begun."""
    config = RuleConfig(num_players=3, **SMALL_GAME)
    envs = VectorEnv(num_envs, config, **options)
    envs.reset()
    return envs


def look(envs: VectorEnv) -> dict[str, np.ndarray]:
    """Returns copies of all that an engine shows."""
    return {name: getattr(envs, name).copy() for name in ARRAYS}


def play(envs: VectorEnv, num_steps: int, seed: int = 0) -> list[dict[str, np.ndarray]]:
    """Plays at random; returns all that is seen after every step."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(num_steps):
        envs.step(random_actions(envs.action_mask, rng))
        seen.append(look(envs))
    return seen


def assert_same(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    """Checks that two engines showed the same."""
    for one, other in zip(ours, theirs, strict=True):
        for name in ARRAYS:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)


class Twin:
    """A row of a `VectorEnv` played by `raw_env` beside it.

    Attributes:
        game: The environment.
        carried: What every seat earned before the episode's first choice: there the
            row gives it with the first step.
    """

    def __init__(self, game: raw_env) -> None:
        self.game = game
        self.carried = np.zeros(len(game.possible_agents))

    def begin(self, seed: int) -> None:
        self.game.reset(seed=seed)
        self.carried = np.array(list(self.game.rewards.values()))

    def step(self, action: int) -> np.ndarray:
        """Plays an action; returns every seat's reward as the row gives it."""
        self.game.step(action)
        reward = self.carried + np.array(list(self.game.rewards.values()))
        self.carried = np.zeros_like(reward)
        return reward

    def check_shown(self, envs: VectorEnv, row: int) -> None:
        """Compares what the player to act sees."""
        agent = self.game.agent_selection
        assert agent == f"player_{envs.current_player[row]}"
        seen = self.game.observe(agent)
        np.testing.assert_array_equal(envs.observation[row], seen["observation"])
        np.testing.assert_array_equal(envs.action_mask[row], seen["action_mask"])

    def check_end(self, envs: VectorEnv, row: int, episode: str) -> bool:
        """Compares whether and how the episode ended."""
        is_terminated = all(self.game.terminations.values())
        is_truncated = all(self.game.truncations.values())
        assert envs.terminated[row] == is_terminated
        assert envs.truncated[row] == is_truncated
        if not (is_terminated or is_truncated):
            return False
        outcome = self.game.infos["player_0"]["outcome"]
        scores = outcome["totals" if episode == "game" else "round_scores"]
        assert envs.final_scores[row].tolist() == scores
        return True


def compare(config: RuleConfig, num_steps: int, **options: Any) -> int:
    """Plays rows and twins side by side; returns how many episodes ended."""
    envs = VectorEnv(3, config, seed=11, **options)
    envs.reset()
    rules = config.options()
    twins = [Twin(raw_env(**rules, **options)) for _ in range(3)]
    for row, twin in enumerate(twins):
        twin.begin(int(envs.game_seed[row]))
    rng = np.random.default_rng(12)
    ended = 0
    for _ in range(num_steps):
        for row, twin in enumerate(twins):
            twin.check_shown(envs, row)
        actions = random_actions(envs.action_mask, rng)
        envs.step(actions)
        for row, twin in enumerate(twins):
            reward = twin.step(int(actions[row]))
            np.testing.assert_allclose(envs.reward[row], reward, atol=1e-4)
            if twin.check_end(envs, row, options["episode"]):
                ended += 1
                twin.begin(int(envs.game_seed[row]))
    return ended


@pytest.mark.parametrize("reward", ["score", "zero_sum", "win"])
@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("episode", ["game", "round"])
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_rows_are_the_games_of_raw_env(
    num_players: int, episode: str, skip_forced: bool, reward: str
) -> None:
    config = RuleConfig(num_players=num_players, **SMALL_GAME)
    ended = compare(
        config, 400, episode=episode, reward=reward, skip_forced=skip_forced
    )
    assert ended > (2 if episode == "game" else 10)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_rows_of_the_full_game_are_those_of_raw_env(num_players: int) -> None:
    config = RuleConfig(num_players=num_players)
    assert compare(config, 300, episode="round", reward="zero_sum") > 0


def test_r30_truncated_games_are_the_same_too() -> None:
    options = SMALL_GAME | {"target_score": 10**6, "max_rounds": 2}
    config = RuleConfig(num_players=3, **options)
    assert compare(config, 400, episode="game", reward="score") > 2


@pytest.mark.parametrize("episode", ["game", "round"])
def test_episodes_without_a_choice_are_the_same_too(episode: str) -> None:
    config = RuleConfig(num_players=2, target_score=30, **NO_CHOICE)
    assert compare(config, 400, episode=episode, reward="score", skip_forced=True) > 10


def test_the_number_of_threads_does_not_matter() -> None:
    one, two = make(7, num_threads=1), make(7, num_threads=2)
    assert_same([look(one)], [look(two)])
    assert_same(play(one, 150), play(two, 150))
    two.close()
    assert_same(play(one, 5), play(two, 5))
    two.close()


def test_a_seed_gives_the_same_games_and_no_seed_the_next_ones() -> None:
    envs = make(seed=0)
    first = [look(envs), *play(envs, 60)]
    envs.reset(seed=0)
    assert_same([look(envs), *play(envs, 60)], first)
    assert_same([look(make(seed=0))], first[:1])
    envs.reset(seed=0)
    envs.reset()
    seeds = [int(episode_seed(0, row, 1)) for row in range(6)]
    assert envs.game_seed.tolist() == seeds
    assert not np.array_equal(envs.observation, first[0]["observation"])
    other = VectorEnv(6, envs.config, seed=None)
    other.reset()
    assert not np.array_equal(other.game_seed, first[0]["game_seed"])


def test_episode_k_of_row_i_has_its_own_seed() -> None:
    envs = make(2, seed=5)
    episodes = np.zeros(2, dtype=int)
    for seen in play(envs, 200):
        episodes += seen["terminated"]
        seeds = [int(episode_seed(5, row, int(episodes[row]))) for row in range(2)]
        assert seen["game_seed"].tolist() == seeds
    assert episodes.min() > 1


def test_skipped_episodes_are_those_without_a_choice() -> None:
    options = {"num_players": 4, "packs": 1, "num_ranks": 3, "hand_size": 2}
    config = RuleConfig(**options, jokers_per_pack=0)
    envs = VectorEnv(3, config, seed=1, episode="round", skip_forced=True)
    game = raw_env(**config.options(), episode="round", skip_forced=True)
    envs.reset()
    rng = np.random.default_rng(0)
    episodes = np.zeros(3, dtype=int)
    expected = np.zeros(3, dtype=int)
    for _ in range(60):
        for row in range(3):
            while True:
                seed = int(episode_seed(1, row, int(episodes[row])))
                game.reset(seed=seed)
                if not all(game.terminations.values()):
                    break
                episodes[row] += 1
                expected[row] += 1
            assert envs.game_seed[row] == seed
        np.testing.assert_array_equal(envs.num_skipped, expected)
        envs.step(random_actions(envs.action_mask, rng))
        episodes += envs.terminated
    assert expected.min() > 0
    envs.reset()
    assert envs.num_skipped.max() < expected.min()


@pytest.mark.parametrize("skip_forced", [False, True])
def test_applied_actions_are_counted_with_the_forced_ones(skip_forced: bool) -> None:
    envs = make(skip_forced=skip_forced)
    play(envs, 50)
    assert (envs.num_applied > 50).all() == skip_forced
    assert (envs.num_applied == 50).all() != skip_forced
    envs.reset(seed=1)
    assert (envs.num_applied < 50).all()


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(5, dtype=np.int64),
        np.zeros((6, 1), dtype=np.int64),
        np.zeros(6),
        np.zeros(6, dtype=bool),
        np.zeros(6, dtype=np.float32),
        0,
        ["draw"] * 6,
        [None] * 6,
    ],
)
def test_actions_of_the_wrong_kind_are_refused(actions: Any) -> None:
    envs = make()
    before = look(envs)
    with pytest.raises(RummyError, match="actions"):
        envs.step(actions)
    assert_same([look(envs)], [before])


@pytest.mark.parametrize("wrong", [-1, NUM_ACTIONS, 2**40, NUM_ACTIONS - 1])
def test_illegal_actions_name_their_rows_and_change_nothing(wrong: int) -> None:
    envs = make()
    play(envs, 20)
    before, records = look(envs), envs._states.tobytes()
    actions = random_actions(envs.action_mask, np.random.default_rng(0))
    actions[[1, 4]] = wrong
    with pytest.raises(IllegalActionError, match=r"^2 illegal.*row 1: .*row 4: ") as it:
        envs.step(actions)
    assert "row 0" not in str(it.value)
    assert_same([look(envs)], [before])
    assert envs._states.tobytes() == records


def test_of_many_illegal_rows_the_first_are_named() -> None:
    envs = make(30)
    with pytest.raises(IllegalActionError, match=r"^30 illegal.* and 20 more$"):
        envs.step(np.full(30, NUM_ACTIONS - 1))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_all_whole_numbers_and_lists_are_taken(dtype: Any) -> None:
    envs, other = make(), make()
    actions = random_actions(envs.action_mask, np.random.default_rng(0))
    envs.step(actions.astype(dtype))
    other.step(actions.tolist())
    assert_same([look(envs)], [look(other)])


@pytest.mark.parametrize("num_players", [2, 5])
def test_observe_is_what_the_state_shows(num_players: int) -> None:
    envs = VectorEnv(3, RuleConfig(num_players=num_players), seed=2)
    envs.reset()
    for seen in play(envs, 40):
        assert not seen["terminated"].any()
    each = np.array([0, 1, num_players - 1])
    np.testing.assert_array_equal(
        envs.observe(each), [envs.game(i).observation(each[i]) for i in range(3)]
    )
    for player in range(num_players):
        seen = envs.observe(player)
        expected = [envs.game(row).observation(player) for row in range(3)]
        np.testing.assert_array_equal(seen, expected)
    np.testing.assert_array_equal(envs.observe(envs.current_player), envs.observation)


@pytest.mark.parametrize("player", [-1, 3, 0.0, True, np.zeros(2, dtype=int), "0"])
def test_seats_that_are_none_are_refused(player: Any) -> None:
    with pytest.raises(RummyError, match="seat"):
        make().observe(player)


def test_a_row_as_a_state_is_independent() -> None:
    envs = make()
    state = envs.game(2)
    state.apply_action("draw")
    assert state != envs.game(2)
    for row in (-1, 6):
        with pytest.raises(RummyError, match="no row"):
            envs.game(row)


def test_torch_sees_the_arrays_themselves() -> None:
    envs = make()
    observation = torch.from_numpy(envs.observation)
    mask = torch.from_numpy(envs.action_mask)
    assert observation.shape == (6, SIZE)
    returned, _, _, _, info = envs.step(mask.argmax(dim=1))
    assert returned is envs.observation
    assert info["action_mask"] is envs.action_mask
    play(envs, 10)
    assert torch.equal(observation, torch.from_numpy(envs.observation.copy()))
    assert torch.equal(mask, torch.from_numpy(envs.action_mask.copy()))
    assert observation.data_ptr() == envs.observation.ctypes.data


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_copies_go_on_the_same(how: str, num_threads: int) -> None:
    envs = make(num_threads=num_threads, episode="game", skip_forced=True)
    play(envs, 30)
    if how == "deepcopy":
        other = copy.deepcopy(envs)
    else:
        other = pickle.loads(pickle.dumps(envs))
    seen = play(envs, 80, seed=1)
    assert_same(play(other, 80, seed=1), seen)
    envs.reset()
    other.reset()
    assert_same([look(other)], [look(envs)])
    envs.close()
    other.close()


def test_before_the_first_reset_no_step_is_taken() -> None:
    envs = VectorEnv(2)
    for use in (lambda: envs.step([0, 0]), lambda: envs.observe(0)):
        with pytest.raises(RummyError, match=r"reset\(\)"):
            use()
    with pytest.raises(RummyError, match=r"reset\(\)"):
        envs.game(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs is a whole number from 1"),
        ({"num_envs": True}, "num_envs"),
        ({"num_threads": 0}, "num_threads"),
        ({"seed": -1}, "seed"),
        ({"episode": "games"}, "did you mean 'game'"),
        ({"reward": "wins"}, "did you mean 'win'"),
        ({"skip_forced": "yes"}, "True or False"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        VectorEnv(**{"num_envs": 2, **options})


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_broken_step_is_not_passed_over_in_silence(
    num_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    envs = make(num_threads=num_threads)
    saved = envs.save()

    def stop(*arguments: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        step_rows(*arguments)  # the other thread plays all rows then

    step_rows = batch.step_rows
    monkeypatch.setattr(batch, "step_rows", stop)
    actions = envs.action_mask.argmax(axis=1)
    with pytest.raises(KeyboardInterrupt):
        envs.step(actions)
    monkeypatch.undo()
    uses = (
        lambda: envs.step(actions),
        lambda: envs.observe(0),
        lambda: envs.game(0),
        envs.save,
    )
    for use in uses:
        with pytest.raises(RummyError, match="interrupted"):
            use()
    envs.load(saved)
    envs.step(actions)
    monkeypatch.setattr(batch, "step_rows", stop)
    with pytest.raises(KeyboardInterrupt):
        envs.reset()
    monkeypatch.undo()
    envs.reset(seed=0)
    envs.step(envs.action_mask.argmax(axis=1))
