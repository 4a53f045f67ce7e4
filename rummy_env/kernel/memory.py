"""What the answers to one question tell of the next one.

A player asks what is legal again and again within a turn, and each time little has
changed. Let `Q` be a question that was answered and `R` the one at hand, and call a
final table *open* to a question if it is a completion (`completion`).

**Narrower.** Let every card have as many copies on the table in `R` as in `Q` at
least, and in table and hand together at most; as many jokers locked at least; as many
jokers named at least, or else a real card of the name on the table; as many jokers on
the table at least, and in table and hand together at most. Then every table open to
`R` is open to `Q`. Real cards and the number of jokers obviously fit. A joker must
keep the name `d` in `Q` if it is locked, hence in `R` it is, or if it is named and the
final table has no real `d`, hence `R` has none either, and names it too. And what a
completion of `R` proves it proves of `Q`: a card laid beyond the table of `R` is one
beyond that of `Q`; a joker beyond those that `R` asks to keep is one beyond those of
`Q`, by the same two cases; a joker of the hand used is one beyond those on the table.
So what is ruled out for `Q` is ruled out for `R`. Laying a card, naming a joker and
releasing one all make a question narrower.

**Grown.** Let `R` differ from `Q` by one more copy of one real card `x` in the hand, as
after a draw. Then all tables open to `Q` are open to `R`, so what is proved stays
proved. And a table open to `R` that is not to `Q` lays more copies of `x` than `Q` had,
which is *every* copy there is. So what was ruled out is legal iff a completion that
does so says so, and if there is no such completion nothing needs to be looked at again.
With two copies more it would not be so: a table may lay one of them.

Memories may be lost, mixed up or of another game: what they tell is found by comparing
both questions, never taken on trust. Hints and boxes say nothing of themselves: they
are only tried first (`marks`, `witness`).
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.cards import JOKER, NUM_CARD_TYPES, NUM_RANKS
from rummy_env.kernel.groups import NUM_BOXES
from rummy_env.kernel.jit import inlined, kernel
from rummy_env.kernel.workspace import (
    IS_LEGAL,
    IS_OPEN,
    NO_HINT,
    NOT_ASKED,
    NOT_GROWN,
    NUM_HINTS,
    RULED_OUT,
    RULED_OUT_BEFORE,
)

Work = Any
"""A record of `workspace.WORKSPACE`."""

UNRELATED: Final = 0
NARROWER: Final = 1
GROWN: Final = 2
SAME: Final = 3
"""How a question relates to the one remembered; the same one is narrower, too."""


@kernel
def recall(work: Work, memory: Any) -> None:
    """Writes what a memory tells of the answers to the question at hand.

    Args:
        work: The workspace. Its `lay`, `name`, `name_more`, `num_names`, `hints` and
            `boxes` are written, and `grown`, the card of which the hand has one more
            than the question remembered, or `NOT_GROWN`.
        memory: A record of `workspace.MEMORY`.
    """
    relation = _relation(work, memory)
    if relation != GROWN:
        work["grown"] = NOT_GROWN
    keeps_legal = relation == GROWN or relation == SAME
    legal = IS_LEGAL if keeps_legal else IS_OPEN
    ruled_out = RULED_OUT_BEFORE if relation == GROWN else RULED_OUT
    if relation == UNRELATED:
        ruled_out = IS_OPEN
    is_same_game = work["num_ranks"] == memory["num_ranks"]
    for number in range(NUM_HINTS):
        card, has_hint = memory["hints"][number], number < memory["num_hints"]
        is_hint = is_same_game and has_hint and 0 <= card < NUM_CARD_TYPES
        work["hints"][number] = card if is_hint else NO_HINT
    recall_witness(work, memory)
    # a released joker is named before anything else is laid
    unasked = NOT_ASKED if work["pending"] > 0 else IS_OPEN
    num_names = 0
    for card in range(NUM_CARD_TYPES):
        lay = _carried(memory["lay"][card], legal, ruled_out)
        name = _carried(memory["name"][card], legal, ruled_out)
        work["lay"][card] = lay + unasked * (lay == IS_OPEN)
        work["name"][card] = name
        work["name_more"][card] = _carried(memory["name_more"][card], legal, ruled_out)
        num_names += name == IS_LEGAL
    work["num_names"] = num_names


@inlined
def _carried(answer: int, legal: int, ruled_out: int) -> int:
    """Returns what an answer to the question remembered says now.

    Without branches, so that the compiler does many cards at once.

    Args:
        answer: What was remembered.
        legal: What an answer that was legal is now.
        ruled_out: What one that was ruled out is now.
    """
    return legal * (answer == IS_LEGAL) + ruled_out * (answer == RULED_OUT)


@kernel
def _relation(work: Work, memory: Any) -> int:
    """Returns how the question relates to the one remembered; writes `grown`."""
    if work["num_ranks"] != memory["num_ranks"]:
        return UNRELATED
    # without branches, so that the compiler does many cards at once
    loses, changes, gains = 0, 0, 0
    laid_now, laid_then = work["pending"], int(memory["pending"])
    for card in range(NUM_CARD_TYPES):
        table, named = work["table"][card], work["named"][card]
        more = table - memory["table"][card]
        gain = work["hand"][card] - memory["hand"][card]
        named_more = named - memory["named"][card]
        locked_more = work["locked"][card] - memory["locked"][card]
        laid_now += named
        laid_then += memory["named"][card]
        loses |= (more < 0) | (more + gain > 0) | (locked_more < 0)
        loses |= (named_more < 0) & (table == 0)
        changes |= more | named_more | locked_more
        gains += abs(gain)
    gain = work["hand"][JOKER] - memory["hand"][JOKER]
    more = laid_now - laid_then
    if changes == 0 and more == 0 and gain == 0 and gains < 2:
        if gains == 0:
            return SAME
        # names that nobody settled then cannot be said to be as they were
        is_grown = memory["knows_names"] or work["wanted_names"] == 0
        if is_grown and _find_grown(work, memory):
            return GROWN
        return UNRELATED
    return UNRELATED if loses or more < 0 or more + gain > 0 else NARROWER


@kernel
def _find_grown(work: Work, memory: Any) -> bool:
    """Writes of which card the hand has one more; False if it has one less."""
    for card in range(NUM_CARD_TYPES):
        if work["hand"][card] > memory["hand"][card]:
            work["grown"] = card
            return True
    return False


@kernel
def reopen(work: Work, ruled_out: int) -> None:
    """Turns what was ruled out before the hand grew into `ruled_out` or `IS_OPEN`."""
    for card in range(NUM_CARD_TYPES):
        if work["lay"][card] == RULED_OUT_BEFORE:
            work["lay"][card] = ruled_out
        if work["name"][card] == RULED_OUT_BEFORE:
            work["name"][card] = ruled_out
        if work["name_more"][card] == RULED_OUT_BEFORE:
            work["name_more"][card] = ruled_out


@kernel
def remember(work: Work, memory: Any) -> None:
    """Writes a question and what its answers say to a memory.

    What was asked and is not legal is ruled out; what nobody asked is open.
    """
    has_joker = work["hand"][JOKER] > 0
    knows_names = has_joker or work["num_names"] < work["wanted_names"]
    if memory["num_ranks"] != work["num_ranks"]:
        memory["num_hints"] = 0
    memory["num_ranks"] = work["num_ranks"]
    memory["pending"] = work["pending"]
    memory["knows_names"] = knows_names
    memory["hand"][JOKER] = work["hand"][JOKER]
    for card in range(NUM_CARD_TYPES):
        memory["table"][card] = work["table"][card]
        memory["named"][card] = work["named"][card]
        memory["locked"][card] = work["locked"][card]
        memory["hand"][card] = work["hand"][card]
        memory["lay"][card] = _settled(work["lay"][card], True)
        memory["name"][card] = _settled(work["name"][card], knows_names)
        more = _settled(work["name_more"][card], has_joker)
        memory["name_more"][card] = more if has_joker else RULED_OUT
    _remember_hints(work, memory)
    remember_witness(work, memory)


@kernel
def recall_witness(work: Work, memory: Any) -> None:
    """Writes the boxes of a witness; what is no box would lead out of the tables."""
    for rank in range(NUM_RANKS):
        box = memory["boxes"][rank]
        work["boxes"][rank] = box if 0 <= box < NUM_BOXES else 0


@kernel
def remember_witness(work: Work, memory: Any) -> None:
    """Writes the boxes to a memory."""
    for rank in range(NUM_RANKS):
        memory["boxes"][rank] = work["boxes"][rank]


@kernel
def _remember_hints(work: Work, memory: Any) -> None:
    """Writes two names that jokers can have; keeps older ones where there are none."""
    found = 0
    if work["num_names"] >= NUM_HINTS:
        for card in range(NUM_CARD_TYPES):
            if work["name"][card] == IS_LEGAL and found < NUM_HINTS:
                memory["hints"][found] = card
                found += 1
        memory["num_hints"] = found


@kernel
def _settled(answer: int, was_asked: bool) -> int:
    """Returns an answer as it is remembered."""
    if answer == IS_OPEN and was_asked:
        return RULED_OUT
    return IS_OPEN if answer == NOT_ASKED else answer
