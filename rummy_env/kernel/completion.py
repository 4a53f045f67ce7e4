"""Completions: what may be laid, and how jokers may be named, so that melds remain.

A *completion* of a turn is a final table that keeps every card of the table, adds
cards from the hand, places every joker of the table and any of the hand, and splits
into melds, where a joker keeps its name unless the real card lies there (R12, R16):
with `r` real cards, `y` names, `named` and `locked` the jokers named now and this
turn, `y[d] >= (locked[d] if r[d] > 0 else named[d])` for every card `d`. A card may be
laid now iff some completion lays it, and so on (`answer`).

Here the question is put: jokers that cannot move count as the cards they name, the
others are free. Where a joker named `d` may move only if a real `d` comes from the
hand, the two cases are asked one after the other: no real `d` is laid and the joker
stays, or one is and it is free (`release`). `marks` finds the answers: some by the
boxes in which the table last split (`witness`), most by walks from both ends (`walk`)
over nodes (`nodes`), choosing at each rank what goes to groups (`choices`); where no
card is there twice, as with one pack, over sets (`single`).
"""

from __future__ import annotations

from typing import Any

from rummy_env.cards import JOKER, NUM_CARD_TYPES
from rummy_env.kernel.jit import kernel, outlined
from rummy_env.kernel.marks import mark_at_home, mark_free
from rummy_env.kernel.memory import reopen
from rummy_env.kernel.plain import is_plainly_completable
from rummy_env.kernel.support import drop_unsupported
from rummy_env.kernel.walk import is_completable
from rummy_env.kernel.witness import is_witnessed, take_witness
from rummy_env.kernel.workspace import (
    IS_LEGAL,
    IS_OPEN,
    NO_HINT,
    NOT_GROWN,
    RULED_OUT,
)

Work = Any
"""A record of `workspace.WORKSPACE`."""


@kernel
def _is_conditional(work: Work, card: int) -> bool:
    """Tells whether a joker of this name moves only if the hand gives the card."""
    return (
        work["named"][card] > work["locked"][card]
        and work["table"][card] == 0
        and work["hand"][card] > 0
    )


@kernel
def resolve(work: Work) -> int:
    """Writes `must`, `may` and the free jokers, conditional ones staying put.

    Returns:
        How many cards have conditional jokers, at most two.
    """
    jokers, num_conditional = work["pending"], 0
    # without branches, so that the compiler does many cards at once
    for card in range(NUM_CARD_TYPES):
        table, named, hand = (
            work["table"][card],
            work["named"][card],
            work["hand"][card],
        )
        movable = (named - work["locked"][card]) * (table > 0)
        is_conditional = (named > work["locked"][card]) & (table == 0) & (hand > 0)
        work["must"][card] = table + named - movable
        work["may"][card] = hand * (1 - is_conditional)
        work["home"][card] = movable
        work["is_barred"][card] = 0
        jokers += movable
        num_conditional += is_conditional
    work["jokers_low"] = jokers
    work["jokers_high"] = jokers + work["hand"][JOKER]
    return num_conditional


@kernel
def release(work: Work, case: int) -> None:
    """Resolves conditional jokers: real cards are laid, so the jokers are free.

    Args:
        work: The workspace, resolved with all conditional jokers staying put.
        case: Which of them are freed, a bit for each in the order of their cards.
    """
    for card in range(NUM_CARD_TYPES):
        if _is_conditional(work, card):
            if case & 1:
                movable = work["named"][card] - work["locked"][card]
                work["must"][card] += 1 - movable
                work["may"][card] = work["hand"][card] - 1
                work["home"][card] = movable
                work["jokers_low"] += movable
                work["jokers_high"] += movable
            case >>= 1


@kernel
def _mark_released(work: Work, case: int) -> None:
    """Marks the real cards that a case lays."""
    for card in range(NUM_CARD_TYPES):
        if _is_conditional(work, card):
            if case & 1:
                work["lay"][card] = 1
            case >>= 1


@outlined
def has_completion(work: Work) -> bool:
    """Tells whether the question has any completion; here `pending` may exceed 1."""
    num_conditional = resolve(work)
    for case in range(1 << num_conditional):
        if case > 0:
            resolve(work)
            release(work, case)
        if is_completable(work):
            return True
    return False


@kernel
def answer(work: Work) -> None:
    """Answers a question in full: which cards may be laid, how jokers may be named.

    Reads the question of the workspace (`table`, `named`, `locked`, `hand`, `pending`,
    `num_ranks`) and writes its answers: `lay[c]` is 1 iff some completion lays a
    further `c` from the hand; `name[d]` iff some completion has at least one joker
    `d` more than it must keep; `name_more[d]` iff one of those uses a joker from the
    hand. All others are 0. Once `wanted_names` names are known, no further ones are
    looked for: those that are 1 are right, others may be missing. Nothing is checked:
    with a table that nothing completes all answers are 0.
    """
    work["lay"][:] = IS_OPEN
    work["name"][:] = IS_OPEN
    work["name_more"][:] = IS_OPEN
    work["num_names"] = 0
    work["grown"] = NOT_GROWN
    work["hints"][:] = NO_HINT
    answer_open(work)


@outlined
def answer_open(work: Work) -> None:
    """Finds those answers of a question that are open; see `answer`.

    Those that are known beforehand (`memory.recall`) stay as they are. First mostly
    come the completions in which every joker, conditional ones too, keeps its name:
    they are the most, and need no place for a joker. Then, case by case, those that
    move one.
    If a card is new in the hand, all of them lay every copy of it (`memory`).
    """
    is_found, num_cases = work["grown"] == NOT_GROWN, _num_cases(work)
    if work["pending"] == 0 and not _has_one_joker(work, num_cases):
        _resolve_at_home(work)
        is_found = is_found or _find_new(work)
        if is_found:
            mark_at_home(work)
    for case in range(num_cases):
        if _is_of_use(work, case):
            is_new = not is_found and _find_new(work)
            is_found = is_found or is_new
            if is_found:
                _mark_case(work, case, is_new)
    if not is_found:
        reopen(work, RULED_OUT)
    if work["hand"][JOKER] == 0:
        work["name_more"][:] = IS_OPEN


@kernel
def _num_cases(work: Work) -> int:
    """Resolves the first case; returns how many there are in which a joker may move."""
    num_conditional = resolve(work)
    if num_conditional == 0 and work["jokers_high"] == 0:
        return 0
    return 1 << num_conditional


@kernel
def _has_one_joker(work: Work, num_cases: int) -> bool:
    """Tells whether one joker is to be placed, in all cases, the first resolved.

    Then it pays to look for its place at once: the one that it has is one of them. Not
    so with one pack, where walks without a joker take a fraction of the time.
    """
    if work["packs"] == 1:
        return False
    return num_cases == 1 and work["jokers_low"] == work["jokers_high"] == 1


@kernel
def _resolve_at_home(work: Work) -> None:
    """Resolves a question with every joker as it is named, and none free."""
    for card in range(NUM_CARD_TYPES):
        work["must"][card] = work["table"][card] + work["named"][card]
        is_ruled_out = work["lay"][card] == RULED_OUT
        work["may"][card] = 0 if is_ruled_out else work["hand"][card]
    work["jokers_low"] = 0
    work["jokers_high"] = 0
    _ask_for_new(work)


@kernel
def _is_of_use(work: Work, case: int) -> bool:
    """Resolves a case; tells whether it has tables that were not looked at before.

    No card and no joker goes where that is ruled out. Where no joker is free, none
    moves; and a conditional card that is new in the hand must be laid.
    """
    resolve(work)
    bits = case
    for card in range(NUM_CARD_TYPES):
        is_ruled_out = work["lay"][card] == RULED_OUT
        if is_ruled_out:
            work["may"][card] = 0
        work["is_barred"][card] = work["name"][card] == RULED_OUT
        if _is_conditional(work, card):
            is_laid = bits & 1 == 1
            bits >>= 1
            if (is_laid and is_ruled_out) or (not is_laid and card == work["grown"]):
                return False
    release(work, case)
    _ask_for_new(work)
    return work["jokers_high"] > 0


@kernel
def _ask_for_new(work: Work) -> None:
    """Makes every copy of a card that is new in the hand compulsory."""
    grown = work["grown"]
    if grown != NOT_GROWN:
        work["must"][grown] += work["may"][grown]
        work["may"][grown] = 0


@kernel
def _find_new(work: Work) -> bool:
    """Tells whether what is resolved lays the new card, and all may be open again."""
    if not is_completable(work):
        return False
    reopen(work, IS_OPEN)
    work["lay"][work["grown"]] = IS_LEGAL
    return True


@kernel
def _mark_case(work: Work, case: int, has_completion: bool) -> None:
    """Marks what a case, resolved, proves; it lays the cards that it releases.

    All proofs are completions. So whether there is any is asked last, if at all.
    """
    before = _num_legal(work)
    mark_free(work)
    is_known = has_completion or _is_proved(work, case) or _num_legal(work) > before
    if is_known or is_completable(work):
        _mark_released(work, case)


@kernel
def _is_proved(work: Work, case: int) -> bool:
    """Tells whether all that a case lays is known to be legal."""
    for card in range(NUM_CARD_TYPES):
        if _is_conditional(work, card):
            if case & 1 and work["lay"][card] != IS_LEGAL:
                return False
            case >>= 1
    return True


@kernel
def _num_legal(work: Work) -> int:
    """Returns how many answers are yes so far."""
    count = work["num_names"]
    for card in range(NUM_CARD_TYPES):
        count += work["lay"][card] == IS_LEGAL
        count += work["name_more"][card] == IS_LEGAL
    return count


@outlined
def is_table_legal(work: Work) -> bool:
    """Tells whether the table of the question, as it stands, splits into melds."""
    for card in range(NUM_CARD_TYPES):
        work["must"][card] = work["table"][card] + work["named"][card]
        work["may"][card] = 0
    work["jokers_low"] = 0
    work["jokers_high"] = 0
    return splits(work)


@kernel
def splits(work: Work) -> bool:
    """Tells whether `must`, with nothing that may and no free joker, splits."""
    if not drop_unsupported(work):
        return False
    if work["packs"] == 1:
        return is_completable(work)
    if is_witnessed(work):
        return True
    found = is_plainly_completable(work)
    if found == 1:
        take_witness(work)
    # seldom: what was too wide is walked once more, then with beams
    return is_completable(work) if found < 0 else found == 1
