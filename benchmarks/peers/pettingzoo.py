"""PettingZoo's gin rummy, which is RLCard's behind AEC: bare, and in its wrappers."""

from __future__ import annotations

from pettingzoo.classic import gin_rummy_v4

from benchmarks.peers import aec, protocol
from benchmarks.peers.protocol import Figure, Order


def raw_steps(order: Order) -> dict[str, Figure]:
    """Measures the bare environment."""
    return {"pettingzoo_raw_env": aec.steps(gin_rummy_v4.raw_env(), order)}


def wrapped_steps(order: Order) -> dict[str, Figure]:
    """Measures it as users make it."""
    return {"pettingzoo_env": aec.steps(gin_rummy_v4.env(), order)}


if __name__ == "__main__":
    protocol.run([raw_steps, wrapped_steps], ["pettingzoo", "rlcard"])
