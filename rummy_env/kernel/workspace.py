"""The memory that the kernels think in: one record a thread, made by the caller."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.kernel.groups import NUM_BOXES

NUM_PLACEMENTS: Final = 15
"""Ways to put none, one or two jokers on the four suits of a rank."""
CAPACITY: Final = 2048
"""The nodes that one layer of a walk has room for."""
NUM_LAYERS: Final = NUM_RANKS + 1

_WHOLE: Final = np.int64
WORKSPACE: Final = np.dtype(
    [
        # the question: a table, a hand, and what this turn did to the jokers
        ("table", _WHOLE, (NUM_CARD_TYPES,)),  # real cards on the table
        ("named", _WHOLE, (NUM_CARD_TYPES,)),  # jokers on the table, by name
        ("locked", _WHOLE, (NUM_CARD_TYPES,)),  # those of them named this turn
        ("hand", _WHOLE, (NUM_CARD_TYPES + 1,)),  # real cards, then jokers
        ("pending", _WHOLE),  # released jokers that wait for a name, 0 or 1
        ("num_ranks", _WHOLE),
        # the answers
        ("lay", _WHOLE, (NUM_CARD_TYPES,)),  # some completion lays one more
        ("name", _WHOLE, (NUM_CARD_TYPES,)),  # some completion names a joker so anew
        ("name_more", _WHOLE, (NUM_CARD_TYPES,)),  # ... and uses one from the hand
        # the same, joker questions resolved: what a walk reads
        ("must", _WHOLE, (NUM_CARD_TYPES,)),  # copies that lie, whatever happens
        ("may", _WHOLE, (NUM_CARD_TYPES,)),  # further copies that may be laid
        ("jokers_low", _WHOLE),  # the fewest free jokers to be placed
        ("jokers_high", _WHOLE),  # the most
        ("walk_high", _WHOLE),  # the most jokers that a node of the walk has used
        ("is_padded", _WHOLE),  # whether jokers left over can be added to a run
        ("group_totals", _WHOLE, (2 * NUM_LAYERS,)),  # jokers used without any run
        # the walks
        ("letters", _WHOLE, (NUM_RANKS, NUM_PLACEMENTS, NUM_BOXES)),
        ("num_letters", _WHOLE, (NUM_RANKS, NUM_PLACEMENTS)),
        ("nodes", _WHOLE, (2 * NUM_LAYERS, CAPACITY)),  # forward, then backward
        ("counts", _WHOLE, (2 * NUM_LAYERS,)),
        ("hull", _WHOLE, (NUM_SUITS, 2)),  # the elements in any node of a layer
        ("cursors", _WHOLE, (NUM_LAYERS,)),
        ("limit", _WHOLE),  # nodes kept in a layer before the slower way is taken
        ("overflows", _WHOLE),  # how often it was, since the workspace was made
    ]
)


def new_workspaces(count: int = 1, limit: int = CAPACITY) -> NDArray[Any]:
    """Returns workspaces, one for each thread.

    Args:
        count: How many.
        limit: Nodes a layer may hold before the walk goes on in portions; less than
            the capacity only to test that the answers do not depend on it.

    Returns:
        Records of `WORKSPACE`, `[count]`.
    """
    works = np.zeros(count, dtype=WORKSPACE)
    works["limit"] = limit
    return works
