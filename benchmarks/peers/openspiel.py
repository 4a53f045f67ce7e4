"""OpenSpiel's gin rummy: driven from Python, and by its own random bots in C++."""

from __future__ import annotations

import time

import numpy as np
import pyspiel

from benchmarks.peers import protocol
from benchmarks.peers.protocol import Figure, Order


def python_steps(order: Order) -> dict[str, Figure]:
    """Measures play through the Python API, an observation before every action."""
    game = pyspiel.load_game("gin_rummy")
    rng = np.random.default_rng(order.seed)

    def play(seed: int) -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                # all cards left are as likely as one another
                cards = state.legal_actions()
                state.apply_action(cards[int(rng.random() * len(cards))])
                continue
            np.asarray(state.observation_tensor(), dtype=np.float32)
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return {"openspiel_python": protocol.play_for(order, play)}


def bot_steps(order: Order) -> dict[str, Figure]:
    """Measures whole games between random bots, in C++, without observations."""
    game = pyspiel.load_game("gin_rummy")
    bots = [pyspiel.make_uniform_random_bot(p, order.seed + p) for p in range(2)]

    states = []
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < order.seconds:
        states.append(game.new_initial_state())
        pyspiel.evaluate_bots(states[-1], bots, order.seed + len(states))
    # the count takes as long as a good part of the play, so it waits for the end
    players = [event.player for state in states for event in state.full_history()]
    steps = sum(player >= 0 for player in players)
    return {"openspiel_bots": protocol.rate(steps, spent)}


if __name__ == "__main__":
    protocol.run([python_steps, bot_steps], ["open_spiel"])
