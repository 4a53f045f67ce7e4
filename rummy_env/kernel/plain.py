"""Walks without a joker, or up to the place of one: nodes of four sets, one a suit.

The commonest walk, so it has code of its own: sets have numbers, and a step is one
look-up a suit (`subsets`). A node has the numbers, to step from, and the sets, less
what cannot matter (`keep`), to be compared. Where a layer would not fit, the walk says
so, and the caller walks with beams (`walk`).

Layers are kept in full but for two things. Where jokers are still to come, nodes of
which more suits need one than there are lead to no completion (`hulls`, alone) and are
dropped. And a caller that wants only what is soon proved may have layers cut
(`most_plain`): then what it does not find is open.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import NUM_SUITS
from rummy_env.kernel.choices import fill_choices, find_room, letter_of
from rummy_env.kernel.hulls import find_alone, tighten_keep
from rummy_env.kernel.jit import inlined, kernel, outlined
from rummy_env.kernel.subsets import (
    AT_ACCEPT,
    BACK,
    LETTER_STRIDE,
    NUM_SETS,
    WORDS,
    root_of,
)
from rummy_env.kernel.workspace import BACKWARD, HULL, PLAIN_CAPACITY

Work = Any
"""A record of `workspace.WORKSPACE`."""

MANY_CHOICES: Final = 12
"""From so many choices on, besides one a rank, it pays to look at hulls first."""


@outlined
def begin_plain(work: Work) -> None:
    """Prepares the choices and both ends of plain walks."""
    work["is_refuted"] = 0
    find_room(work)
    for rank in range(work["num_ranks"]):
        fill_choices(work, rank)
    work["has_hulls"] = _is_branching(work)
    work["may_miss"] = NUM_SUITS
    if work["has_hulls"] == 1:
        tighten_keep(work)
        if work["jokers_high"] > 0:
            find_alone(work)
            work["may_miss"] = work["jokers_high"]
    begin_at(work, 0, root_of(work["num_ranks"]))
    begin_at(work, BACKWARD + work["num_ranks"], AT_ACCEPT)


@kernel
def begin_at(work: Work, row: int, number: int) -> None:
    """Makes a layer of one node, the same set in all suits."""
    for suit in range(NUM_SUITS):
        work["plain_numbers"][row, 0, suit] = number
        work["plain"][row, 0, suit] = WORDS[number]
        work["plain"][row, HULL, suit] = WORDS[number]
    work["plain_counts"][row] = 1


@kernel
def _is_branching(work: Work) -> bool:
    """Tells whether there are so many choices that layers may grow long."""
    count = 0
    for rank in range(work["num_ranks"]):
        count += work["num_plain"][rank] - 1
    return count >= MANY_CHOICES


@kernel
def look_at(work: Work, row: int, index: int, place: int) -> None:
    """Turns to a node, to step from it to a place: the row of a layer."""
    work["num_looks"] += 1
    work["place"] = place
    for suit in range(NUM_SUITS):
        turn = work["room"][place, suit] if place < BACKWARD else BACK
        number = work["plain_numbers"][row, index, suit]
        work["node"][suit] = turn * NUM_SETS + number


@inlined
def image(work: Work, suit: int, letter: int) -> int:
    """Returns the set that a letter leads to from the node looked at."""
    number = work["next"][letter * LETTER_STRIDE + work["node"][suit]]
    return WORDS[number] & work["keep"][work["place"], suit]


@kernel
def step_plain(work: Work, choice: int) -> bool:
    """Writes the step of a choice to `zero`; False if it leads nowhere.

    All four suits are looked up at once: to wait for one to be empty takes longer.
    """
    is_alive = True
    for suit in range(NUM_SUITS):
        is_alive &= step_suit(work, suit, letter_of(choice, suit, 0))
    return is_alive


@inlined
def step_suit(work: Work, suit: int, letter: int) -> bool:
    """Writes the step of a suit to `zero`, as a number too; False if it is empty."""
    number = work["next"][letter * LETTER_STRIDE + work["node"][suit]]
    word = WORDS[number] & work["keep"][work["place"], suit]
    work["zero_numbers"][suit] = number
    work["zero"][suit] = word
    return word != 0


@inlined
def needs_few(work: Work) -> bool:
    """Tells whether no more suits of the step need a joker than are still to come."""
    if work["may_miss"] >= NUM_SUITS:
        return True
    missing, place = 0, work["place"]
    for suit in range(NUM_SUITS):
        missing += work["zero"][suit] & work["alone"][place, suit] == 0
    return missing <= work["may_miss"]


@inlined
def meets(work: Work, row: int, index: int, words: Any) -> bool:
    """Tells whether four sets, one a suit, meet those of a node of a layer."""
    clubs, diamonds, hearts, spades = words
    plain = work["plain"]
    return (
        clubs & plain[row, index, 0] != 0
        and diamonds & plain[row, index, 1] != 0
        and hearts & plain[row, index, 2] != 0
        and spades & plain[row, index, 3] != 0
    )


@inlined
def meets_layer(work: Work, row: int, words: Any) -> bool:
    """Tells whether four sets, one a suit, meet those of any node of a layer."""
    for index in range(work["plain_counts"][row]):
        if meets(work, row, index, words):
            return True
    return False


@kernel
def joins_layer(work: Work, row: int) -> bool:
    """Tells whether `zero` joins any node of a layer of the other walk."""
    zero = work["zero"]
    words = zero[0], zero[1], zero[2], zero[3]
    return meets(work, row, HULL, words) and meets_layer(work, row, words)


@kernel
def layers_join(work: Work, rank: int) -> bool:
    """Tells whether the layers before a rank, forward and backward, join."""
    return rows_join(work, rank, BACKWARD + rank)


@kernel
def rows_join(work: Work, row: int, other: int) -> bool:
    """Tells whether a layer forward joins a layer backward at the same place."""
    for index in range(work["plain_counts"][row]):
        for suit in range(NUM_SUITS):
            work["zero"][suit] = work["plain"][row, index, suit]
        if joins_layer(work, other):
            return True
    return False


@kernel
def is_covered_plain(work: Work, row: int) -> bool:
    """Tells whether a node of a layer covers `zero`."""
    for index in range(work["plain_counts"][row]):
        lacks = 0
        for suit in range(NUM_SUITS):
            lacks |= work["zero"][suit] & ~work["plain"][row, index, suit]
        if lacks == 0:
            return True
    return False


@kernel
def insert_plain(work: Work, row: int, count: int) -> int:
    """Adds `zero` to a layer unless covered, and drops the nodes it covers.

    The numbers of its sets are read from `zero_numbers`: the same step wrote both. The
    latest nodes are looked at first: what covers a step mostly came of the same node or
    of the one before. No node of a layer covers another, so one that covers the step is
    met before any is dropped.

    Where no more than `most_plain` are wanted, a step is dropped that finds so many:
    then what the walk proves is right, and what it does not prove is open.

    Returns:
        The number of nodes in the layer after; more than fit if it was full.
    """
    zero, plain = work["zero"], work["plain"]
    clubs, diamonds, hearts, spades = zero[0], zero[1], zero[2], zero[3]
    for index in range(count - 1, -1, -1):
        first, second = plain[row, index, 0], plain[row, index, 1]
        third, fourth = plain[row, index, 2], plain[row, index, 3]
        new = clubs & ~first | diamonds & ~second | hearts & ~third | spades & ~fourth
        if new == 0:
            return count
        old = first & ~clubs | second & ~diamonds | third & ~hearts | fourth & ~spades
        if old == 0:
            count -= 1
            move_plain(work, row, count, index)
    if 0 < work["most_plain"] <= count:
        work["is_cut"] = 1
        return count
    if count < PLAIN_CAPACITY:
        for suit in range(NUM_SUITS):
            plain[row, count, suit] = zero[suit]
            work["plain_numbers"][row, count, suit] = work["zero_numbers"][suit]
    return count + 1


@kernel
def move_plain(work: Work, row: int, source: int, target: int) -> None:
    """Moves a node of a layer to another place in it."""
    for suit in range(NUM_SUITS):
        number = work["plain_numbers"][row, source, suit]
        work["plain_numbers"][row, target, suit] = number
        work["plain"][row, target, suit] = work["plain"][row, source, suit]


@kernel
def plain_room(work: Work) -> int:
    """Returns how many nodes a plain layer may have."""
    return min(work["limit"], PLAIN_CAPACITY)


@kernel
def finish_layer(work: Work, row: int, count: int) -> None:
    """Notes a layer's length and its hull."""
    plain = work["plain"]
    work["plain_counts"][row] = count
    for suit in range(NUM_SUITS):
        hull = 0
        for index in range(count):
            hull |= plain[row, index, suit]
        plain[row, HULL, suit] = hull


@outlined
def advance_plain(work: Work, source: int, target: int, place: int) -> bool:
    """Steps a layer to a place, writing the layer there to a row.

    Args:
        work: The workspace.
        source: The row to step from.
        target: The row to fill, from empty.
        place: The row whose place in the walk that is.

    Returns:
        Whether the layer fits.
    """
    rank = place - 1 if place < BACKWARD else place - BACKWARD
    count, room = 0, plain_room(work)
    for index in range(work["plain_counts"][source]):
        look_at(work, source, index, place)
        for at in range(work["num_steps"][rank]):
            if step_plain(work, work["choices"][rank, at, 0]) and needs_few(work):
                count = insert_plain(work, target, count)
                if count > room:
                    return False
    finish_layer(work, target, count)
    return True


@kernel
def walk_plain_backward(work: Work, first: int) -> bool:
    """Fills the backward layers down to the one after a rank; False if too wide."""
    for rank in range(work["num_ranks"] - 1, first, -1):
        if not advance_plain(
            work, BACKWARD + rank + 1, BACKWARD + rank, BACKWARD + rank
        ):
            return False
    return True


@kernel
def walk_plain_forward(work: Work, last: int) -> bool:
    """Fills the forward layers up to the one before a rank; False if too wide."""
    for rank in range(last):
        if not advance_plain(work, rank, rank + 1, rank + 1):
            return False
    return True


@outlined
def is_plainly_completable(work: Work) -> int:
    """Tells whether `must` with some of `may` splits into melds, without free jokers.

    The walks from both ends meet half-way.

    Returns:
        1 or 0; -1 if the walks are too wide to tell.
    """
    begin_plain(work)
    middle = work["num_ranks"] // 2
    if not walk_plain_forward(work, middle):
        return -1
    if not walk_plain_backward(work, middle - 1):
        return -1
    return 1 if layers_join(work, middle) else 0
