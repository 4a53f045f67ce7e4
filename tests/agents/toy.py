"""A masked game of hints with the interface of `VectorEnv`, for testing learners.

The player to act sees which of four cards is wanted. Naming it brings that player 50
points, a wrong one nothing; two more actions are legal now and then and never
wanted. An episode lasts three to seven actions, so rounds end at everybody's turn.
"""

from __future__ import annotations

import pickle

import numpy as np

from rummy_env.actions import NUM_ACTIONS

WANTED = np.array([3, 60, 110, 0])
NEVER_WANTED = np.array([7, 158])
POINTS = 50


class ToyEnv:
    def __init__(
        self,
        *,
        num_envs,
        config,
        seed=0,
        num_threads=1,
        episode="round",
        reward="score",
        skip_forced=False,
    ):
        self.num_envs, self.config = num_envs, config
        self.num_players = config.num_players
        self.observation_size = 5 + self.num_players
        self._seed = seed
        self.reset()

    def reset(self, seed=None):
        self._seed = self._seed if seed is None else seed
        self._rngs = [
            np.random.default_rng((self._seed, row)) for row in range(self.num_envs)
        ]
        shape = (self.num_envs, self.num_players)
        self.reward = np.zeros(shape, dtype=np.float32)
        self.final_scores = np.zeros(shape, dtype=np.int64)
        self._scores = np.zeros(shape, dtype=np.int64)
        self.terminated = np.zeros(self.num_envs, dtype=bool)
        self.truncated = np.zeros(self.num_envs, dtype=bool)
        self.current_player = np.zeros(self.num_envs, dtype=np.int64)
        self.action_mask = np.zeros((self.num_envs, NUM_ACTIONS), dtype=np.int8)
        self.observation = np.zeros(
            (self.num_envs, self.observation_size), dtype=np.float32
        )
        self._left = np.zeros(self.num_envs, dtype=np.int64)
        self._hint = np.zeros(self.num_envs, dtype=np.int64)
        for row in range(self.num_envs):
            self._start(row)
        return self._result()[0], self._result()[-1]

    def step(self, actions):
        rows = np.arange(self.num_envs)
        assert actions.shape == (self.num_envs,)
        assert self.action_mask[rows, actions].all()
        points = POINTS * (actions == WANTED[self._hint])
        self.reward[:] = 0
        self.reward[rows, self.current_player] = points
        self._scores[rows, self.current_player] += points
        self._left -= 1
        self.terminated[:] = self._left == 0
        for row in rows:
            if self.terminated[row]:
                self.final_scores[row] = self._scores[row]
                self._start(row)
            else:
                self.current_player[row] += 1
                self.current_player[row] %= self.num_players
                self._hint_at(row)
        return self._result()

    def observe(self, player):
        seats = np.broadcast_to(player, self.num_envs)
        seen = self.observation.copy()
        hidden = seats != self.current_player
        seen[hidden, :4] = 0
        seen[hidden, 4] = self._left[hidden] / 7
        seen[hidden, 5:] = np.eye(self.num_players)[seats[hidden]]
        return seen

    def save(self):
        return pickle.dumps(self.__dict__)

    def load(self, content):
        self.__dict__.update(pickle.loads(content))

    def _start(self, row):
        self._scores[row] = 0
        self._left[row] = self._rngs[row].integers(3, 8)
        self.current_player[row] = self._rngs[row].integers(self.num_players)
        self._hint_at(row)

    def _hint_at(self, row):
        rng = self._rngs[row]
        self._hint[row] = rng.integers(len(WANTED))
        self.action_mask[row] = 0
        self.action_mask[row, WANTED] = 1
        self.action_mask[row, NEVER_WANTED] = rng.integers(2)
        self.observation[row] = 0
        self.observation[row, self._hint[row]] = 1
        self.observation[row, 4] = self._left[row] / 7
        self.observation[row, 5 + self.current_player[row]] = 1

    def _result(self):
        info = {
            "action_mask": self.action_mask,
            "current_player": self.current_player,
            "final_scores": self.final_scores,
        }
        return self.observation, self.reward, self.terminated, self.truncated, info
