"""Walks where every card has one copy: all states of a rank as one set of bits.

With one pack hardly any card can lie twice. Then a suit has at most one run that is
not finished, and what matters of it is its length: 0 where there is none, 1, 2, or 3
for three and more. Four suits make 256 states, so what can be reached after some ranks
is a set of 256 bits, and a rank turns one set into the next by shifts: no lists of
nodes, nothing to compare, and the same time whatever the cards.

**State.** Bit `c + 4 d + 16 h` of word `s` stands for lengths `c, d, h, s` of the
runs of clubs, diamonds, hearts and spades.

**Step.** At a rank a group is chosen, or none. Of the copies of a suit that are not in
it, `k` go to runs: one lengthens the run (1 to 2, 2 and 3 to 3) or begins one (0 to 1);
none leaves the run behind, which must be finished (0 and 3 to 0). Steps of different
suits commute, so they are done one after the other.

**Groups.** A group lacks one suit or none (R10). So while the suits are gone through,
three sets tell all that matters: *free*, no suit is in a group, nor will be; *full*,
all suits so far are in one; *short*, all but one. The first suit, alone, begins both
*free* and *short*; in a group, *full*. Each later suit steps *free* alone, *short*
grouped, and *full* grouped (it stays *full*) or alone (it becomes *short*). At the end
all three are legal: no group, three cards, four; and since a step of a union is the
union of the steps, the last suit takes two of them. That is 12 steps of one suit; six
choices apart would take 24. Where too few suits have a card for a group, four do.

**Two copies.** One card may have two copies: a joker, free or not, beside the real
card. Two may go to runs: one finishes a run of two or more, one begins another. The
next rank has a single copy, which the run begun needs; so of both runs only that one
goes on, and the state is 1. Otherwise two runs would wait for that one copy, and one
of them would stay too short. Two copies are never in groups: that takes six cards of
a rank, and there are five.

**High aces.** For each set of suits whose ace ends a run (`Q K A`) there is a walk of
its own: in them an ace is taken from the first rank, and the last state must be 2 or
3; in the others it must be 0 or 3.

**A free joker.** It is a second copy of a card, or its only one. Sets come in pairs:
those without it and those in which it has been placed.

Walks from both ends, as in `walk`: a card may be laid iff a step that lays it leads
from a state reached before it to one that can be completed after it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import FIRST_HIGH_ACE_RANKS
from rummy_env.kernel.answers import is_name_open, set_name
from rummy_env.kernel.jit import inlined, kernel, outlined
from rummy_env.kernel.support import held_by_suit, ranks_of_three
from rummy_env.kernel.workspace import BACKWARD

Work = Any
"""A record of `workspace.WORKSPACE`."""

_WORD: Final = 64
_LAST: Final = NUM_SUITS - 1
"""The suit whose states are told apart by word; the others' stand within words."""
_ALL: Final = (1 << NUM_SUITS) - 1


def _states(suit: int, lengths: tuple[int, ...]) -> int:
    """Returns the states of a word where a suit has one of some lengths, signed."""
    bits = sum(1 << at for at in range(_WORD) if (at >> 2 * suit) & 3 in lengths)
    return bits - (1 << _WORD if bits >> (_WORD - 1) else 0)


_ENDS: Final = np.array(
    [
        [_states(suit, lengths) for suit in range(_LAST)]
        for lengths in ((0, 3), (2, 3), (0, 2, 3))
    ]
)
"""The states that runs may be in before an ace that is low, high or either."""

# What a suit may do at a rank, a bit each; those of four suits are packed in fives of
# four bits.
_RUN: Final = 0
"""One copy to a run, none to a group."""
_OUT: Final = 4
"""No copy to a run, none to a group."""
_TWO: Final = 8
"""Two copies to runs, none to a group."""
_GROUP_RUN: Final = 12
"""One copy to a run, one to a group."""
_GROUP_OUT: Final = 16
"""No copy to a run, one to a group."""
_OF_SUIT: Final = sum(1 << at for at in (_RUN, _OUT, _TWO, _GROUP_RUN, _GROUP_OUT))

MOST_COPIES: Final = 2

# What is asked of a rank: a bit for each suit.
_LAYS: Final = _ALL
_NAMES: Final = _ALL << NUM_SUITS


def _moves(must: int, may: int) -> int:
    """Returns what a suit may do with so many copies that lie, and that may."""
    moves = 0
    for at, group, run in (
        (_RUN, 0, 1),
        (_OUT, 0, 0),
        (_TWO, 0, 2),
        (_GROUP_RUN, 1, 1),
        (_GROUP_OUT, 1, 0),
    ):
        moves |= (must <= group + run <= must + may) << at
    return moves


def _moves_of_rest(must: int, may: int) -> int:
    """Returns the same when one copy, a compulsory one if there is, is taken away."""
    if must > 0:
        return _moves(must - 1, may)
    return _moves(0, may - 1) if may > 0 else 0


def _moves_of_either(must: int, may: int) -> int:
    """Returns what a suit may do whether a copy is taken away or not."""
    return _moves(must, may) | _moves_of_rest(must, may)


_COUNTS: Final = range(MOST_COPIES + 1)
_WITH_NONE: Final = _moves(0, 0)
_WITH_ONE: Final = _moves(1, 0)
_WITH_TWO: Final = _moves(2, 0)
"""What a suit may do where no copy lies, one does, or two do."""
_MOVES: Final = np.array(
    [
        [[moves(must, may) for may in _COUNTS] for must in _COUNTS]
        for moves in (_moves, _moves_of_rest, _moves_of_either)
    ],
    dtype=np.int64,
)
"""What a suit may do, by whether its ace is high (no, yes, either) and by copies."""

_LEAST_GROUP: Final = NUM_SUITS - 1
"""The fewest cards of a group (R10)."""
_HAS_GROUP: Final = np.array(
    [suits.bit_count() >= _LEAST_GROUP for suits in range(_ALL + 1)], dtype=np.int64
)
"""Whether some suits, as bits, are enough for a group."""


@kernel
def is_single(work: Work) -> bool:
    """Tells whether these walks serve: one card at most comes to have two copies.

    With two packs that is seldom so, and not worth looking.
    """
    if work["packs"] != 1:
        return False
    extra = work["jokers_high"]
    for card in range(NUM_CARD_TYPES):
        extra += max(0, work["must"][card] + work["may"][card] - 1)
    return extra <= 1


_EMPTY: Final = (0, 0, 0, 0)
"""The set without any state."""


@inlined
def _mask(suits: int, suit: int) -> int:
    """Returns all ones if a suit is among some, else 0."""
    return -((suits >> suit) & 1)


def _make_after(suit: int) -> Any:
    """Returns the function for what a suit other than spades does to a set.

    With the masks as constants it takes less than half the time.
    """
    unit, three_units = 1 << 2 * suit, 3 << 2 * suit
    none, one, two = _states(suit, (0,)), _states(suit, (1,)), _states(suit, (2,))
    three, begun = _states(suit, (3,)), _states(suit, (1, 2, 3))

    @inlined
    def after(word: int, run: int, out: int) -> int:
        longer = (word << unit) & begun | word & three
        return longer & run | (word | word >> three_units) & none & out

    @inlined
    def again(word: int) -> int:
        return ((word & two) >> unit | (word & three) >> 2 * unit) & one

    @inlined
    def step(words: Any, runs: int, outs: int, twos: int) -> Any:
        a, b, c, d = words
        run, out = _mask(runs, suit), _mask(outs, suit)
        e, f = after(a, run, out), after(b, run, out)
        g, h = after(c, run, out), after(d, run, out)
        if _mask(twos, suit) != 0:
            return e | again(a), f | again(b), g | again(c), h | again(d)
        return e, f, g, h

    return step


def _make_before(suit: int) -> Any:
    """Returns the function that takes the same back: the states that lead to a set."""
    unit, three_units = 1 << 2 * suit, 3 << 2 * suit
    none, one = _states(suit, (0,)), _states(suit, (1,))
    three, unfinished = _states(suit, (3,)), _states(suit, (0, 1, 2))

    @inlined
    def before(word: int, run: int, out: int) -> int:
        shorter, ended = (word >> unit) & unfinished | word & three, word & none
        return shorter & run | (ended | ended << three_units) & out

    @inlined
    def again(word: int) -> int:
        return (word & one) << unit | (word & one) << 2 * unit

    @inlined
    def step(words: Any, runs: int, outs: int, twos: int) -> Any:
        a, b, c, d = words
        run, out = _mask(runs, suit), _mask(outs, suit)
        e, f = before(a, run, out), before(b, run, out)
        g, h = before(c, run, out), before(d, run, out)
        if _mask(twos, suit) != 0:
            return e | again(a), f | again(b), g | again(c), h | again(d)
        return e, f, g, h

    return step


@inlined
def _spades_after(words: Any, runs: int, outs: int, twos: int) -> Any:
    """Returns a set after what spades do; they are told apart by word."""
    none, one, two, three = words
    run, out = _mask(runs, _LAST), _mask(outs, _LAST)
    long = two | three
    again = long & _mask(twos, _LAST)
    return (none | three) & out, none & run | again, one & run, long & run


@inlined
def _spades_before(words: Any, runs: int, outs: int, twos: int) -> Any:
    """Returns the states that lead to a set by what spades do."""
    none, one, two, three = words
    run, ended = _mask(runs, _LAST), none & _mask(outs, _LAST)
    long = three & run | one & _mask(twos, _LAST)
    return one & run | ended, two & run, long, long | ended


@inlined
def _join(words: Any, others: Any) -> Any:
    """Returns the union of two sets."""
    none, one, two, three = words
    return none | others[0], one | others[1], two | others[2], three | others[3]


@inlined
def _meets(words: Any, others: Any) -> bool:
    """Tells whether two sets have a state in common."""
    none, one, two, three = words
    found = none & others[0] | one & others[1] | two & others[2] | three & others[3]
    return bool(found != 0)


@inlined
def _is_empty(words: Any) -> bool:
    """Tells whether a set has no state."""
    none, one, two, three = words
    return bool(none | one | two | three == 0)


@inlined
def _join_each(sets: Any, others: Any) -> Any:
    """Returns the unions of three sets with three others."""
    free, short, full = sets
    return _join(free, others[0]), _join(short, others[1]), _join(full, others[2])


@inlined
def _may_group(ways: int) -> bool:
    """Tells whether enough suits for a group may have a copy in one."""
    suits = (ways >> _GROUP_RUN | ways >> _GROUP_OUT) & _ALL
    return bool(_HAS_GROUP[suits] != 0)


def _make_suit(step: Any) -> Any:
    """Returns what takes a suit's part in a rank, by what the suit does to a set.

    That is a function for ranks without a group; for others one for the first suit, one
    for those that follow, and one for the last.
    """

    @inlined
    def alone(words: Any, ways: int) -> Any:
        return step(words, ways >> _RUN, ways >> _OUT, ways >> _TWO)

    @inlined
    def grouped(words: Any, ways: int) -> Any:
        return step(words, ways >> _GROUP_RUN, ways >> _GROUP_OUT, 0)

    @inlined
    def begin(words: Any, ways: int) -> Any:
        free = alone(words, ways)
        return free, free, grouped(words, ways)

    @inlined
    def add(sets: Any, ways: int) -> Any:
        free, short, full = sets
        short = _join(grouped(short, ways), alone(full, ways))
        return alone(free, ways), short, grouped(full, ways)

    @inlined
    def finish(sets: Any, ways: int) -> Any:
        free, short, full = sets
        rest = alone(_join(free, full), ways)
        return _join(rest, grouped(_join(short, full), ways))

    return alone, begin, add, finish


def _make_steps(clubs: Any, diamonds: Any, hearts: Any, spades: Any) -> Any:
    """Returns the functions that step over a rank, by what each suit does to a set."""
    clubs_alone, begin, _, _ = _make_suit(clubs)
    diamonds_alone, _, add_diamonds, _ = _make_suit(diamonds)
    hearts_alone, _, add_hearts, _ = _make_suit(hearts)
    spades_alone, _, _, finish = _make_suit(spades)

    @kernel
    def steps(words: Any, ways: int) -> Any:
        if not _may_group(ways):
            words = diamonds_alone(clubs_alone(words, ways), ways)
            return spades_alone(hearts_alone(words, ways), ways)
        sets = add_diamonds(begin(words, ways), ways)
        return finish(add_hearts(sets, ways), ways)

    @inlined
    def alone_both(zero: Any, one: Any, ways: int, joined: int) -> Any:
        one = _join(clubs_alone(one, ways), clubs_alone(zero, joined))
        zero = clubs_alone(zero, ways)
        one = _join(diamonds_alone(one, ways), diamonds_alone(zero, joined))
        zero = diamonds_alone(zero, ways)
        one = _join(hearts_alone(one, ways), hearts_alone(zero, joined))
        zero = hearts_alone(zero, ways)
        one = _join(spades_alone(one, ways), spades_alone(zero, joined))
        return spades_alone(zero, ways), one

    @kernel
    def steps_both(zero: Any, one: Any, ways: int, joined: int) -> Any:
        if joined == 0 or _is_empty(zero):
            return steps(zero, ways), steps(one, ways)
        if not _may_group(ways | joined):
            return alone_both(zero, one, ways, joined)
        zeros, ones = begin(zero, ways), begin(one, ways)
        ones = _join_each(ones, begin(zero, joined))
        ones = _join_each(add_diamonds(ones, ways), add_diamonds(zeros, joined))
        zeros = add_diamonds(zeros, ways)
        ones = _join_each(add_hearts(ones, ways), add_hearts(zeros, joined))
        zeros = add_hearts(zeros, ways)
        one = _join(finish(ones, ways), finish(zeros, joined))
        return finish(zeros, ways), one

    return steps, steps_both


_steps, _steps_both = _make_steps(
    _make_after(0), _make_after(1), _make_after(2), _spades_after
)
_steps_back, _steps_both_back = _make_steps(
    _make_before(0), _make_before(1), _make_before(2), _spades_before
)


@inlined
def _filled(ways: int, joined: int, suits: int) -> int:
    """Returns what the suits may do, some of them with the joker."""
    theirs = _OF_SUIT * suits
    return ways & ~theirs | joined & theirs


@inlined
def _set_at(work: Work, jokers: int, row: int) -> Any:
    """Returns the set of a row, with so many jokers placed on the way."""
    sets = work["sets"]
    none, one = sets[jokers, row, 0], sets[jokers, row, 1]
    return none, one, sets[jokers, row, 2], sets[jokers, row, 3]


@inlined
def _put(work: Work, jokers: int, row: int, words: Any) -> None:
    """Writes the set of a row."""
    none, one, two, three = words
    work["sets"][jokers, row, 0] = none
    work["sets"][jokers, row, 1] = one
    work["sets"][jokers, row, 2] = two
    work["sets"][jokers, row, 3] = three


@inlined
def _is_high(work: Work, suit: int) -> int:
    """Returns whether an ace ends a run of a suit: 0, 1, or 2 for either."""
    return (work["highs"] >> suit) & 1 | ((work["eithers"] >> suit) & 1) << 1


@kernel
def _ways_of(work: Work, rank: int, suit: int, jokers: int, laid: int) -> int:
    """Returns what a suit may do, with jokers placed there, cards laid for certain."""
    card = suit * NUM_RANKS + rank
    is_high = _is_high(work, suit) if rank == 0 else 0
    must = work["must"][card] + jokers + laid
    return _MOVES[is_high, must, work["may"][card] - laid] << suit


@inlined
def _replaced(ways: int, suit: int, way: int) -> int:
    """Returns what the suits may do where that of one suit is another."""
    return ways & ~(_OF_SUIT << suit) | way


@inlined
def _moves_with(must: int, present: int) -> int:
    """Returns what a suit may do with copies that lie, and that may, without a branch.

    That is `_moves(must, present - must)`, two copies at most: the union over the
    numbers of copies that may lie.
    """
    none = must == 0
    one = (must <= 1) & (present >= 1)
    two = (must <= 2) & (present >= 2)
    return none * _WITH_NONE + one * _WITH_ONE + two * _WITH_TWO


@kernel
def _prepare(work: Work) -> None:
    """Writes what the suits may do at each rank but the ace's (`_begin`).

    Without a free joker, and with one. Without branches, so that the compiler does many
    ranks at once.
    """
    num_ranks, ways, joined = work["num_ranks"], work["ways"], work["joined"]
    for rank in range(1, num_ranks):
        ways[rank], joined[rank] = 0, 0
    has_joker = work["jokers_high"] > 0
    for suit in range(NUM_SUITS):
        for rank in range(1, num_ranks):
            card = suit * NUM_RANKS + rank
            must, may = work["must"][card], work["may"][card]
            is_place = has_joker & (work["places"][rank] >> suit) & 1
            ways[rank] |= _moves_with(must, must + may) << suit
            joined[rank] |= is_place * _moves_with(must + 1, must + may + 1) << suit


@kernel
def _prepare_aces(work: Work) -> None:
    """Writes the same of aces, by where they lie."""
    ways, joined, has_joker = 0, 0, work["jokers_high"] > 0
    for suit in range(NUM_SUITS):
        ways |= _ways_of(work, 0, suit, 0, 0)
        if has_joker and (work["places"][0] >> suit) & 1:
            joined |= _ways_of(work, 0, suit, 1, 0)
    work["ways"][0], work["joined"][0] = ways, joined


@kernel
def _begin(work: Work, highs: int, eithers: int) -> None:
    """Begins walks in which the aces of some suits end runs, of others may."""
    work["highs"], work["eithers"] = highs, eithers
    _prepare_aces(work)
    within = -1
    for suit in range(_LAST):
        within &= _ENDS[_is_high(work, suit), suit]
    none = within & ~_mask(highs, _LAST)
    two = within & _mask(highs | eithers, _LAST)
    end = BACKWARD + work["num_ranks"]
    _put(work, 0, 0, (1, 0, 0, 0))
    _put(work, 1, 0, _EMPTY)
    _put(work, 0, end, (none, 0, two, within))
    _put(work, 1, end, _EMPTY)


@kernel
def _find_places(work: Work) -> None:
    """Writes where a free joker could be in a meld: suits as bits, by rank.

    Two cards beside it are held: of its rank, or of a run of three.
    """
    num_ranks, places = work["num_ranks"], work["places"]
    has_high_ace = num_ranks >= FIRST_HIGH_ACE_RANKS
    for rank in range(num_ranks):
        places[rank] = 0
    by_suit, once, twice = held_by_suit(work), 0, 0
    for suit in range(NUM_SUITS):
        twice |= once & by_suit[suit]
        once |= by_suit[suit]
    thrice = ranks_of_three(by_suit)
    for suit in range(NUM_SUITS):
        held = by_suit[suit]
        in_group = thrice | twice & ~held
        if has_high_ace:
            held |= (held & 1) << num_ranks
        pairs = held & held >> 1
        in_run = pairs << 2 | pairs >> 1 | (held & held >> 2) << 1
        if has_high_ace:
            in_run |= (in_run >> num_ranks) & 1
        for rank in range(num_ranks):
            places[rank] |= (((in_run | in_group) >> rank) & 1) << suit


@kernel
def _walk_forward(work: Work, last: int, has_one: bool) -> int:
    """Fills the rows up to the one before a rank; returns the last with any state."""
    for rank in range(last):
        zero, ways = _set_at(work, 0, rank), work["ways"][rank]
        work["num_looks"] += 1
        if has_one:
            one = _set_at(work, 1, rank)
            zero, one = _steps_both(zero, one, ways, work["joined"][rank])
            _put(work, 1, rank + 1, one)
        else:
            zero = _steps(zero, ways)
        _put(work, 0, rank + 1, zero)
        if _is_dead(work, rank + 1, has_one):
            return rank
    return last


@kernel
def _go_back(work: Work, rank: int, has_one: bool) -> bool:
    """Steps back over a rank; False if nothing leads there."""
    row, ways = BACKWARD + rank, work["ways"][rank]
    zero = _set_at(work, 0, row + 1)
    work["num_looks"] += 1
    if has_one:
        one = _set_at(work, 1, row + 1)
        zero, one = _steps_both_back(zero, one, ways, work["joined"][rank])
        _put(work, 1, row, one)
    else:
        zero = _steps_back(zero, ways)
    _put(work, 0, row, zero)
    return not _is_dead(work, row, has_one)


@kernel
def _is_dead(work: Work, row: int, has_one: bool) -> bool:
    """Tells whether a row has no state, with or without a joker."""
    if not _is_empty(_set_at(work, 0, row)):
        return False
    return not has_one or _is_empty(_set_at(work, 1, row))


@kernel
def _may_end_high(work: Work, highs: int) -> bool:
    """Tells whether runs of some suits could end in their aces."""
    num_ranks, missing = work["num_ranks"], 0
    if highs != 0 and num_ranks < FIRST_HIGH_ACE_RANKS:
        return False
    for suit in range(NUM_SUITS):
        if (highs >> suit) & 1:
            for rank in (0, num_ranks - 2, num_ranks - 1):
                card = suit * NUM_RANKS + rank
                missing += work["must"][card] + work["may"][card] == 0
    return bool(missing <= work["jokers_high"])


@kernel
def _suits_with_high_ace(work: Work) -> int:
    """Returns the suits of which a run could end in the ace, as bits."""
    suits = 0
    for suit in range(NUM_SUITS):
        suits |= _may_end_high(work, 1 << suit) << suit
    return suits


@kernel
def _ask(work: Work) -> None:
    """Notes what is open: lays by rank, suits as bits, and names above them."""
    num_ranks, asked = work["num_ranks"], work["asked"]
    for rank in range(num_ranks):
        asked[rank] = 0
    for suit in range(NUM_SUITS):
        for rank in range(num_ranks):
            card = suit * NUM_RANKS + rank
            is_open = (work["may"][card] > 0) & (work["lay"][card] == 0)
            asked[rank] |= is_open << suit
    if work["jokers_high"] > 0 and work["wanted_names"] > 0:
        _ask_for_names(work)


@kernel
def _ask_for_names(work: Work) -> None:
    """Adds the names that are open."""
    for rank in range(work["num_ranks"]):
        for suit in range(NUM_SUITS):
            if (work["places"][rank] >> suit) & 1:
                card = suit * NUM_RANKS + rank
                work["asked"][rank] |= is_name_open(work, card) << (suit + NUM_SUITS)


@outlined
def mark_single(work: Work) -> None:
    """Marks all that `must`, `may` and at most one free joker prove (`is_single`).

    Walks for each set of high aces would take long where there are many. So one walk
    lets each ace lie low and high at once: what not even that proves is ruled out. It
    comes after the walk without high aces, which proves most of what is true. A name
    takes no second joker, so names are looked for by shorter walks of their own.
    """
    if work["jokers_high"] == 1:
        _find_places(work)
    _ask(work)
    _prepare(work)
    eithers = _suits_with_high_ace(work)
    _mark_all(work, eithers, _NAMES)
    _mark_all(work, eithers, _LAYS)


@kernel
def _mark_all(work: Work, eithers: int, part: int) -> None:
    """Marks what walks with any set of high aces prove.

    Args:
        work: The workspace.
        eithers: The suits whose aces may be high.
        part: `_LAYS` or `_NAMES`.
    """
    _mark_with(work, 0, 0, part)
    if eithers & (eithers - 1) != 0:
        _mark_with(work, 0, eithers, part)
    for highs in range(1, _ALL + 1):
        if highs & ~eithers == 0 and _may_end_high(work, highs):
            _mark_with(work, highs, 0, part)


@kernel
def _mark_with(work: Work, highs: int, eithers: int, part: int) -> None:
    """Marks what walks prove in which the aces of some suits end runs.

    With `eithers`, suits whose aces may be in two places, nothing is proved: what is
    not to be found then is asked no more.
    """
    asked, first, last = work["asked"], 0, work["num_ranks"] - 1
    while last >= 0 and asked[last] & part == 0:
        last -= 1
    if last < 0:
        return
    while asked[first] & part == 0:
        first += 1
    has_one = work["jokers_high"] == 1 and part == _LAYS
    _begin(work, highs, eithers)
    reached = _walk_forward(work, last, has_one)
    rank = work["num_ranks"] - 1
    is_alive = True
    while is_alive and rank >= first and _is_wanted(work, part):
        if rank <= reached and asked[rank] & part != 0:
            _mark_rank(work, rank, part)
        is_alive = rank == first or _go_back(work, rank, has_one)
        rank -= 1
    if eithers != 0:
        for lower in range(first, rank + 1):
            asked[lower] &= ~part
        for higher in range(reached + 1, last + 1):
            asked[higher] &= ~part


@inlined
def _is_wanted(work: Work, part: int) -> bool:
    """Tells whether a walk may find anything: not if it is for names, and they do."""
    return part != _NAMES or work["num_names"] < work["wanted_names"]


@kernel
def _mark_rank(work: Work, rank: int, part: int) -> None:
    """Marks what the sets around a rank prove, or asks no more what they do not."""
    is_exact, asked = work["eithers"] == 0, work["asked"]
    for suit in range(NUM_SUITS):
        lay = asked[rank] & part & _LAYS & 1 << suit
        if lay != 0:
            is_found = _may_lay(work, rank, suit)
            if is_found and is_exact:
                work["lay"][suit * NUM_RANKS + rank] = 1
            if is_found == is_exact:
                asked[rank] &= ~lay
        name = asked[rank] & part & _NAMES & 1 << (suit + NUM_SUITS)
        if name != 0:
            card = suit * NUM_RANKS + rank
            # enough names may be known by now
            is_wanted = is_name_open(work, card)
            is_found = is_wanted and _may_name(work, rank, suit)
            if is_found and is_exact:
                set_name(work, card, work["jokers_low"] == 0)
            if is_found == is_exact or not is_wanted:
                asked[rank] &= ~name


@kernel
def _may_name(work: Work, rank: int, suit: int) -> bool:
    """Tells whether a free joker as a card joins the sets around its rank."""
    zero, behind = _set_at(work, 0, rank), _set_at(work, 0, BACKWARD + rank + 1)
    ways = _filled(work["ways"][rank], work["joined"][rank], 1 << suit)
    return _meets(_steps(zero, ways), behind)


@kernel
def _may_lay(work: Work, rank: int, suit: int) -> bool:
    """Tells whether a card laid joins the sets around its rank."""
    zero, behind = _set_at(work, 0, rank), _set_at(work, 0, BACKWARD + rank + 1)
    way = _ways_of(work, rank, suit, 0, 1)
    laid = _replaced(work["ways"][rank], suit, way)
    if work["jokers_high"] == 0:
        return _meets(_steps(zero, laid), behind)
    joined = work["joined"][rank]
    if (work["places"][rank] >> suit) & 1:
        joined = _replaced(joined, suit, _ways_of(work, rank, suit, 1, 1))
    zero, one = _steps_both(zero, _set_at(work, 1, rank), laid, joined)
    if work["jokers_low"] == 0 and _meets(zero, behind):
        return True
    return _meets(zero, _set_at(work, 1, BACKWARD + rank + 1)) or _meets(one, behind)


@outlined
def is_single_completable(work: Work) -> bool:
    """Tells whether `must`, some of `may` and the free joker make melds."""
    if work["jokers_high"] == 1:
        _find_places(work)
    _prepare(work)
    eithers = _suits_with_high_ace(work)
    if _is_accepted(work, 0, 0):
        return True
    if eithers & (eithers - 1) != 0 and not _is_accepted(work, 0, eithers):
        return False
    for highs in range(1, _ALL + 1):
        if highs & ~eithers == 0 and _may_end_high(work, highs):
            if _is_accepted(work, highs, 0):
                return True
    return False


@kernel
def _is_accepted(work: Work, highs: int, eithers: int) -> bool:
    """Tells the same where the aces of some suits end runs, of others may."""
    last, has_one = work["num_ranks"], work["jokers_high"] == 1
    _begin(work, highs, eithers)
    if _walk_forward(work, last, has_one) < last:
        return False
    accepted = _set_at(work, 0, BACKWARD + last)
    if work["jokers_low"] == 0 and _meets(_set_at(work, 0, last), accepted):
        return True
    return has_one and _meets(_set_at(work, 1, last), accepted)
