"""Rewards: how the result of a round becomes a learning signal.

`score`: the points scored at the end of a round; over an episode they sum to the
final totals, end-of-game bonuses included. `zero_sum`: the same, own minus the mean of
the others. `win`: 1 at the end of the episode, split among the winners, else 0.
Rewards go to every seat at once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rummy_env.config import RuleConfig
from rummy_env.errors import ConfigError, nearest
from rummy_env.kernel import calls, payoff

REWARDS: Final = {
    "score": payoff.REWARD_SCORE,
    "zero_sum": payoff.REWARD_ZERO_SUM,
    "win": payoff.REWARD_WIN,
}
EPISODES: Final = {"game": payoff.EPISODE_GAME, "round": payoff.EPISODE_ROUND}


def parse_reward(reward: str) -> int:
    """Returns the kernel's number of a reward.

    Raises:
        ConfigError: There is no such reward.
    """
    if not isinstance(reward, str) or reward not in REWARDS:
        raise ConfigError(f"no reward {reward!r}; {nearest(str(reward), REWARDS)}")
    return REWARDS[reward]


def parse_episode(episode: str) -> int:
    """Returns the kernel's number of a kind of episode.

    Raises:
        ConfigError: There is no such kind.
    """
    if not isinstance(episode, str) or episode not in EPISODES:
        raise ConfigError(f"no episode {episode!r}; {nearest(str(episode), EPISODES)}")
    return EPISODES[episode]


def of_round(
    states: NDArray[Any], config: RuleConfig, episode: int, reward: int
) -> NDArray[np.float32]:
    """Returns every seat's reward for a round that has just ended.

    Args:
        states: The game, `[1]`, its round ended.
        config: Its options.
        episode: A number of `EPISODES`.
        reward: A number of `REWARDS`.

    Returns:
        Float32 `[players]`.
    """
    out = np.zeros(config.num_players, dtype=np.float32)
    calls.add_rewards(states, config.to_array(), episode, reward, out)
    return out
