"""Exact cover with choices: must some cards be covered, may others help?

A question has cards that must be covered, spare cards that may be, jokers that must
be used under any name, and jokers that may be. The search takes a card not yet
covered, one that needs a joker or else the lowest, and tries every meld of up to five
cards through it. Copies of a card are alike, so a meld takes a needed copy before a
spare one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

from rummy_env.cards import NUM_RANKS, NUM_SUITS, rank_of
from tests.reference.melds import (
    ACES,
    FIELD,
    RANK,
    Meld,
    field_of,
    lowest_field,
    pack,
    pieces,
    present,
    supported,
    unpack,
)


class Question(NamedTuple):
    """What must be and what may be covered by melds.

    Attributes:
        needed: Packed cards that must be covered.
        spare: Packed cards that may be.
        must: Jokers to be used, under any name.
        may: Further jokers that may be used.
        num_ranks: Ranks in play.
    """

    needed: int
    spare: int
    must: int
    may: int
    num_ranks: int


class Answer(NamedTuple):
    """A way to do it.

    Attributes:
        laid: Packed spare cards covered.
        names: Packed names given to jokers.
    """

    laid: int
    names: int


class Piece(NamedTuple):
    """A group or a run of up to five cards.

    Attributes:
        cards: Its packed cards.
        extra: Those without any one of which it is still a meld: the ends of a run
            of four or five, all of a group of four.
    """

    cards: int
    extra: int


def piece_of(meld: Meld) -> Piece:
    """Returns the piece of a group or run."""
    extra: Meld = ()
    if len(meld) > 3:
        is_group = rank_of(meld[0]) == rank_of(meld[1])
        extra = meld if is_group else (meld[0], meld[-1])
    return Piece(pack(meld), pack(extra))


@cache
def all_pieces(num_ranks: int) -> list[Piece]:
    """Returns every group and run of up to five cards."""
    return [piece_of(meld) for group in pieces(num_ranks).values() for _, meld in group]


@cache
def pieces_through(num_ranks: int) -> dict[int, list[Piece]]:
    """Returns the groups and runs of up to five cards by each of their fields."""
    found: dict[int, list[Piece]] = {}
    for piece in all_pieces(num_ranks):
        for field in fields(piece.cards):
            found.setdefault(field, []).append(piece)
    return found


def ways(question: Question, piece: Piece) -> Iterator[tuple[int, int]]:
    """Yields how a meld can be had: its cards that are spare, those that are jokers.

    A joker may stand where a spare card could, because jokers may have to be used.
    A spare card that the meld can do without is better kept, and so is a joker
    that need not be used: the meld without it is another piece. There are jokers
    enough for the cards it lacks.
    """
    jokers = question.must + question.may
    others = piece.cards & ~present(question.needed)
    spare = others & present(question.spare)
    gaps = others - spare
    num_gaps = gaps.bit_count()
    if not question.must and gaps & piece.extra:
        return
    choices = [1 << FIELD * field for field in fields(spare)]
    for more in range(jokers - num_gaps + 1 if question.must else 1):
        for swapped in combinations(choices, more):
            if not (spare - sum(swapped)) & piece.extra:
                yield spare - sum(swapped), gaps + sum(swapped)


def fields(bag: int) -> list[int]:
    """Returns the fields in use of a packed set, lowest first."""
    return [field_of(card) for card in unpack(bag)]


def after(question: Question, piece: int, spare: int, names: int) -> Question:
    """Returns what is left of a question once a meld is chosen."""
    used = names.bit_count()
    needed = question.needed - (piece - spare - names)
    must = max(0, question.must - used)
    may = question.may - max(0, used - question.must)
    left = question.spare - spare
    if not must and needed:
        left &= near(lowest_field(needed) // NUM_SUITS)
    return Question(needed, left, must, may, question.num_ranks)


@cache
def near(rank: int) -> int:
    """Returns the fields of the aces and of the ranks from two below a rank.

    Without jokers that wait, a spare card is wanted only beside a needed one, and
    below the lowest of these a run has use for two cards at most.
    """
    everything = (1 << RANK * NUM_RANKS) - 1
    below = (1 << RANK * max(0, rank - 2)) - 1
    return everything & ~below | 15 * ACES


@cache
def companions(field: int, num_ranks: int) -> int:
    """Returns the packed set of cards that share a meld of up to five with a card."""
    shared = 0
    for piece in pieces_through(num_ranks).get(field, []):
        shared |= piece.cards
    return shared | 1 << FIELD * field


def helpless(question: Question) -> int:
    """Returns the needed cards that are in no meld without a joker, packed."""
    needed = present(question.needed)
    cards = needed | present(question.spare)
    return needed & ~supported(cards, question.num_ranks)


def jokers_wanted(alone: int, num_ranks: int) -> int:
    """Returns how many jokers helpless cards need at the least.

    Each needs a joker in its meld; cards that share no meld need different ones.
    """
    wanted = 0
    while alone:
        wanted += 1
        alone &= ~companions(lowest_field(alone), num_ranks)
    return wanted


def moves(question: Question, alone: int) -> list[tuple[int, int, int]]:
    """Returns the melds to try next with their spare cards and jokers.

    Without a needed card left, a meld has to use a joker that must be used.
    """
    if question.needed:
        lowest = lowest_field(alone or question.needed)
        tried = pieces_through(question.num_ranks).get(lowest, [])
    else:
        tried = all_pieces(question.num_ranks)
    # most melds lack more cards than there are jokers: said here, for all at once
    lacking = ~(present(question.needed) | present(question.spare))
    jokers = question.must + question.may
    near = [p for p in tried if (p.cards & lacking).bit_count() <= jokers]
    found = [
        (piece.cards, spare, names)
        for piece in near
        for spare, names in ways(question, piece)
        if question.needed or names
    ]
    return sorted(found, key=lambda move: (move[2].bit_count(), move[1].bit_count()))


@lru_cache(maxsize=1 << 18)
def solve(question: Question) -> Answer | None:
    """Returns a way to cover what must be covered, or None."""
    if not question.needed and not question.must:
        return Answer(0, 0)
    alone = helpless(question)
    if jokers_wanted(alone, question.num_ranks) > question.must + question.may:
        return None
    for piece, spare, names in moves(question, alone):
        rest = solve(after(question, piece, spare, names))
        if rest is not None:
            return Answer(rest.laid + spare, rest.names + names)
    return None
