"""Random rounds stay sound, refuse what the mask forbids, and end.

Every player count plays `NUM_ROUNDS` rounds of the full game. `problems()` is asked
after every action in the first `NUM_WATCHED` of them, and after every `PER_LOOK`th and
the last one in the others: asking it costs more than the action.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from rummy_env import IllegalActionError, RuleConfig, State
from rummy_env.actions import ACTION_NAMES, END, KIND_NAMES, KNOCK
from rummy_env.record import new_states
from rummy_env.rules import ENDINGS, new_mask, outcome, play, start_game
from rummy_env.solver import local_workspaces

NUM_ROUNDS = 2000
NUM_WATCHED = 100
PER_LOOK = 25
"""Every so many actions a forbidden one is tried first, and the record looked at."""
MOST_ACTIONS = 2000
"""Far more than a round can have: every card is drawn once and laid once, and every
turn outside the lap draws."""


@dataclass
class Player:
    """Plays rounds at random and looks at what becomes of them.

    Attributes:
        config: The options.
        seed: The seed of the choices.
        kinds: The kinds of actions played so far.
        reasons: How rounds ended so far.
    """

    config: RuleConfig
    seed: int
    kinds: set[str] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._states = new_states()
        self._state = State(self.config, self._states)
        self._mask = new_mask()
        self._options = self.config.to_array()
        self._rng = np.random.default_rng(self.seed)

    def play_round(self, seed: int, is_watched: bool) -> None:
        """Plays a round to its end, and checks it on the way.

        Nobody knocks in a watched one: random hands are soon small, and the last lap
        would hardly ever be reached.
        """
        start_game(self._states, self._options, seed)
        works = local_workspaces()
        num_legal = play(self._states, self._options, works, self._mask)
        for number, share in enumerate(self._rng.random(MOST_ACTIONS)):
            legal = self._mask.nonzero()[0]
            # no dead end: while a round runs, something is legal
            assert 0 < num_legal == len(legal), self._state
            is_look = number % PER_LOOK == 0
            if is_look:
                self._try_forbidden()
            action = int(legal[int(share * num_legal)])
            if action == KNOCK and is_watched:
                action = END  # legal wherever a knock is; such rounds go on longer
            self.kinds.add(ACTION_NAMES[action].split()[0])
            num_legal = play(self._states, self._options, works, self._mask, action)
            is_over = self._states["ended"][0] != 0
            if is_watched or is_over or is_look:
                assert self._state.problems() == [], self._state
            if is_over:
                self._check_end(num_legal)
                return
        raise AssertionError(f"the round goes on: {self._state}")

    def _try_forbidden(self) -> None:
        """Tries an action that is not legal; it is refused and changes nothing."""
        before = self._states.tobytes()
        game = State(self.config, self._states)
        forbidden = int(self._rng.choice((self._mask == 0).nonzero()[0]))
        with pytest.raises(IllegalActionError):
            game.apply_action(forbidden)
        assert self._states.tobytes() == before
        # a mask is a function of the game: asked again, it is the same
        assert (game.action_mask() == self._mask).all()

    def _check_end(self, num_legal: int) -> None:
        """Checks a round that is over."""
        assert num_legal == 0
        assert not self._mask.any()
        result = outcome(self._states, self.config)
        assert result is not None
        assert (result["by"] is None) == (result["reason"] == "lap")
        self.reasons.add(result["reason"])


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_r30_random_rounds_stay_sound_and_end(num_players: int) -> None:
    player = Player(RuleConfig(num_players=num_players), seed=num_players)
    for number in range(NUM_ROUNDS):
        player.play_round(seed=number, is_watched=number < NUM_WATCHED)
    assert player.kinds == set(KIND_NAMES)
    # at random, one of many hands is small or empty long before the stock is
    expected = set(ENDINGS) if num_players == 2 else {"knock", "out"}
    assert player.reasons >= expected


@pytest.mark.parametrize("num_ranks", [3, 4, 5, 8])
@pytest.mark.parametrize("num_players", [2, 5])
def test_r30_random_rounds_of_small_games_too(num_players: int, num_ranks: int) -> None:
    config = RuleConfig(num_players=num_players, num_ranks=num_ranks, hand_size=4)
    player = Player(config, seed=num_ranks)
    for number in range(50):
        player.play_round(seed=number, is_watched=True)
    assert player.reasons
    assert "knock" not in player.reasons
