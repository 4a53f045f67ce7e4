"""Sets of numbers of free jokers: how many a part of a table may use.

There are at most two jokers, so a set is one word of three bits: bit `n` is set iff
`n` jokers are in it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.kernel.jit import inlined
from rummy_env.kernel.workspace import NUM_LEVELS

Work = Any
"""A record of `workspace.WORKSPACE`."""

_TOTALS: Final = (1 << NUM_LEVELS) - 1

_SUM_TABLE: Final = np.array(
    [
        sum(
            1 << total
            for total in range(NUM_LEVELS)
            if any(
                (left >> one) & 1 and (right >> (total - one)) & 1
                for one in range(total + 1)
            )
        )
        for left in range(_TOTALS + 1)
        for right in range(_TOTALS + 1)
    ],
    dtype=np.int64,
)


@inlined
def sums(left: int, right: int) -> int:
    """Returns the sums, up to two, of two sets of numbers of jokers."""
    return _SUM_TABLE[left * (_TOTALS + 1) + right]


@inlined
def allowed_totals(work: Work) -> int:
    """Returns the numbers of free jokers that may be placed, as bits."""
    low, high = work["jokers_low"], work["jokers_high"]
    return ((2 << high) - 1) & ~((1 << low) - 1)
