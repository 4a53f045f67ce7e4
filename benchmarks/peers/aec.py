"""Random legal play of PettingZoo's AEC environments, the same for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers import protocol
from benchmarks.peers.protocol import Figure, Order


def steps(game: Any, order: Order) -> Figure:
    """Measures play through `agent_iter` and `last`, choosing actions included.

    Args:
        game: An environment whose observations hold an `action_mask`.
        order: Says how long.
    """
    rng = np.random.default_rng(order.seed)
    game.reset(seed=order.seed)

    def play(seed: int) -> int:
        count = 0
        game.reset()  # to be seeded every time is dear to some
        for _ in game.agent_iter():
            observation, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                game.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            game.step(int(legal[int(rng.random() * len(legal))]))
            count += 1
        return count

    return protocol.play_for(order, play)
