"""The melding actions of a turn, twice, and the tables it may end with.

`legal_melding_actions` follows the definition to the letter: it lists every
completion of the turn, which is every choice of cards from the hand times every
choice of names for the jokers. `melding_actions` asks one exact cover for each
action instead and does for real hands; the tests hold the two equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations_with_replacement, product
from math import comb, prod

from rummy_env.cards import (
    CARD_NAMES,
    JOKER,
    NUM_CARD_TYPES,
    NUM_RANKS,
    parse_card,
    rank_of,
)
from tests.reference.cover import Answer, Question, solve
from tests.reference.melds import (
    FIELD,
    contains,
    field_of,
    pack,
    pack_counts,
    present,
    splits,
    supported,
    unit,
    unpack,
)

Table = tuple[int, int]
"""Packed real cards and packed joker names (R14)."""


@dataclass(frozen=True)
class Turn:
    """The table and the hand of the player who melds.

    Attributes:
        real: Packed real cards on the table.
        named: Packed names of the jokers on the table, without the pending one.
        locked: Those of the names that were given in this turn.
        hand: Packed cards of the hand, without jokers.
        jokers: Jokers in the hand.
        pending: The old name of the released joker that waits for a new one (R16).
        laid: Whether a card was laid in this turn (R12).
        num_ranks: Ranks in play.
    """

    real: int
    named: int
    locked: int
    hand: int
    jokers: int
    pending: int | None = None
    laid: bool = False
    num_ranks: int = NUM_RANKS


def start_turn(
    real: Sequence[int],
    named: Sequence[int],
    hand: Sequence[int],
    num_ranks: int = NUM_RANKS,
) -> Turn:
    """Returns a turn before its meld.

    Args:
        real: Copies of each real card on the table, `[52]`.
        named: Jokers on the table by name, `[52]`.
        hand: Copies of each card in the hand and of the joker, `[53]`.
        num_ranks: Ranks in play.
    """
    return Turn(
        real=pack_counts(real),
        named=pack_counts(named),
        locked=0,
        hand=pack_counts(hand),
        jokers=int(hand[JOKER]),
        num_ranks=num_ranks,
    )


def copies(bag: int, card: int) -> int:
    """Returns how often a card type is in a packed multiset."""
    return bag >> FIELD * field_of(card) & 15


@cache
def names_in_play(num_ranks: int) -> tuple[int, ...]:
    """Returns the card types a joker may be named as (R15), ascending."""
    return tuple(card for card in range(NUM_CARD_TYPES) if rank_of(card) < num_ranks)


def action_order(names: Iterable[str]) -> list[str]:
    """Returns action names in the order of their ids."""
    kinds = ["draw", "end", "knock", "lay", "joker", "take"]

    def place(name: str) -> tuple[int, int]:
        kind, _, card = name.partition(" ")
        return kinds.index(kind), parse_card(card) if card else 0

    return sorted(names, key=place)


# By definition: list everything.


def parts_of(bag: int) -> Iterator[int]:
    """Yields every packed multiset contained in another."""
    cards = sorted(set(unpack(bag)))
    counts = [range(copies(bag, card) + 1) for card in cards]
    for choice in product(*counts):
        yield sum(n * unit(card) for n, card in zip(choice, cards, strict=True))


def legal_tables(turn: Turn) -> Iterator[Table]:
    """Yields the legal tables of the cards at hand, whatever their jokers' names.

    All real cards of the table and all its jokers are used, any of the hand (R12).
    """
    on_table = len(unpack(turn.named)) + (turn.pending is not None)
    for part in parts_of(turn.hand):
        real = turn.real + part
        for number in range(on_table, on_table + turn.jokers + 1):
            for named in legal_names(real, number, turn.num_ranks):
                yield real, named


@lru_cache(maxsize=1 << 16)
def legal_names(real: int, number: int, num_ranks: int) -> tuple[int, ...]:
    """Returns the names of so many jokers with which real cards are a legal table."""
    return tuple(
        named
        for named in all_names(number, num_ranks)
        if is_supported(real + named, num_ranks) and splits(real + named, num_ranks)
    )


@cache
def all_names(number: int, num_ranks: int) -> list[int]:
    """Returns every packed choice of names for so many jokers."""
    cards = names_in_play(num_ranks)
    return [pack(names) for names in combinations_with_replacement(cards, number)]


def is_supported(bag: int, num_ranks: int) -> bool:
    """Returns whether every card is in some meld, as in a legal table it must be."""
    seen = present(bag)
    return supported(seen, num_ranks) == seen


def num_tables(turn: Turn) -> int:
    """Returns how many tables `legal_tables` tries."""
    hand = unpack(turn.hand)
    parts = prod(hand.count(card) + 1 for card in set(hand))
    on_table = len(unpack(turn.named)) + (turn.pending is not None)
    cards = len(names_in_play(turn.num_ranks))
    numbers = range(on_table, on_table + turn.jokers + 1)
    return parts * sum(comb(cards + number - 1, number) for number in numbers)


def least(turn: Turn, table: Table, card: int) -> int:
    """Returns how many jokers keep this name if the turn ends with a table (R16)."""
    return copies(turn.locked if copies(table[0], card) else turn.named, card)


def jokers_laid(turn: Turn, table: Table) -> int:
    """Returns how many jokers of the hand a final table uses."""
    waiting = turn.pending is not None
    return len(unpack(table[1])) - len(unpack(turn.named)) - waiting


def is_completion(turn: Turn, table: Table) -> bool:
    """Returns whether a legal table can end the turn as it stands (R12, R16)."""
    real, named = table
    if not contains(real, turn.real) or not contains(turn.hand, real - turn.real):
        return False
    if not 0 <= jokers_laid(turn, table) <= turn.jokers:
        return False
    if not turn.laid and real == turn.real and not jokers_laid(turn, table):
        return False
    cards = set(unpack(turn.named))
    return all(copies(named, card) >= least(turn, table, card) for card in cards)


def new_names(turn: Turn, table: Table) -> set[int]:
    """Returns the names of which a final table has one more than must be kept."""
    cards = set(unpack(table[1]))
    return {c for c in cards if copies(table[1], c) > least(turn, table, c)}


def unlocked(turn: Turn, card: int) -> bool:
    """Returns whether a joker of this name was named before this turn."""
    return copies(turn.named, card) > copies(turn.locked, card)


def can_release(turn: Turn, card: int) -> bool:
    """Returns whether a joker of this name may leave it, a new name aside (R16)."""
    is_free = turn.laid and turn.pending is None and unlocked(turn, card)
    return is_free and copies(turn.real, card) > 0


def is_table_legal(turn: Turn) -> bool:
    """Returns whether the table as it stands is legal, no joker waiting (R12)."""
    whole = turn.pending is None
    return whole and splits(turn.real + turn.named, turn.num_ranks)


def legal_melding_actions(
    turn: Turn, tables: Iterable[Table] | None = None
) -> list[str]:
    """Returns the legal lay, joker, take and end actions by listing completions.

    Args:
        turn: The turn as it stands.
        tables: The legal tables of the turn's start, if at hand: what can be
            reached later in a turn is among them.
    """
    every = legal_tables(turn) if tables is None else tables
    names: set[str] = set()
    for table in every:
        if is_completion(turn, table):
            names.update(_actions_towards(turn, table))
    if turn.laid and is_table_legal(turn):
        names.add("end")
    return action_order(names)


def _actions_towards(turn: Turn, table: Table) -> Iterator[str]:
    """Yields the actions that a completion allows."""
    new = new_names(turn, table)
    if turn.pending is not None:
        yield from (f"joker {CARD_NAMES[e]}" for e in new - {turn.pending})
        return
    for card in set(unpack(table[0] - turn.real)):
        yield f"lay {CARD_NAMES[card]}"
    if jokers_laid(turn, table):
        yield from (f"joker {CARD_NAMES[card]}" for card in new)
    for card in set(unpack(turn.named)):
        if can_release(turn, card) and new - {card}:
            yield f"take {CARD_NAMES[card]}"


def play(turn: Turn, action: str) -> Turn:
    """Returns the turn after a lay, joker or take action, legal or not."""
    kind, _, text = action.partition(" ")
    card = parse_card(text)
    if kind == "lay":
        return replace(
            turn, real=turn.real + unit(card), hand=turn.hand - unit(card), laid=True
        )
    if kind == "take":
        return replace(turn, named=turn.named - unit(card), pending=card)
    from_hand = turn.pending is None
    return replace(
        turn,
        named=turn.named + unit(card),
        locked=turn.locked + unit(card),
        jokers=turn.jokers - from_hand,
        pending=None,
        laid=True,
    )


# By exact cover: one question for each action.


@dataclass(frozen=True)
class Case:
    """A turn with it settled which names of old jokers are kept (R16).

    Attributes:
        question: What must and may be covered; jokers that left their names must
            be used, those of the hand may.
        settled: Packed cards of the hand laid to release a joker.
        turn: The turn.
    """

    question: Question
    settled: int
    turn: Turn

    def with_card(self, card: int) -> Answer | None:
        """Returns a completion that lays a card of the hand, or None."""
        asked = self.question
        if copies(self.settled, card):
            return solve(asked)
        if not copies(asked.spare, card):
            return None
        needed, spare = asked.needed + unit(card), asked.spare - unit(card)
        return solve(asked._replace(needed=needed, spare=spare))

    def with_joker(self, name: int, *, from_hand: bool) -> Answer | None:
        """Returns a completion that gives a joker a name, or None."""
        asked = self.question
        if not (asked.may if from_hand else asked.must):
            return None
        jokers = {"may": asked.may - 1} if from_hand else {"must": asked.must - 1}
        return solve(asked._replace(needed=asked.needed + unit(name), **jokers))


def cases(turn: Turn) -> Iterator[Case]:
    """Yields the ways to keep or leave the names of jokers not named this turn.

    A name is left only for a real card on the table in the end; if none is there
    yet, the hand lays one.
    """
    old = sorted({c for c in unpack(turn.named) if unlocked(turn, c)})
    for leaves in product((False, True), repeat=len(old)):
        case = _case(turn, dict(zip(old, leaves, strict=True)))
        if case is not None:
            yield case


def _case(turn: Turn, leaves: dict[int, bool]) -> Case | None:
    """Returns the case of given names that are left or kept, if there is one."""
    kept = turn.named
    must = int(turn.pending is not None)
    settled = 0
    for card, leave in leaves.items():
        on_table = copies(turn.real, card) > 0
        if not leave and on_table:
            return None  # covered by the case in which the name may be left
        if leave and not on_table:
            settled += unit(card)
        if leave:
            number = copies(turn.named, card) - copies(turn.locked, card)
            kept -= number * unit(card)
            must += number
    if not contains(turn.hand, settled):
        return None
    needed, spare = turn.real + kept + settled, turn.hand - settled
    question = Question(needed, spare, must, turn.jokers, turn.num_ranks)
    return Case(question, settled, turn)


def can_lay(turn: Turn, card: int) -> bool:
    """Returns whether a card of the hand may be laid."""
    return any(case.with_card(card) for case in cases(turn))


def can_name(turn: Turn, name: int, *, from_hand: bool) -> bool:
    """Returns whether a joker, of the hand or released, may get a name."""
    return any(case.with_joker(name, from_hand=from_hand) for case in cases(turn))


def can_take(turn: Turn, card: int) -> bool:
    """Returns whether a joker of this name may be released: another name waits."""
    others = [e for e in names_in_play(turn.num_ranks) if e != card]
    return can_release(turn, card) and any(
        can_name(turn, e, from_hand=False) for e in others
    )


def allows(turn: Turn, kind: str, card: int) -> bool:
    """Returns whether one lay, joker or take action is legal."""
    if kind == "joker":
        return card != turn.pending and can_name(
            turn, card, from_hand=turn.pending is None
        )
    if turn.pending is not None:
        return False
    return can_lay(turn, card) if kind == "lay" else can_take(turn, card)


def melding_actions(turn: Turn) -> list[str]:
    """Returns the same actions as `legal_melding_actions`, by exact covers."""
    names = names_in_play(turn.num_ranks)
    if turn.pending is not None:
        others = [e for e in names if e != turn.pending]
        good = [e for e in others if can_name(turn, e, from_hand=False)]
        return [f"joker {CARD_NAMES[e]}" for e in good]
    ends = ["end"] if turn.laid and is_table_legal(turn) else []
    lays = [c for c in sorted(set(unpack(turn.hand))) if can_lay(turn, c)]
    jokers = [e for e in names if turn.jokers and can_name(turn, e, from_hand=True)]
    takes = [c for c in sorted(set(unpack(turn.named))) if can_take(turn, c)]
    return [
        *ends,
        *(f"lay {CARD_NAMES[card]}" for card in lays),
        *(f"joker {CARD_NAMES[card]}" for card in jokers),
        *(f"take {CARD_NAMES[card]}" for card in takes),
    ]


# Where a turn can end.


def allowed_final_tables(
    turn: Turn, tables: Iterable[Table] | None = None
) -> set[Table]:
    """Returns the tables a turn may end with, by R12 to R16 alone.

    At its start: at least one card is laid, nothing is taken off, the table is
    legal, and a joker has another name only if the real card is there.

    Args:
        turn: The turn at its start.
        tables: Its legal tables, if at hand.
    """
    every = legal_tables(turn) if tables is None else tables
    old = set(unpack(turn.named))
    before = len(unpack(turn.named))
    return {
        (real, named)
        for real, named in every
        if (real != turn.real or len(unpack(named)) > before)
        and all(
            copies(real, c) or copies(named, c) >= copies(turn.named, c) for c in old
        )
    }


def reachable_final_tables(turn: Turn) -> set[Table]:
    """Returns the tables at which `end` is legal, playing everything that is legal.

    Raises:
        AssertionError: The turn comes to a dead end or round to where it was.
    """
    tables = list(legal_tables(turn))
    ends: set[Table] = set()
    finished: set[Turn] = set()
    path: set[Turn] = set()

    def visit(now: Turn) -> None:
        assert now not in path, f"loop at {now}"
        if now in finished:
            return
        path.add(now)
        actions = legal_melding_actions(now, tables)
        assert actions or not now.laid, f"dead end at {now}"
        for action in actions:
            if action == "end":
                ends.add((now.real, now.named))
            else:
                visit(play(now, action))
        path.remove(now)
        finished.add(now)

    visit(turn)
    return ends
