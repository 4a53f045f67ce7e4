"""Many games at once: the engine for training, one compiled call a step."""

from __future__ import annotations

import io
import secrets
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummy_env.actions import ACTION_NAMES, NUM_ACTIONS
from rummy_env.config import RuleConfig
from rummy_env.crew import Crew
from rummy_env.errors import (
    ConfigError,
    IllegalActionError,
    PositionError,
    RummyError,
    is_whole,
)
from rummy_env.kernel import batch
from rummy_env.kernel.calls import new_workspaces
from rummy_env.kernel.workspace import MEMORY
from rummy_env.observation import SIZE
from rummy_env.record import new_states, packs_of
from rummy_env.rewards import parse_episode, parse_reward
from rummy_env.rules import check_config
from rummy_env.state import State, check_seed

_SHOWN_ROWS = 10
_PER_THREAD = 8
"""How often a thread fetches rows at least, where there are enough."""
_MOST_AT_ONCE = 16
"""The most rows that a thread fetches at once."""
_SAVED = (
    "_settings",
    "_states",
    "action_mask",
    "current_player",
    "reward",
    "_carried",
    "terminated",
    "truncated",
    "final_scores",
    "game_seed",
    "_episode",
    "_counts",
)
"""The arrays that `save` keeps; the observations follow from them."""
MAX_ENVS = 1 << 24


class VectorEnv:
    """`num_envs` games of one configuration, stepped together.

    It owns its arrays and overwrites them in place at every step; `torch.from_numpy`
    sees them without a copy. An episode that ends is followed by the next within the
    same step: `terminated` or `truncated` is set, `reward` and `final_scores` are
    those of the old episode, `observation`, `action_mask` and `current_player` belong
    to the new one. Row i's episode k is the game of the seed
    `kernel.deal.episode_seed(seed, i, k)`, given by `game_seed`:
    `raw_env.reset(seed=int(game_seed[i]))` plays the same.

    Threads, each with a workspace of its own, fetch a few rows at a time until none is
    left; the compiled code holds no lock. The games do not depend on their number.

    Args:
        num_envs: How many games.
        config: The rule options; three players by default.
        seed: From 0 to 2**63 - 1; None draws one.
        num_threads: Threads to step with.
        episode: "round" or "game"; see `raw_env`.
        reward: "score", "zero_sum" or "win"; see `rewards`.
        skip_forced: Whether actions without an alternative are played by the engine.
            Episodes without any choice are then passed over and counted.

    Attributes:
        observation: Float32 `[N, SIZE]`, what the player to act sees.
        action_mask: Int8 `[N, 159]`, what is legal for that player.
        current_player: Int64 `[N]`, who acts.
        reward: Float32 `[N, P]`, every seat's reward of the last step.
        terminated: Bool `[N]`, whether an episode ended in the last step.
        truncated: Bool `[N]`, whether one was truncated instead (R30).
        final_scores: Int64 `[N, P]`, the scores of the last episode that ended.
        game_seed: Int64 `[N]`, the seed of the game under way.
        num_skipped: Int64 `[N]`, episodes passed over for want of a choice.
        num_applied: Int64 `[N]`, actions applied so far, forced ones included.

    Raises:
        ConfigError: A number is out of range, or an option has a wrong value.
    """

    def __init__(
        self,
        num_envs: int,
        config: RuleConfig | None = None,
        seed: int | None = 0,
        num_threads: int = 1,
        *,
        episode: str = "round",
        reward: str = "score",
        skip_forced: bool = False,
    ) -> None:
        self.config = RuleConfig() if config is None else check_config(config)
        self.num_envs = _whole("num_envs", num_envs, MAX_ENVS)
        self.num_threads = _whole("num_threads", num_threads, 1024)
        if not isinstance(skip_forced, bool | np.bool_):
            raise ConfigError(f"skip_forced is True or False, not {skip_forced!r}")
        self.num_players = self.config.num_players
        self.observation_size = SIZE
        self.num_actions = NUM_ACTIONS
        self._options = self.config.to_array()
        self._settings = np.zeros(batch.NUM_SETTINGS, dtype=np.int64)
        self._settings[batch.EPISODE_AT] = parse_episode(episode)
        self._settings[batch.REWARD_AT] = parse_reward(reward)
        self._settings[batch.SKIP_FORCED_AT] = bool(skip_forced)
        self._settings[batch.SEED_AT] = _seed(seed)
        self._make_arrays()
        self._make_threads()
        self._is_reset = False
        self._is_interrupted = False

    def _make_arrays(self) -> None:
        """Makes the arrays that every step overwrites."""
        rows, players = self.num_envs, self.num_players
        self._states = new_states(rows)
        self._memories = np.zeros(rows, dtype=MEMORY)
        self.observation = np.zeros((rows, SIZE), dtype=np.float32)
        self.action_mask = np.zeros((rows, NUM_ACTIONS), dtype=np.int8)
        self.current_player = np.zeros(rows, dtype=np.int64)
        self.reward = np.zeros((rows, players), dtype=np.float32)
        self.terminated = np.zeros(rows, dtype=np.bool_)
        self.truncated = np.zeros(rows, dtype=np.bool_)
        self.final_scores = np.zeros((rows, players), dtype=np.int64)
        self.game_seed = np.zeros(rows, dtype=np.int64)
        self._carried = np.zeros((rows, players), dtype=np.float32)
        self._episode = np.zeros(rows, dtype=np.int64)
        self._counts = np.zeros((rows, 2), dtype=np.int64)
        self.num_applied, self.num_skipped = self._counts[:, 0], self._counts[:, 1]
        self._info: dict[str, NDArray[Any]] = {
            "action_mask": self.action_mask,
            "current_player": self.current_player,
            "final_scores": self.final_scores,
        }

    def _make_threads(self) -> None:
        """Makes the threads' workspaces and the stretches of rows they fetch."""
        threads = min(self.num_threads, self.num_envs)
        packs = self.config.num_packs
        self._works = [new_workspaces(packs=packs) for _ in range(threads)]
        self._at_once = min(_MOST_AT_ONCE, -(-self.num_envs // (threads * _PER_THREAD)))
        self._crew = Crew(threads)

    def _rows(self) -> batch.Rows:
        """Returns the arrays as the kernel takes them."""
        return batch.Rows(
            settings=self._settings,
            states=self._states,
            memories=self._memories,
            action_mask=self.action_mask,
            observation=self.observation,
            current_player=self.current_player,
            reward=self.reward,
            carried=self._carried,
            terminated=self.terminated,
            truncated=self.truncated,
            final_scores=self.final_scores,
            game_seed=self.game_seed,
            episode=self._episode,
            counts=self._counts,
        )

    def _advance(self, actions: NDArray[np.int64]) -> None:
        """Plays an action in every row, or begins its episode."""
        rows, fetched = self._rows(), np.zeros(1, dtype=np.int64)

        def step(number: int) -> None:
            works = self._works[number]
            batch.step_rows(rows, self._options, works, actions, fetched, self._at_once)

        self._is_interrupted = True
        try:
            self._crew.run(step)
        except BaseException:
            # who is still at work on a step that is broken off need not finish it
            fetched[0] = self.num_envs
            raise
        self._is_interrupted = False

    def reset(
        self, seed: int | None = None
    ) -> tuple[NDArray[np.float32], dict[str, NDArray[Any]]]:
        """Begins an episode in every row.

        Args:
            seed: From 0 to 2**63 - 1, to begin the stream of games anew; None goes on
                with the next episode of each row (the first, at the first call).

        Returns:
            The observations, and a dict of `action_mask`, `current_player` and
            `final_scores`: the arrays themselves.

        Raises:
            ConfigError: The seed is out of range.
        """
        self._crew.wait()
        if seed is not None:
            self._settings[batch.SEED_AT] = check_seed(seed)
            self._episode[:] = 0
        elif self._is_reset:
            self._episode += 1
        self._counts[:] = 0
        self.final_scores[:] = 0
        self._advance(np.full(self.num_envs, batch.NO_ACTION))
        self._is_reset = True
        return self.observation, self._info

    def place(self, games: Sequence[State]) -> None:
        """Goes on from given games, one for each row, as after a reset.

        What searches for a move wants: many ways on from one position. Nothing is
        played yet, forced actions neither. Whose episodes these are is not known, so
        `game_seed` is that of each game; the episodes after them are those after the
        ones that were under way.

        Args:
            games: Rounds that run, under the engine's rules.

        Raises:
            RummyError: There are not as many games as rows, one is no `State`, a round
                is over, the rules are others, or the packs have not as many cards.
        """
        if not isinstance(games, Sequence) or not all(
            isinstance(game, State) for game in games
        ):
            raise RummyError("games to go on from are a list of State")
        if len(games) != self.num_envs:
            raise RummyError(
                f"{self.num_envs} rows take as many games, not {len(games)}"
            )
        for game in games:
            if game.config != self.config:
                raise RummyError("a game to go on from has other rules than the engine")
            if game.outcome() is not None:
                raise RummyError("a round to go on from is over")
            self._check_packs(game.record)
        self._crew.wait()
        for row, game in enumerate(games):
            self._states[row] = game.record[0]
            self.action_mask[row] = game.action_mask()
        self.current_player[:] = self._states["to_move"]
        self.game_seed[:] = self._states["seed"]
        for array in (
            self.reward,
            self._carried,
            self.terminated,
            self.truncated,
            self.final_scores,
            self._counts,
        ):
            array[:] = 0
        self._is_reset, self._is_interrupted = True, False
        self.observation[:] = self.observe(self.current_player)

    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, NDArray[Any]],
    ]:
        """Plays one action in every row.

        Args:
            actions: Whole numbers `[N]`, an array or a torch tensor on the CPU.

        Returns:
            `observation`, `reward`, `terminated`, `truncated` and a dict of
            `action_mask`, `current_player` and `final_scores`: the arrays themselves.

        Raises:
            IllegalActionError: Names the rows; nothing has changed in any row.
            RummyError: The shape or the dtype is wrong, reset() was not called, or an
                earlier step was interrupted.
        """
        numbers = self._check_actions(actions)
        self._advance(numbers)
        return (
            self.observation,
            self.reward,
            self.terminated,
            self.truncated,
            self._info,
        )

    def _check_actions(self, actions: Any) -> NDArray[np.int64]:
        """Returns actions as the kernel takes them, refused where one is illegal."""
        self._check_reset()
        try:
            array = np.asarray(actions)
        except (ValueError, TypeError, RuntimeError) as error:
            raise RummyError(f"actions are no array: {error}") from error
        if array.shape != (self.num_envs,):
            raise RummyError(
                f"actions have the shape ({self.num_envs},), not {array.shape}"
            )
        if array.dtype.kind not in "iu":
            raise RummyError(f"actions are whole numbers, not {array.dtype}")
        numbers = array.astype(np.int64)
        if not batch.are_legal(self.action_mask, numbers):
            raise IllegalActionError(self._describe(array))
        return numbers

    def _check_reset(self) -> None:
        """Refuses games that were not dealt yet, or that a step left half played."""
        if not self._is_reset:
            raise RummyError("no game was dealt yet: call reset() first")
        if self._is_interrupted:
            raise RummyError(
                "a step was interrupted, so some rows may be ahead of others: call "
                "reset() or load() a saved engine"
            )

    def _describe(self, actions: NDArray[Any]) -> str:
        """Returns what is wrong with the actions of some rows."""
        is_known = (actions >= 0) & (actions < NUM_ACTIONS)
        numbers = np.where(is_known, actions, 0).astype(np.int64)
        is_legal = is_known & (self.action_mask[np.arange(len(actions)), numbers] == 1)
        rows, shown = np.flatnonzero(~is_legal), []
        for row in rows[:_SHOWN_ROWS]:
            action = int(actions[row])
            name = ACTION_NAMES[action] if 0 <= action < NUM_ACTIONS else str(action)
            legal = np.flatnonzero(self.action_mask[row])
            names = ", ".join(ACTION_NAMES[index] for index in legal[:6])
            more = ", ..." if len(legal) > 6 else ""
            shown.append(f"row {row}: {name!r} (legal: {names}{more})")
        rest = f" and {len(rows) - _SHOWN_ROWS} more" if len(rows) > _SHOWN_ROWS else ""
        return f"{len(rows)} illegal action(s); {'; '.join(shown)}{rest}"

    def observe(self, player: int | NDArray[Any]) -> NDArray[np.float32]:
        """Returns what a seat sees in every row, whether or not it is to act.

        Args:
            player: A seat, or one for each row, whole numbers `[N]`.

        Returns:
            A new array, float32 `[N, SIZE]`.

        Raises:
            RummyError: There is no such seat, the shape is wrong, or reset() was not
                called.
        """
        self._check_reset()
        try:
            seats = np.asarray(player)
        except (ValueError, TypeError, RuntimeError) as error:
            raise RummyError(f"seats are no array: {error}") from error
        if seats.dtype.kind not in "iu" or seats.shape not in ((), (self.num_envs,)):
            raise RummyError(f"a seat, or one for each of {self.num_envs} rows")
        if (seats < 0).any() or (seats >= self.num_players).any():
            raise RummyError(f"seats are 0 to {self.num_players - 1}")
        players = np.ascontiguousarray(
            np.broadcast_to(seats, (self.num_envs,)), dtype=np.int64
        )
        out = np.empty((self.num_envs, SIZE), dtype=np.float32)
        batch.encode_rows(self._rows(), self._options, players, out)
        return out

    def game(self, row: int) -> State:
        """Returns the game of a row as a `State`, an independent copy.

        Raises:
            RummyError: There is no such row, or reset() was not called.
        """
        self._check_reset()
        if not is_whole(row) or not 0 <= row < self.num_envs:
            raise RummyError(f"there is no row {row!r} among {self.num_envs}")
        return State(self.config, self._states[row : row + 1].copy())

    def save(self) -> bytes:
        """Returns all that `load` needs to go on from here.

        Raises:
            RummyError: reset() was not called.
        """
        self._check_reset()
        file = io.BytesIO()
        arrays = {name: getattr(self, name) for name in _SAVED}
        np.savez_compressed(file, options=self._options, **arrays)
        return file.getvalue()

    def load(self, saved: bytes) -> None:
        """Goes on from what `save` returned, in the same arrays.

        Raises:
            ConfigError: It was saved with other rule options, another number of games
                or other settings, or it is no saved engine.
            PositionError: A game has more copies of a card than the packs.
        """
        if not isinstance(saved, bytes | bytearray | memoryview):
            raise ConfigError(
                f"VectorEnv.save returns bytes, not {type(saved).__name__}"
            )
        try:
            with np.load(io.BytesIO(saved), allow_pickle=False) as file:
                arrays = {name: file[name] for name in ("options", *_SAVED)}
        except (
            ValueError,
            TypeError,  # an array, not a file of several
            KeyError,
            OSError,
            EOFError,
            RuntimeError,  # of the zip file: encrypted, or a method not known
            zipfile.BadZipFile,
            zlib.error,
        ) as error:
            raise ConfigError(f"not what VectorEnv.save returns: {error}") from None
        if not np.array_equal(arrays.pop("options"), self._options):
            raise ConfigError("saved under other rule options")
        settings = arrays["_settings"][: batch.SEED_AT]
        if not np.array_equal(settings, self._settings[: batch.SEED_AT]):
            raise ConfigError("saved with another episode, reward or skip_forced")
        for name, array in arrays.items():
            own = getattr(self, name)
            if array.shape != own.shape:
                raise ConfigError("saved with another number of games")
            if array.dtype != own.dtype:
                raise ConfigError("saved by another version of the engine")
        self._check_packs(arrays["_states"])
        self._crew.wait()
        for name, array in arrays.items():
            getattr(self, name)[:] = array
        self._is_reset, self._is_interrupted = True, False
        self.observation[:] = self.observe(self.current_player)

    def _check_packs(self, states: NDArray[Any]) -> None:
        """Refuses games with cards twice where there is one pack.

        Raises:
            PositionError: There is one.
        """
        if packs_of(states) > self.config.num_packs:
            raise PositionError("a game with a card twice, where there is one pack")

    def close(self) -> None:
        """Ends the threads."""
        self._crew.close()

    def __getstate__(self) -> dict[str, Any]:
        """Returns all but the threads, for pickling and copying."""
        kept = self.__dict__.copy()
        for name in ("_crew", "_works", "_info", "num_applied", "num_skipped"):
            del kept[name]
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Goes on from `__getstate__`."""
        self.__dict__.update(kept)
        self.num_applied, self.num_skipped = self._counts[:, 0], self._counts[:, 1]
        self._info = {
            "action_mask": self.action_mask,
            "current_player": self.current_player,
            "final_scores": self.final_scores,
        }
        self._make_threads()


def _whole(name: str, value: int, most: int) -> int:
    """Returns a whole number from 1, checked."""
    if not is_whole(value) or not 1 <= value <= most:
        raise ConfigError(f"{name} is a whole number from 1 to {most}, not {value!r}")
    return int(value)


def _seed(seed: int | None) -> int:
    """Returns a seed, drawn where none is given."""
    return secrets.randbits(63) if seed is None else check_seed(seed)
