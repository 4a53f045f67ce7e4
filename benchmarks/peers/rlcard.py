"""RLCard's gin rummy, through its own `step`."""

from __future__ import annotations

import numpy as np
import rlcard

from benchmarks.peers import protocol
from benchmarks.peers.protocol import Figure, Order


def steps(order: Order) -> dict[str, Figure]:
    """Measures play; every step returns an observation and the legal actions."""
    game = rlcard.make("gin-rummy", config={"seed": order.seed})
    rng = np.random.default_rng(order.seed)

    def play(seed: int) -> int:
        count = 0
        state, _ = game.reset()
        while not game.is_over():
            legal = list(state["legal_actions"])
            state, _ = game.step(legal[int(rng.random() * len(legal))])
            count += 1
        return count

    return {"rlcard": protocol.play_for(order, play)}


if __name__ == "__main__":
    protocol.run([steps], ["rlcard"])
