"""Advantages and returns where several seats take turns in one stream of steps.

Pure functions on arrays. "GAE" is Schulman et al., High-Dimensional Continuous
Control Using Generalized Advantage Estimation (2015), arXiv:1506.02438.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]


def seat_gae(
    values: Float32,
    players: NDArray[np.int64],
    rewards: Float32,
    ended: NDArray[np.bool_],
    bootstrap: Float32,
    gamma: float,
    gae_lambda: float,
    final_values: Float32 | None = None,
) -> tuple[Float32, Float32]:
    """Returns the advantage and the return of every action, each for its own seat.

    A transition of a seat runs from one of its actions to its next action in the same
    row, or to the end of the episode, whoever brings that about. Its reward r is the
    sum of what the seat received meanwhile. With V' the value at the seat's next
    action (the final value after the episode's end, the bootstrap value after the last
    step) and A' that action's advantage (else 0), GAE's equations 11 and 16 read

        delta = r + gamma V' - V
        A     = delta + gamma lambda A'
        R     = A + V

    so gamma and lambda count a seat's own decisions, not the steps of the others. No
    number of a seat reaches another's: where agents without values have seats, what
    stands at their steps means nothing and spoils nothing, be it NaN.

    Args:
        values: Value of each step's position to the seat that acts, `[T, N]`.
        players: The seat that acts, `[T, N]`.
        rewards: Reward of every seat in the step, `[T, N, P]`.
        ended: Whether an episode ended in the step, `[T, N]`.
        bootstrap: Value to every seat of the position after the last step, `[N, P]`.
        gamma: Discount from one action of a seat to its next.
        gae_lambda: GAE's lambda.
        final_values: Value to every seat of what would have followed the end of an
            episode that was only broken off, 0 where it terminated; read where
            `ended`, `[T, N, P]`. None stands for zeros.

    Returns:
        Advantages and returns, float32 `[T, N]` each.
    """
    num_steps, num_rows = values.shape
    rows = np.arange(num_rows)
    advantages = np.empty_like(values)
    # What lies between the step at hand and each seat's next action, all [N, P].
    next_values = bootstrap.copy()
    next_advantages = np.zeros_like(bootstrap)
    received = np.zeros_like(bootstrap)
    for step in reversed(range(num_steps)):
        for ahead in (next_values, next_advantages, received):
            ahead[ended[step]] = 0
        if final_values is not None:
            next_values[ended[step]] = final_values[step, ended[step]]
        received += rewards[step]
        seat = (rows, players[step])
        delta = received[seat] + gamma * next_values[seat] - values[step]
        advantages[step] = delta + gamma * gae_lambda * next_advantages[seat]
        next_values[seat] = values[step]
        next_advantages[seat] = advantages[step]
        received[seat] = 0
    return advantages, advantages + values
