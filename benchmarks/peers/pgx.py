"""Pgx on one core of the CPU: sparrow mahjong and connect four, many games at once."""

from __future__ import annotations

import os
import time
from typing import Any

if hasattr(os, "sched_setaffinity"):
    # XLA takes every core it sees, so it is shown one, before it is imported; systems
    # without this call have only the flag below, which holds for parts of it
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

from benchmarks.peers import protocol
from benchmarks.peers.protocol import Figure, Order

NUM_GAMES = 1024


def _choose(key: Any, mask: Any) -> Any:
    """Returns a random legal action for each game."""
    return jax.random.categorical(key, jnp.log(mask.astype(jnp.float32)), axis=-1)


def _keys(key: Any) -> Any:
    """Returns the next key, one for the actions and one for each game."""
    key, dice, games = jax.random.split(key, 3)
    return key, dice, jax.random.split(games, NUM_GAMES)


def steps(name: str, order: Order) -> Figure:
    """Measures the compiled step alone, games that have ended being dealt anew in it.

    Compiling and the choice of actions are not on the clock.
    """
    env = pgx.make(name)
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    choose, keys = jax.jit(_choose), jax.jit(_keys)
    key, _, games = keys(jax.random.PRNGKey(order.seed))
    state = jax.jit(jax.vmap(env.init))(games)
    count, spent, is_warm = 0, 0.0, False
    while spent < order.seconds:
        key, dice, games = keys(key)
        actions = choose(dice, state.legal_action_mask)
        jax.block_until_ready((actions, games))
        start = time.perf_counter()
        state = jax.block_until_ready(step(state, actions, games))
        if is_warm:
            spent += time.perf_counter() - start
            count += NUM_GAMES
        is_warm = True
    return protocol.rate(count, spent)


def mahjong_steps(order: Order) -> dict[str, Figure]:
    """Measures sparrow mahjong, a small game of draws and melds."""
    return {"pgx_sparrow_mahjong": steps("sparrow_mahjong", order)}


def connect_four_steps(order: Order) -> dict[str, Figure]:
    """Measures connect four."""
    return {"pgx_connect_four": steps("connect_four", order)}


if __name__ == "__main__":
    protocol.run([mahjong_steps, connect_four_steps], ["pgx", "jax"])
