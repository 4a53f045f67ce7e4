"""The entries for a single game: each takes arrays of one record and calls on.

Handing an array to a compiled function is several times quicker than handing it a
record, so the faces (`rules`, `solver`, `state`, `env`) come in here.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import JOKER, NUM_CARD_TYPES
from rummy_env.kernel import best, completion, encode, layout, payoff, turn
from rummy_env.kernel.jit import (
    ADDRESSES,
    FOR_LAYOUTS,
    LATE,
    OUTLINED,
    addresses,
    copy,
    entry,
)
from rummy_env.kernel.subsets import NEXT
from rummy_env.kernel.workspace import CAPACITY, WORKSPACE

NO_ACTION: Final = -1
_HAND_AT: Final = 2 * NUM_CARD_TYPES
_LATE_AT: Final = OUTLINED.index(LATE[0])
_LAYOUT_AT: Final = OUTLINED.index(FOR_LAYOUTS[0])


def new_workspaces(
    count: int = 1, limit: int = CAPACITY, packs: int = 2
) -> NDArray[Any]:
    """Returns workspaces, one for each thread.

    Args:
        count: How many.
        limit: The widest beam; less than the capacity only to test that the answers
            do not depend on it.
        packs: With 1 for games of one pack only, whose questions are answered sooner
            (`single`), and without compiling what two packs need. With 2 for all.

    Returns:
        Records of `WORKSPACE`, `[count]`.
    """
    works = np.zeros(count, dtype=WORKSPACE)
    works[ADDRESSES] = addresses(WORKSPACE, packs)
    works["packs"] = packs
    works["limit"] = limit
    works["next"] = NEXT
    return works


@entry
def start_game(states: Any, config: Any, seed: int) -> None:
    """See `turn.start_game`."""
    turn.start_game(states[0], config, seed)


@entry
def start_next_round(states: Any, config: Any) -> None:
    """See `turn.start_next_round`."""
    turn.start_next_round(states[0], config)


@entry
def play(states: Any, config: Any, works: Any, action: int, mask: Any) -> int:
    """Applies an action, if one is given, and writes what is legal then.

    One entry for both: each heavy entry costs seconds to compile.

    Args:
        states: The game, `[1]`.
        config: The options.
        works: A workspace, `[1]`.
        action: The id of a legal action, or `NO_ACTION`.
        mask: Int8 `[159]`, overwritten.

    Returns:
        How many actions are legal.
    """
    memory = works[0]["memory"]
    if action != NO_ACTION:
        turn.apply(states[0], config, works[0], memory, action)
    return turn.legal_actions(states[0], config, works[0], memory, mask)


@entry
def encode_player(states: Any, config: Any, player: int, out: Any) -> None:
    """See `encode.encode`."""
    encode.encode(states[0], config, player, out)


@entry
def add_rewards(states: Any, config: Any, episode: int, reward: int, out: Any) -> None:
    """See `payoff.add_rewards`."""
    payoff.add_rewards(states[0], config, episode, reward, out)


@entry
def look_over(counts: Any) -> tuple[int, int]:
    """Returns the most copies that there are of any real card, and how many jokers.

    Args:
        counts: A table and a hand, int64 `[157]`, as `ask` takes them.
    """
    most, jokers = 0, counts[_HAND_AT + JOKER]
    for card in range(NUM_CARD_TYPES):
        most = max(most, counts[card] + counts[_HAND_AT + card])
        jokers += counts[NUM_CARD_TYPES + card]
    return most, jokers


@entry
def ask(works: Any, counts: Any, locked: Any, pending: int, num_ranks: int) -> None:
    """Writes a question into a workspace: field by field that takes NumPy far longer.

    Args:
        works: A workspace, `[1]`.
        counts: Real cards on the table, jokers there by name, the hand, jokers last,
            int64 `[157]`.
        locked: The jokers that were named this turn, int64 `[52]`.
        pending: Released jokers that wait for a name, 0 or 1.
        num_ranks: Ranks in play.
    """
    work = works[0]
    copy(counts[:NUM_CARD_TYPES], work["table"])
    copy(counts[NUM_CARD_TYPES:_HAND_AT], work["named"])
    copy(counts[_HAND_AT:], work["hand"])
    copy(locked, work["locked"])
    work["pending"] = pending
    work["num_ranks"] = num_ranks
    work["wanted_names"] = NUM_CARD_TYPES


@entry
def answer(works: Any) -> None:
    """See `completion.answer`."""
    completion.answer(works[0])


@entry
def is_table_legal(works: Any) -> bool:
    """See `completion.is_table_legal`."""
    return completion.is_table_legal(works[0])


@entry
def _arrange(works: Any, near: Any, melds: Any) -> int:
    """See `layout.arrange`."""
    return layout.arrange(works[0], near, melds)


def arrange(
    works: NDArray[Any], near: NDArray[np.int64], melds: NDArray[np.int64]
) -> int:
    """See `layout.arrange`; compiles what it needs with one pack the first time."""
    if works[ADDRESSES][0, _LAYOUT_AT] == 0:
        packs = int(works[0]["packs"])
        works[ADDRESSES] = addresses(WORKSPACE, packs, with_layouts=True)
    return int(_arrange(works, near, melds))


@entry
def _find_best(works: Any, objective: int, old: int) -> int:
    """See `best.find_best`."""
    return best.find_best(works[0], objective, old)


def find_best(works: NDArray[Any], objective: int, old: int) -> int:
    """See `best.find_best`; compiles it the first time."""
    if works[ADDRESSES][0, _LATE_AT] == 0:
        works[ADDRESSES] = addresses(WORKSPACE, with_late=True)
    return int(_find_best(works, objective, old))


def find_best_rows(
    questions: best.Questions,
    works: NDArray[Any],
    num_ranks: int,
    objective: int,
    actions: NDArray[np.int64],
) -> None:
    """See `best.best_rows`; compiles it the first time."""
    works[ADDRESSES] = addresses(WORKSPACE, with_late=True)
    best.best_rows(questions, works, num_ranks, objective, actions)
