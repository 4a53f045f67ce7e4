"""The exact solver: is a table legal, what can be laid, what is the best meld.

Cards are written as in `card_text`. Nothing here looks at who may act: the questions
are about a table and a hand.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummy_env.actions import ACTION_NAMES, LAY, NAME_JOKER, NUM_ACTIONS, TAKE
from rummy_env.card_text import (
    Hand,
    Meld,
    Table,
    card_texts,
    check_counts,
    format_layout,
    parse_layout,
    question_counts,
    table_counts,
)
from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS, parse_card
from rummy_env.config import MAX_JOKERS, MAX_PACKS, MIN_NUM_RANKS
from rummy_env.errors import PositionError, RummyError, is_whole, nearest
from rummy_env.kernel import best, calls
from rummy_env.kernel.calls import new_workspaces
from rummy_env.kernel.layout import new_melds
from rummy_env.kernel.melds import NO_CARD

OBJECTIVES: Final = {"points": best.BY_POINTS, "cards": best.BY_CARDS}


class _Local(threading.local):
    """Each thread's workspaces, once they have been needed."""

    one_pack: NDArray[Any] | None = None
    two_packs: NDArray[Any] | None = None


_LOCAL: Final = _Local()


def local_workspaces(packs: int = 2) -> NDArray[Any]:
    """Returns this thread's workspace, `[1]`, for calls that return before the next.

    Making one takes longer than many questions.

    Args:
        packs: 1 for games of one pack only, 2 for all.
    """
    works = _LOCAL.one_pack if packs == 1 else _LOCAL.two_packs
    if works is None:
        works = new_workspaces(packs=packs)
        if packs == 1:
            _LOCAL.one_pack = works
        else:
            _LOCAL.two_packs = works
    return works


def check_num_ranks(num_ranks: int) -> int:
    """Returns a number of ranks.

    Raises:
        PositionError: It is no whole number from 3 to 13.
    """
    if not is_whole(num_ranks) or not MIN_NUM_RANKS <= num_ranks <= NUM_RANKS:
        raise PositionError(f"num_ranks is 3 to 13, not {num_ranks!r}")
    return int(num_ranks)


def _parse_objective(objective: str) -> int:
    """Returns the kernel's number of an objective, checked."""
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        hint = nearest(str(objective), OBJECTIVES)
        raise RummyError(f"no objective {objective!r}; {hint}")
    return OBJECTIVES[objective]


def _packs_of(copies: int, jokers: int) -> int:
    """Returns how many packs it takes for so many copies of a card: 1 or 2.

    One if no card is there twice, and one joker at most.
    """
    return 2 if jokers > 1 or copies > 1 else 1


def load(
    works: NDArray[Any] | None,
    table: Table,
    hand: Hand = "",
    *,
    locked: Table = "",
    pending: str | None = None,
    num_ranks: int = NUM_RANKS,
) -> NDArray[Any]:
    """Writes a question into a workspace, checked.

    Args:
        works: A workspace, `[1]`, or None for the one of this thread that serves.
        table: The table; it need not be legal as it stands.
        hand: The hand.
        locked: The jokers of the table that were named this turn, as `"*7c"`.
        pending: The old name of a released joker that waits, or None.
        num_ranks: Ranks in play.

    Returns:
        The workspace.

    Raises:
        RummyError: A word is no card, or the cards cannot be.
    """
    num_ranks = check_num_ranks(num_ranks)
    counts = question_counts(table, hand)
    is_any_locked = not isinstance(locked, str) or locked != ""
    fixed = _locked_counts(locked, counts) if is_any_locked else _NO_CARDS
    waiting = _count_pending(pending)
    most, jokers = calls.look_over(counts)
    if most > MAX_PACKS or jokers + waiting > MAX_JOKERS or num_ranks < NUM_RANKS:
        _check_counts(counts, jokers + waiting, num_ranks)
    if works is None:
        works = local_workspaces(_packs_of(most, jokers + waiting))
    calls.ask(works, counts, fixed, waiting, num_ranks)
    return works


_NO_CARDS: Final = np.zeros(NUM_CARD_TYPES, dtype=np.int64)


def _check_counts(counts: NDArray[Any], jokers: int, num_ranks: int) -> None:
    """Refuses cards that no packs hold, or that are not in play."""
    real, named = counts[:NUM_CARD_TYPES], counts[NUM_CARD_TYPES:]
    hand = named[NUM_CARD_TYPES:]
    check_counts(real + hand[:JOKER], jokers, num_ranks)
    check_counts((named[:NUM_CARD_TYPES] > 0) * 1, 0, num_ranks)


def _locked_counts(locked: Table, counts: NDArray[Any]) -> NDArray[np.int64]:
    """Returns the jokers that were named this turn, checked against those named."""
    real, fixed = table_counts(locked)
    if real.any() or (fixed > counts[NUM_CARD_TYPES:][:NUM_CARD_TYPES]).any():
        raise PositionError("`locked` names jokers that lie on the table, as '*7c'")
    return fixed


def _count_pending(pending: str | None) -> int:
    """Returns how many jokers wait, 0 or 1, the name checked."""
    if pending is None:
        return 0
    if not isinstance(pending, str) or parse_card(pending) == JOKER:
        raise PositionError("`pending` is the old name of a joker, as '7c'")
    return 1


_NO_MELDS: Final = new_melds()


def _new_layout(melds: Sequence[Meld]) -> NDArray[np.int64]:
    """Returns a layout as the kernel reads it, int64 `[35, 13]`."""
    layout = new_melds()
    for at, meld in enumerate(melds[: len(layout)]):
        layout[at, : len(meld)] = [card for card, _ in meld]
    return layout


def arrange_loaded(
    works: NDArray[Any], near: Iterable[str] | None = None
) -> list[str] | None:
    """Returns a layout of the table of a workspace's question, or None."""
    old, before = list[Meld](), _NO_MELDS
    if near is not None:
        old = parse_layout(near, int(works[0]["num_ranks"]))
        before = _new_layout(old)
    melds = np.empty_like(_NO_MELDS)
    count = calls.arrange(works, before, melds)
    if count < 0:
        return None
    # a row ends with the first blank, or is full
    found = [
        row[: row.index(NO_CARD)] if row[-1] == NO_CARD else row
        for row in melds[:count].tolist()
    ]
    return format_layout(found, works[0]["table"], works[0]["named"], old)


def arrange(
    table: Table, near: Iterable[str] | None = None, num_ranks: int = NUM_RANKS
) -> list[str] | None:
    """Splits a table into melds (R10, R11).

    Args:
        table: Cards and named jokers, in any order.
        near: An earlier layout; its melds are kept where a simple greedy can.
        num_ranks: Ranks in play.

    Returns:
        The melds as texts, or None if the cards do not split into melds.

    Raises:
        RummyError: A word is no card, or the cards cannot be.

    Examples:
        >>> arrange("8h 7h 9h 9c 9d")
        >>> arrange("8h 7h 9h 9c 9d *9s")
        ['7h 8h 9h', '9c 9d *9s']
    """
    return arrange_loaded(load(None, table, num_ranks=num_ranks), near)


def playable(
    table: Table,
    hand: Hand,
    *,
    locked: Table = "",
    pending: str | None = None,
    laid: bool = False,
    num_ranks: int = NUM_RANKS,
) -> list[str]:
    """Returns the melding actions that are legal (R12, R16).

    Args:
        table: The table, which need not be legal as it stands.
        hand: The hand.
        locked: Jokers of the table named this turn, as `"*7c"`.
        pending: The old name of a released joker that waits for a new one.
        laid: Whether anything was laid this turn: only then may a joker be taken. A
            table that is not legal does not say so here.
        num_ranks: Ranks in play.

    Returns:
        Names of `lay`, `joker` and `take` actions, in the order of their ids.

    Raises:
        RummyError: A word is no card, or the cards cannot be.
    """
    if not isinstance(laid, bool | np.bool_):
        raise RummyError(f"laid is True or False, not {laid!r}")
    works = load(None, table, hand, locked=locked, pending=pending, num_ranks=num_ranks)
    calls.answer(works)
    work = works[0]
    mask = np.zeros(NUM_ACTIONS, dtype=bool)
    if pending is not None:
        mask[NAME_JOKER:TAKE] = work["name"]
        mask[NAME_JOKER + parse_card(pending)] = False
    else:
        mask[LAY:NAME_JOKER] = work["lay"]
        mask[NAME_JOKER:TAKE] = work["name_more"]
        is_movable = (work["named"] > work["locked"]) & (work["table"] > 0)
        has_other = work["name"].sum() > work["name"]
        mask[TAKE:] = is_movable & has_other & laid
    return [ACTION_NAMES[action] for action in np.flatnonzero(mask)]


def best_meld(
    table: Table,
    hand: Hand,
    objective: str = "points",
    *,
    locked: Table = "",
    pending: str | None = None,
    near: Iterable[str] | None = None,
    num_ranks: int = NUM_RANKS,
) -> tuple[list[str], list[str]] | None:
    """Finds the meld that lays the most points, or the most cards.

    Among equals, a joker that waits takes the lowest name, then cards are laid as early
    in the order of action ids as can be, then other jokers take the lowest names.

    Whether anything was laid this turn is not asked, but follows: a table that is not
    legal, or a joker that waits, is the middle of a meld. Something was laid then, so
    jokers may be released at once, and actions that lay nothing more may finish it. On
    a table that stands the actions lay a card at least (R12), before any release.

    Args:
        table: The table, which need not be legal as it stands.
        hand: The hand.
        objective: "points" or "cards".
        locked: Jokers of the table named this turn, as `"*7c"`.
        pending: The old name of a released joker that waits for a new one.
        near: The layout before, for the one after.
        num_ranks: Ranks in play.

    Returns:
        The names of the actions, in an order in which each is legal, and the layout
        after them; None where nothing can be laid on a table that stands, or no
        completion exists.

    Raises:
        RummyError: The objective is unknown, a word is no card, or the cards cannot
            be.
    """
    number = _parse_objective(objective)
    near = None if near is None else card_texts(near)
    works = load(None, table, hand, locked=locked, pending=pending, num_ranks=num_ranks)
    works["width"] = 0  # a narrow search may have been broken off
    old = NO_CARD if pending is None else parse_card(pending)
    if calls.find_best(works, number, old) < 0:
        return None
    work = works[0]
    plan = work["plan"][: work["num_plan"]].tolist()
    if not plan:
        return None
    layout = arrange_loaded(works, near)
    assert layout is not None
    return [ACTION_NAMES[action] for action in plan], layout


def best_actions(
    table: NDArray[Any],
    named: NDArray[Any],
    locked: NDArray[Any],
    hand: NDArray[Any],
    old: NDArray[Any],
    *,
    objective: str = "points",
    num_ranks: int = NUM_RANKS,
) -> NDArray[np.int64]:
    """Returns the first action of the best meld for many positions at once.

    Each is a question to `best_meld`, and what is said there holds here.

    Args:
        table: Real cards on the table, whole numbers `[B, 52]`.
        named: Jokers on the table by name, `[B, 52]`.
        locked: Those of them named this turn, `[B, 52]`.
        hand: The hand, jokers last, `[B, 53]`.
        old: The name that a waiting joker gave up, or -1, `[B]`.
        objective: "points" or "cards".
        num_ranks: Ranks in play.

    Returns:
        Action ids, int64 `[B]`; -1 where nothing is to be laid and the table stands.

    Raises:
        RummyError: The objective is unknown, a shape or a type is wrong, or the cards
            of a row cannot be.
    """
    number, ranks = _parse_objective(objective), check_num_ranks(num_ranks)
    questions = _questions((table, named, locked, hand, old), ranks)
    actions = np.empty(len(questions.old), dtype=np.int64)
    works = _workspaces_for(questions)
    works["width"] = 0  # a narrow search may have been broken off
    calls.find_best_rows(questions, works, ranks, number, actions)
    return actions


class Melds(NamedTuple):
    """The best melds of many positions, as `best_melds` finds them.

    Attributes:
        plans: Ids of actions in an order in which each is legal, padded with -1, int64
            `[B, L]`.
        table: Real cards on the table after the meld, int64 `[B, 52]`.
        named: Jokers on the table by name after it, int64 `[B, 52]`.
        exists: Whether the table can be made legal at all, bool `[B]`.
    """

    plans: NDArray[np.int64]
    table: NDArray[np.int64]
    named: NDArray[np.int64]
    exists: NDArray[np.bool_]


def best_melds(
    table: NDArray[Any],
    named: NDArray[Any],
    locked: NDArray[Any],
    hand: NDArray[Any],
    old: NDArray[Any],
    *,
    objective: str = "points",
    num_ranks: int = NUM_RANKS,
    width: int | None = None,
) -> Melds:
    """Returns the whole of the best meld for many positions at once.

    The arguments but the last are those of `best_actions`, which returns the first
    column of the plans, quicker.

    Args:
        table: Real cards on the table, whole numbers `[B, 52]`.
        named: Jokers on the table by name, `[B, 52]`.
        locked: Those of them named this turn, `[B, 52]`.
        hand: The hand, jokers last, `[B, 53]`.
        old: The name that a waiting joker gave up, or -1, `[B]`.
        objective: "points" or "cards".
        num_ranks: Ranks in play.
        width: Nodes that the search keeps at each rank, 1 or more. Then a hand of 30
            cards takes milliseconds, never a tenth of a second, but a better meld may
            be overlooked, or the only one. None finds the best for sure.

    Returns:
        The melds; an empty plan and the table as it was where nothing is to be laid
        and the table stands, or no completion exists.

    Raises:
        RummyError: As `best_actions` does, or the width is less than 1.
    """
    number, ranks = _parse_objective(objective), check_num_ranks(num_ranks)
    questions = _questions((table, named, locked, hand, old), ranks)
    works = _workspaces_for(questions)
    works["width"] = _check_width(width)
    after = Melds(
        np.full((len(questions.old), works["plan"].shape[1]), NO_CARD, dtype=np.int64),
        questions.table.copy(),
        questions.named.copy(),
        np.zeros(len(questions.old), dtype=np.bool_),
    )
    works["num_ranks"] = ranks
    for row in range(len(questions.old)):
        _find_meld(works, questions, row, number, after)
    longest = max(1, int((after.plans >= 0).sum(axis=1).max(initial=0)))
    return after._replace(plans=after.plans[:, :longest])


def legal_tables(
    table: NDArray[Any], named: NDArray[Any], *, num_ranks: int = NUM_RANKS
) -> NDArray[np.bool_]:
    """Tells which of many tables split into melds as they stand.

    Args:
        table: Real cards on the table, whole numbers `[B, 52]`.
        named: Jokers on the table by name, `[B, 52]`.
        num_ranks: Ranks in play.

    Returns:
        Bool `[B]`.

    Raises:
        RummyError: A shape or a type is wrong, or the cards of a row cannot be.
    """
    ranks = check_num_ranks(num_ranks)
    real = _whole_array(table)
    rows = real.shape[0] if real.ndim else 0
    nobody = np.full(rows, NO_CARD)
    hand = np.zeros((rows, NUM_CARD_TYPES + 1), dtype=np.int64)
    locked = np.zeros((rows, NUM_CARD_TYPES), dtype=np.int64)
    questions = _questions((real, named, locked, hand, nobody), ranks)
    works = _workspaces_for(questions)
    works["num_ranks"] = ranks
    legal = np.empty(len(nobody), dtype=np.bool_)
    for row in range(len(legal)):
        works[0]["table"] = questions.table[row]
        works[0]["named"] = questions.named[row]
        legal[row] = calls.is_table_legal(works)
    return legal


def _check_width(width: int | None) -> int:
    """Returns a width as the kernel takes it, 0 for none."""
    if width is None:
        return 0
    if type(width) is not int or width < 1:
        raise RummyError(f"width is a whole number of 1 or more, not {width!r}")
    return width


def _find_meld(
    works: NDArray[Any], questions: best.Questions, row: int, number: int, after: Melds
) -> None:
    """Writes the best meld of one row, if there is one, to that row of `after`."""
    work, old = works[0], int(questions.old[row])
    for name in ("table", "named", "locked", "hand"):
        work[name] = getattr(questions, name)[row]
    work["pending"] = 0 if old == NO_CARD else 1
    after.exists[row] = calls.find_best(works, number, old) >= 0
    if not after.exists[row]:
        return
    length = int(work["num_plan"])
    after.plans[row, :length] = work["plan"][:length]
    after.table[row], after.named[row] = work["table"], work["named"]


def _questions(arrays: Sequence[NDArray[Any]], num_ranks: int) -> best.Questions:
    """Returns the questions of many rows as the kernel takes them, checked."""
    checked = [_whole_array(array) for array in arrays]
    rows = checked[-1].shape[0] if checked[-1].ndim == 1 else -1
    shapes = [(rows, NUM_CARD_TYPES)] * 3 + [(rows, NUM_CARD_TYPES + 1), (rows,)]
    if [array.shape for array in checked] != shapes:
        raise RummyError(f"shapes {[array.shape for array in checked]}, not {shapes}")
    questions = best.Questions(*checked)
    _check_questions(questions, num_ranks)
    return questions


def _workspaces_for(questions: best.Questions) -> NDArray[Any]:
    """Returns this thread's workspace for questions that have been checked."""
    table, named, _, hand, old = questions
    jokers = named.sum(axis=1) + hand[:, JOKER] + (old != NO_CARD)
    most = int(jokers.max(initial=0))
    copies = int((table + hand[:, :JOKER]).max(initial=0))
    return local_workspaces(_packs_of(copies, most))


def _whole_array(values: NDArray[Any]) -> NDArray[np.int64]:
    """Returns whole numbers as the kernel takes them, checked."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError) as error:
        raise RummyError(f"cards are no array: {error}") from error
    if array.dtype.kind not in "iu":
        raise RummyError(f"cards are counted in whole numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)


def _check_questions(questions: best.Questions, num_ranks: int) -> None:
    """Refuses rows of cards that no packs hold: the kernel would leave its arrays."""
    table, named, locked, hand, old = questions
    real = table + hand[:, :JOKER]
    jokers = named.sum(axis=1) + hand[:, JOKER] + (old >= 0)
    is_absent = np.arange(NUM_CARD_TYPES) % NUM_RANKS >= num_ranks
    is_wrong = (
        (np.minimum(table, hand[:, :JOKER]) < 0).any(axis=1)
        | (np.maximum(table, hand[:, :JOKER]) > MAX_PACKS).any(axis=1)
        | (real > MAX_PACKS).any(axis=1)
        | (named < 0).any(axis=1)
        | (named > MAX_JOKERS).any(axis=1)
        | (locked < 0).any(axis=1)
        | (locked > named).any(axis=1)
        | ((real + named)[:, is_absent] > 0).any(axis=1)
        | (hand[:, JOKER] < 0)
        | (hand[:, JOKER] > MAX_JOKERS)
        | (jokers > MAX_JOKERS)
        | (old < NO_CARD)
        | (old >= NUM_CARD_TYPES)
    )
    if is_wrong.any():
        rows = np.flatnonzero(is_wrong)[:10].tolist()
        raise PositionError(f"cards that no packs hold, in the rows {rows}")
