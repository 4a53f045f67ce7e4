"""Ratings from who won against whom, by the model of Luce (Plackett and Luce's first).

Among those at a table, each wins with a chance in proportion to its strength. The
strengths of greatest likelihood are found by Hunter's MM algorithm (Annals of
Statistics 32, 2004): libraries for it bring SciPy along, and it takes ten lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.lineups import Lineup

_ROUNDS: Final = 500
_PRECISION: Final = 1e-9
_PER_TENFOLD: Final = 400.0
_DRAWN: Final = 0.5


def ratings(
    lineups: Sequence[Lineup], num_games: NDArray[np.float64], wins: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns ratings on the scale of Elo, zero in the mean, `[A]`.

    So that they stay finite, each agent also draws one game against a fixed opponent.
    400 more is ten times the chance to win.

    Args:
        lineups: Who played, once for each seat.
        num_games: Games of each lineup, `[L]`.
        wins: Games won by each agent, a tie counting for its share, `[A]`.
    """
    seats = np.zeros((len(lineups), len(wins)))
    for number, lineup in enumerate(lineups):
        np.add.at(seats[number], list(lineup), 1)
    strength = np.ones(len(wins))
    for _ in range(_ROUNDS):
        expected = (num_games / (seats @ strength)) @ seats + 1 / (strength + 1)
        updated = (wins + _DRAWN) / expected
        is_close = np.abs(updated / strength - 1).max() < _PRECISION
        strength = updated
        if is_close:
            break
    elo = _PER_TENFOLD * np.log10(strength)
    return np.asarray(elo - elo.mean())
