"""How the copies of one rank may be divided into groups.

A vector `g` of copies, one number a suit, splits into `G` groups (R10) iff
`max(g) <= G` and `3 G <= sum(g)`: each suit gives at most one card to a group, each
group takes three or four, and dealing the copies out round the groups suit by suit
meets both. (`sum(g) <= 4 G` follows.) So `g` misses at most `G` of the `4 G` places.

Hence the valid vectors of `G` groups are a union of *boxes*: one for each way to share
out `G` allowed misses among the suits, `[G - misses, G]` in each suit. Every vector of
a box is valid, so within a box the suits are independent.

Three groups of a rank need nine cards: two packs have eight, so one joker and more
can make them; four groups would need twelve.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

from rummy_env.cards import NUM_SUITS
from rummy_env.config import MAX_JOKERS
from rummy_env.kernel.automaton import MAX_COPIES

MAX_GROUPS: Final = 3

_BOXES: Final = [
    (groups, misses)
    for groups in range(MAX_GROUPS + 1)
    for misses in product(range(groups + 1), repeat=NUM_SUITS)
    if sum(misses) == groups
]
NUM_BOXES: Final = len(_BOXES)
BOX_HIGH: Final = np.array([groups for groups, _ in _BOXES], dtype=np.int64)
"""The most copies of any suit that go to groups, int64 `[boxes]`, ascending."""
BOX_LOW: Final = np.array(
    [[groups - missed for missed in misses] for groups, misses in _BOXES],
    dtype=np.int64,
)
"""The fewest copies of each suit that go to groups, int64 `[boxes, suits]`."""
NUM_BOXES_WITH: Final = np.array(
    [sum(high <= groups for high, _ in _BOXES) for groups in range(MAX_GROUPS + 1)],
    dtype=np.int64,
)
"""How many boxes have at most so many groups; they come first."""
ALL_BOXES: Final = (1 << NUM_BOXES) - 1
"""All of them, as bits."""
BOXES_SHORT_OF: Final = np.array(
    [
        [
            [
                sum(
                    1 << box
                    for box, fewest in enumerate(BOX_LOW[:, suit])
                    if max(0, fewest - present) == missing
                )
                for missing in range(MAX_JOKERS + 1)
            ]
            for present in range(MAX_COPIES + 1)
        ]
        for suit in range(NUM_SUITS)
    ],
    dtype=np.int64,
)
"""The boxes, as bits, by suit, copies present and how many copies that is too few."""
BOX_KINDS: Final = sorted(
    {(groups - missed, groups) for groups, misses in _BOXES for missed in misses}
)
"""The fewest and the most copies of one suit, over all boxes and suits."""
NUM_BOX_KINDS: Final = len(BOX_KINDS)
BOX_KIND: Final = np.array(
    [
        [BOX_KINDS.index((groups - missed, groups)) for missed in misses]
        for groups, misses in _BOXES
    ],
    dtype=np.int64,
)
"""Which of those each suit of a box has, int64 `[boxes, suits]`."""
