"""The rules of melding as an integer program, for tables of any size.

Written from the rules alone and sharing nothing with the exact covers beside it. Why
its solutions are the tables a turn may end with:

- A run of six or more is two runs, again and again, down to lengths of three to five
  (R11), so 65 groups and 132 runs, the templates, make every legal table, each as
  often as need be. No template holds a card twice. The ace of a run at the high end
  is the ace itself (R17). Nothing else matters of a layout (R14).
- A joker counts as the card it is named (R15), so a table splits into melds if and
  only if whole numbers `x` of the templates add up, card by card, to the real cards
  on the table, the cards laid from the hand `l`, and the names in the end `y`.
- What is on the table stays, and something is laid (R12): `l` runs from nothing to the
  hand, and so do the jokers `j` of the hand; `y` names the jokers of the table and
  those.
- A joker keeps its name d unless a real d is on the table in the end, and then every
  joker named d may have another (R16). One named in this very turn has the name its
  player gave it. So `y` is at least the names given in this turn; and where no real d
  lay on the table, `y >= named - (named - locked) l`, which asks for all old names if
  none is laid (`l = 0`), and for no more than the locked ones otherwise.
- Jokers are alike, so these bounds are all there is to know of who bears which name:
  those that must stay do, and the others take what is left of `y`.
- `z` is 1 only for a name that one joker more bears than must, that is, one that
  a joker gets now. A released joker that waits gets one, and not its old one.

Answers are checked in whole numbers before they are given; that there is none rests
on the solver's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import highspy
import numpy as np

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS, rank_of
from rummy_env.config import FIRST_HIGH_ACE_RANKS

Counts = tuple[int, ...]
"""Copies of each card type, `[52]`."""
NOTHING: Counts = (0,) * NUM_CARD_TYPES
JOKER_POINTS = 25
_MANY = 8.0
"""No card type is on a table more than four times, so no template is used more."""


class Question(NamedTuple):
    """The table and the hand of a turn, at its start or on the way.

    Attributes:
        real: Real cards on the table.
        named: Names of the jokers on the table, without one that waits.
        locked: Those of the names that were given in this turn.
        hand: Cards of the hand, without jokers.
        jokers: Jokers in the hand.
        pending: The old name of a released joker that waits, or None.
        laid: Whether a card was laid in this turn.
        num_ranks: Ranks in play.
    """

    real: Counts
    named: Counts = NOTHING
    locked: Counts = NOTHING
    hand: Counts = NOTHING
    jokers: int = 0
    pending: int | None = None
    laid: bool = True
    num_ranks: int = NUM_RANKS


class Completion(NamedTuple):
    """A table that a turn may end with.

    Attributes:
        melds: Its melds, cards of runs from the low end.
        laid: Cards laid from the hand.
        jokers: Jokers laid from the hand.
        names: The names of all jokers.
        new: Names that one joker more bears than must.
    """

    melds: tuple[Counts, ...]
    laid: Counts
    jokers: int
    names: Counts
    new: frozenset[int]


@cache
def templates(num_ranks: int) -> tuple[tuple[int, ...], ...]:
    """Returns the groups (R10), and the runs of three to five cards (R11)."""
    found: list[tuple[int, ...]] = []
    for rank in range(num_ranks):
        group = tuple(suit * NUM_RANKS + rank for suit in range(NUM_SUITS))
        found += [group, *(group[:out] + group[out + 1 :] for out in range(NUM_SUITS))]
    top = num_ranks + (num_ranks >= FIRST_HIGH_ACE_RANKS)
    for suit in range(NUM_SUITS):
        line = [suit * NUM_RANKS + rank % num_ranks for rank in range(top)]
        for length in range(3, min(5, num_ranks) + 1):
            found += [tuple(line[i : i + length]) for i in range(top - length + 1)]
    # of five ranks, A-2-3-4-5 and 2-3-4-5-A are the same cards
    return tuple({frozenset(cards): cards for cards in found}.values())


_WHOLE = 1e-6
"""What lies closer to a whole number than this is one."""


def num_jokers(asked: Question) -> int:
    """Returns how many jokers there are on the table and in the hand."""
    return sum(asked.named) + (asked.pending is not None) + asked.jokers


def in_play(num_ranks: int) -> list[int]:
    """Returns the card types in play (R2)."""
    return [card for card in range(NUM_CARD_TYPES) if rank_of(card) < num_ranks]


class Program:
    """The tables a turn may end with, to be asked for one that does something.

    Attributes:
        question: The turn.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self._cards = in_play(question.num_ranks)
        for counts in (question.real, question.named, question.hand):
            total = sum(counts[card] for card in self._cards)
            assert total == sum(counts), "a card is not in play (R2)"
        self._templates = [t for t in templates(question.num_ranks) if self._fits(t)]
        size = len(self._cards)
        self._laid_at = len(self._templates)
        self._name_at = self._laid_at + size
        self._new_at = self._name_at + size
        self._jokers_at = self._new_at + size
        self._rows: list[tuple[dict[int, float], float, float]] = []
        self._add_rows()
        self._highs = self._load()
        self._found: dict[int, list[list[int]]] = {}  # by jokers laid at the least

    def _fits(self, template: Counts) -> bool:
        """Returns whether there are jokers enough for the cards that are nowhere."""
        asked = self.question
        missing = sum(not asked.real[card] + asked.hand[card] for card in template)
        return missing <= num_jokers(asked)

    def laying(self, card: int) -> Completion | None:
        """Returns a completion that lays one more of a card of the hand, or None."""
        return self._find(self._laid_at + self._cards.index(card))

    def naming(self, name: int, *, from_hand: bool) -> Completion | None:
        """Returns a completion that gives a name once more, or None.

        Args:
            name: The name.
            from_hand: Whether it has to lay a joker from the hand, too.
        """
        return self._find(self._new_at + self._cards.index(name), int(from_hand))

    def _find(self, column: int, least_jokers: int = 0) -> Completion | None:
        """Returns a completion in which a column is not 0, or None.

        One that was found for another column may do; without any there is none.
        """
        if least_jokers not in self._found:
            first = self._maximise({}, least_jokers)
            self._found[least_jokers] = [] if first is None else [first]
        known = self._found[least_jokers]
        found = next((values for values in known if values[column]), None)
        if found is None and known:
            found = self._maximise({column: 1}, least_jokers, wanted=True)
            if found is None or not found[column]:
                return None
            known.append(found)
        return None if found is None else self._completion(found)

    def any(self) -> Completion | None:
        """Returns any completion, or None."""
        found = self._maximise({})
        return None if found is None else self._completion(found)

    def best(self, worth: Sequence[int], joker_worth: int) -> tuple[int, Completion]:
        """Returns the most that can be laid, by the worth of each card, and how.

        Raises:
            ValueError: There is no completion.
        """
        weights = {self._laid_at + i: worth[c] for i, c in enumerate(self._cards)}
        weights[self._jokers_at] = joker_worth
        found = self._maximise(weights)
        if found is None:
            raise ValueError("the turn has no completion")
        most = sum(weight * int(found[at]) for at, weight in weights.items())
        return most, self._completion(found)

    def _add_rows(self) -> None:
        """Writes the constraints: see the module's words."""
        asked, infinity = self.question, highspy.kHighsInf
        covers: list[dict[int, float]] = [{} for _ in range(NUM_CARD_TYPES)]
        for column, template in enumerate(self._templates):
            for card in template:
                covers[card][column] = 1.0
        for i, card in enumerate(self._cards):
            laid, name, new = (at + i for at in self._card_columns())
            count = asked.real[card]
            self._rows.append((covers[card] | {laid: -1.0, name: -1.0}, count, count))
            locked, old = asked.locked[card], asked.named[card] - asked.locked[card]
            self._rows.append(({name: 1.0, new: -1.0}, locked, infinity))
            if old and not count:
                keeps = {name: 1.0, new: -1.0, laid: float(old)}
                self._rows.append((keeps, locked + old, infinity))
        columns = range(len(self._cards))
        names = {self._name_at + i: 1.0 for i in columns} | {self._jokers_at: -1.0}
        on_table = sum(asked.named) + (asked.pending is not None)
        self._rows.append((names, on_table, on_table))
        lays = {self._laid_at + i: 1.0 for i in columns} | {self._jokers_at: 1.0}
        self._rows.append((lays, 1 - asked.laid, infinity))
        if asked.pending is not None:
            self._rows.append(({self._new_at + i: 1.0 for i in columns}, 1.0, infinity))

    def _card_columns(self) -> tuple[int, int, int]:
        """Returns where the columns of a card begin: laid, names, new names."""
        return self._laid_at, self._name_at, self._new_at

    def _limits(self) -> list[float]:
        """Returns the most that each column may be."""
        asked = self.question
        return [
            *[_MANY] * len(self._templates),
            *[asked.hand[card] for card in self._cards],
            *[num_jokers(asked)] * len(self._cards),
            *[card != asked.pending for card in self._cards],
            asked.jokers,
        ]

    def _load(self) -> highspy.Highs:
        """Returns a solver that holds the program, without anything wanted yet."""
        limits = self._limits()
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(limits), len(self._rows)
        program.sense_ = highspy.ObjSense.kMaximize
        program.col_cost_ = np.zeros(len(limits))
        program.col_lower_ = np.zeros(len(limits))
        program.col_upper_ = np.array(limits, dtype=float)
        program.row_lower_ = np.array([row[1] for row in self._rows], dtype=float)
        program.row_upper_ = np.array([row[2] for row in self._rows], dtype=float)
        matrix = program.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        columns = [list(row[0]) for row in self._rows]
        matrix.start_ = np.cumsum([0, *map(len, columns)])
        matrix.index_ = np.array([at for row in columns for at in row])
        matrix.value_ = np.array([v for row in self._rows for v in row[0].values()])
        program.integrality_ = [highspy.HighsVarType.kInteger] * len(limits)
        solver = highspy.Highs()
        options = {"output_flag": False, "threads": 1, "presolve": "off"}
        for option, value in options.items():
            solver.setOptionValue(option, value)
        solver.passModel(program)
        return solver

    def _maximise(
        self, weights: dict[int, float], least_jokers: int = 0, *, wanted: bool = False
    ) -> list[int] | None:
        """Returns the columns of a best solution, or None where there is none.

        Without the demand for whole numbers the program is quickly solved and has
        all solutions it had, and others: where it has none, or its best is whole,
        or is worth less than 1 where that is wanted, the question is settled.
        """
        solver, size = self._highs, self._jokers_at + 1
        columns = np.arange(size, dtype=np.int32)
        costs = np.zeros(size)
        for column, weight in weights.items():
            costs[column] = weight
        solver.changeColsCost(size, columns, costs)
        if least_jokers > self.question.jokers:
            return None
        most = float(self.question.jokers)
        solver.changeColBounds(self._jokers_at, float(least_jokers), most)
        values = self._solve(relaxed=True)
        if values is None or np.abs(values - values.round()).max() < _WHOLE:
            return None if values is None else [int(v) for v in values.round()]
        if wanted and costs @ values < 1 - _WHOLE:
            return None
        values = self._solve(relaxed=False)
        return None if values is None else [int(v) for v in values.round()]

    def _solve(self, *, relaxed: bool) -> np.ndarray | None:
        """Returns the columns of an optimum, whole numbers or not, or None.

        Raises:
            RuntimeError: The solver could not tell.
        """
        solver = self._highs
        solver.setOptionValue("solve_relaxation", relaxed)
        solver.run()
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"the solver says {status} of {self.question}")
        return np.array(solver.getSolution().col_value)

    def _completion(self, values: list[int]) -> Completion:
        """Returns a solution in words, checked in whole numbers."""
        melds = [
            template
            for template, times in zip(self._templates, values, strict=False)
            for _ in range(times)
        ]
        laid, names, new = (self._spread(values, at) for at in self._card_columns())
        found = Completion(
            tuple(melds),
            laid,
            values[self._jokers_at],
            names,
            frozenset(card for card in self._cards if new[card]),
        )
        check(self.question, found)
        return found

    def _spread(self, values: list[int], start: int) -> Counts:
        """Returns the columns of all cards from one on, as counts."""
        counts = [0] * NUM_CARD_TYPES
        for i, card in enumerate(self._cards):
            counts[card] = values[start + i]
        return tuple(counts)


def check(asked: Question, found: Completion) -> None:
    """Checks a completion against R12 and R16, in whole numbers.

    Raises:
        AssertionError: It is none.
    """
    covered = [0] * NUM_CARD_TYPES
    for meld in found.melds:
        for card in meld:
            covered[card] += 1
    on_table = sum(asked.named) + (asked.pending is not None)
    assert 0 <= found.jokers <= asked.jokers
    assert sum(found.names) == on_table + found.jokers
    assert asked.laid or sum(found.laid) + found.jokers
    assert asked.pending not in found.new
    for card in range(NUM_CARD_TYPES):
        real = asked.real[card] + found.laid[card]
        kept = (asked.locked if real else asked.named)[card]
        assert 0 <= found.laid[card] <= asked.hand[card]
        assert covered[card] == real + found.names[card]
        assert found.names[card] >= kept + (card in found.new)


# What is asked of a table and a turn.


def is_legal_table(counts: Sequence[int], num_ranks: int = NUM_RANKS) -> bool:
    """Returns whether effective cards `[52]` split into melds (R12)."""
    asked = Question(real=tuple(counts[:NUM_CARD_TYPES]), num_ranks=num_ranks)
    return Program(asked).any() is not None


@lru_cache(maxsize=1)
def program_of(asked: Question) -> Program:
    """Returns the program of a turn, which is asked about several kinds of action."""
    return Program(asked)


def lays(asked: Question) -> list[int]:
    """Returns the cards of the hand that may be laid."""
    if asked.pending is not None:
        return []
    program = program_of(asked)
    return [card for card, n in enumerate(asked.hand) if n and program.laying(card)]


def names(asked: Question) -> list[int]:
    """Returns the names that a joker may get: the one that waits, or one of the hand.

    The one that waits gets another than it had.
    """
    from_hand, program = asked.pending is None, program_of(asked)
    others = [name for name in in_play(asked.num_ranks) if name != asked.pending]
    return [name for name in others if program.naming(name, from_hand=from_hand)]


def takes(asked: Question) -> list[int]:
    """Returns the names that a joker may leave for another (R16)."""
    if not asked.laid or asked.pending is not None:
        return []
    program, cards = program_of(asked), in_play(asked.num_ranks)
    return [
        card
        for card in cards
        if asked.real[card] and asked.named[card] > asked.locked[card]
        if any(program.naming(e, from_hand=False) for e in cards if e != card)
    ]


def best_points(asked: Question) -> tuple[int, Completion]:
    """Returns the most points that can be laid (R3), and how."""
    points = [min(rank_of(card) + 1, 10) for card in range(NUM_CARD_TYPES)]
    return Program(asked).best(points, JOKER_POINTS)


def best_cards(asked: Question) -> tuple[int, Completion]:
    """Returns the most cards that can be laid, and how."""
    return Program(asked).best([1] * NUM_CARD_TYPES, 1)
