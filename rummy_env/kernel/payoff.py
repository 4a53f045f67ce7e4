"""Rewards: what the end of a round is worth to a learner, for every seat at once."""

from __future__ import annotations

from typing import Any, Final

from rummy_env.config import NUM_PLAYERS_AT
from rummy_env.kernel.jit import kernel
from rummy_env.kernel.turn import GAME_OVER, GAME_RUNNING

EPISODE_ROUND: Final = 0
EPISODE_GAME: Final = 1
REWARD_SCORE: Final = 0
REWARD_ZERO_SUM: Final = 1
REWARD_WIN: Final = 2


@kernel
def is_episode_over(state: Any, episode: int) -> bool:
    """Tells whether the end of this round is the end of the episode."""
    return episode == EPISODE_ROUND or state["game_over"] != GAME_RUNNING


@kernel
def _gain(state: Any, episode: int, player: int) -> int:
    """Returns what the round that ended adds to a player's points.

    With the end-of-game bonuses (R28) where the episode is a game that is over.
    """
    gain = int(state["round_scores"][player])
    if episode == EPISODE_GAME and state["game_over"] == GAME_OVER:
        gain += state["totals"][player] - state["scores"][player]
    return gain


@kernel
def _add_wins(state: Any, num_players: int, episode: int, out: Any) -> None:
    """Shares 1 among the winners of the episode."""
    winners = state["winners"] if episode == EPISODE_ROUND else state["game_winners"]
    count = 0
    for player in range(num_players):
        count += (winners >> player) & 1
    for player in range(num_players):
        if (winners >> player) & 1:
            out[player] += 1.0 / count


@kernel
def add_rewards(state: Any, config: Any, episode: int, reward: int, out: Any) -> None:
    """Adds every seat's reward for a round that has just ended.

    Args:
        state: The game, its round ended.
        config: The options.
        episode: `EPISODE_ROUND` or `EPISODE_GAME`.
        reward: `REWARD_SCORE`, `REWARD_ZERO_SUM` or `REWARD_WIN`.
        out: Float32 `[players]`, added to.
    """
    num_players = config[NUM_PLAYERS_AT]
    if reward == REWARD_WIN:
        if is_episode_over(state, episode):
            _add_wins(state, num_players, episode, out)
        return
    total = 0
    for player in range(num_players):
        total += _gain(state, episode, player)
    for player in range(num_players):
        own = _gain(state, episode, player)
        if reward == REWARD_ZERO_SUM:
            out[player] += own - (total - own) / (num_players - 1)
        else:
            out[player] += own
