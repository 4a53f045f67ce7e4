"""What the kernel is compared with, and on what: for the tests, and for `make fuzz`.

An oracle here is a strategy of examples and a check that compares the engine's answer
about one of them, through `solver` or `State`, with that of `tests/reference/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hypothesis import strategies as st

from rummy_env import RuleConfig, State, solver
from rummy_env.cards import CARD_NAMES, JOKER
from tests.comparison import Comparison
from tests.near_legal import Table, decks, positions, tables, turns
from tests.reference import integer
from tests.reference.completion import (
    Turn,
    is_table_legal,
    legal_melding_actions,
    melding_actions,
    num_tables,
)
from tests.reference.game import card_points
from tests.reference.melds import unpack
from tests.twins import (
    cards_dealt,
    integer_actions,
    integer_question,
    is_layout_of,
    question_of,
    twin_of,
)

Seen = Counter[str]
"""Positions compared, and how often which answer was given."""
MOST_LISTED = 3000
"""With more tables than these the completions of a turn are not listed."""


class Disagreement(AssertionError):
    """The engine and an oracle differ; the text says where and how."""


@dataclass(frozen=True)
class Oracle:
    """What is compared.

    Attributes:
        name: What answers.
        examples: What is asked about.
        check: Compares the answers about one example and counts what it saw.
    """

    name: str
    examples: st.SearchStrategy[Any]
    check: Callable[[Any, Seen], None]


def agree(found: object, expected: object, question: str) -> None:
    """Holds an answer of the engine against that of an oracle.

    Raises:
        Disagreement: They are not equal.
    """
    if found != expected:
        raise Disagreement(f"{question}\nengine: {found}\noracle: {expected}")


def call_of(function: str, asked: dict[str, Any]) -> str:
    """Returns the call that asks the engine, to be pasted into Python."""
    given = ", ".join(f"{key}={value!r}" for key, value in asked.items())
    return f"solver.{function}({given})"


def count_answers(turn: Turn, actions: Sequence[str], seen: Seen) -> None:
    """Counts what was said of a turn, and of each of its cards to lay."""
    seen["positions"] += 1
    seen["turn playable" if actions else "turn dead"] += 1
    if turn.pending is None:
        lays = sum(action.startswith("lay") for action in actions)
        seen["card playable"] += lays
        seen["card dead"] += len(set(unpack(turn.hand))) - lays
    seen.update({action.split()[0] for action in actions})
    seen["waits"] += turn.pending is not None
    seen["locked"] += turn.locked > 0
    copies = Counter(unpack(turn.real + turn.named))
    seen["four copies"] += max(copies.values(), default=0) == 4


def playable(turn: Turn) -> list[str]:
    """Returns what the engine says can be done."""
    return solver.playable(**question_of(turn), laid=turn.laid)


def check_small_turn(turn: Turn, seen: Seen) -> None:
    """Compares `playable` with exact covers and, if few, all completions."""
    question = call_of("playable", question_of(turn) | {"laid": turn.laid})
    found = playable(turn)
    count_answers(turn, found, seen)
    expected = [action for action in melding_actions(turn) if action != "end"]
    agree(found, expected, question)
    if num_tables(turn) <= MOST_LISTED:
        seen["listed"] += 1
        listed = [a for a in legal_melding_actions(turn) if a != "end"]
        agree(found, listed, question)


def check_large_turn(turn: Turn, seen: Seen) -> None:
    """Compares `playable` with the integer program."""
    question = call_of("playable", question_of(turn) | {"laid": turn.laid})
    found = playable(turn)
    count_answers(turn, found, seen)
    expected = [action for action in integer_actions(turn) if action != "end"]
    agree(found, expected, question)


def check_table(table: Table, seen: Seen) -> None:
    """Compares `arrange` with the integer program."""
    num_ranks = table.deck.num_ranks
    layout = solver.arrange(table.text(), num_ranks=num_ranks)
    total = table.real + table.named
    counts = [total[card] for card in range(JOKER)]
    is_legal = integer.is_legal_table(counts, num_ranks)
    asked = {"table": table.text(), "num_ranks": num_ranks}
    agree(layout is not None, is_legal, call_of("arrange", asked))
    if layout is not None:
        cards = table.real.elements(), table.named.elements()
        is_layout = is_layout_of(layout, *cards, num_ranks)
        agree(is_layout, True, call_of("arrange", asked))
    seen["positions"] += 1
    seen["legal" if is_legal else "not legal"] += 1
    seen["four copies"] += max(counts) == 4


def check_best(turn: Turn, seen: Seen) -> None:
    """Compares what the best meld is worth with the optimum of the program.

    `best_meld` is not told whether something was laid. A table that does not stand is
    one of a turn under way, and on one that does, to lay nothing is no meld.
    """
    program = integer_question(turn)._replace(laid=True)
    for objective, best in [
        ("points", integer.best_points),
        ("cards", integer.best_cards),
    ]:
        asked = question_of(turn) | {"objective": objective}
        found = solver.best_meld(**asked)
        worth = None if found is None else worth_of(turn, found[0], objective)
        try:
            expected: int | None = best(program)[0]
        except ValueError:
            expected = None
        if expected == 0 and is_table_legal(turn):
            expected = None  # the table stands, and there is nothing to lay
        agree(worth, expected, call_of("best_meld", asked))
        seen["positions"] += 1
        seen["nothing" if found is None else "something"] += 1


def worth_of(turn: Turn, actions: Sequence[str], objective: str) -> int:
    """Returns what actions lay from the hand; released jokers are not laid."""
    cards, waits = [], turn.pending is not None
    for action in actions:
        kind, _, card = action.partition(" ")
        if kind == "lay":
            cards.append(CARD_NAMES.index(card))
        elif kind == "joker" and not waits:
            cards.append(JOKER)
        waits = kind == "take"
    return len(cards) if objective == "cards" else sum(map(card_points, cards))


@dataclass(frozen=True)
class Game:
    """A game to be played, chances and choices included.

    Attributes:
        state: Where it begins.
        choices: Seeds the choice of actions.
        most: Positions to compare at the most.
    """

    state: State
    choices: int
    most: int


def check_game(game: Game, seen: Seen) -> None:
    """Plays a game on the engine and the reference, comparing every position."""
    state = game.state.clone()
    twin, comparison = twin_of(state), Comparison(game.choices)
    comparison.eagerness = comparison.rng.choice([0.2, 0.8, 0.9])
    while comparison.seen["compared"] < game.most:
        before = state.clone()
        try:
            comparison.step(state, twin)
        except AssertionError as error:
            raise Disagreement(f"{before!r}\n{error}") from error
        if twin.outcome is not None:
            seen[twin.outcome.reason] += 1
            if twin.outcome.game_over:
                seen["game over"] += 1
                break
            state.start_next_round()
            twin.start_next_round(*cards_dealt(state))
    seen["positions"] += comparison.seen["compared"]
    seen.update({kind: comparison.seen[kind] for kind in ("lay", "joker", "take")})


def new_game(num_ranks: int, players: int, packs: int, **options: Any) -> State:
    """Returns a game with hands that leave a few draws, dealt."""
    seed = options.pop("seed")
    cards = packs * (4 * num_ranks + options["jokers_per_pack"])
    size = max(1, min(options.pop("hand_size"), (cards - 3) // players))
    config = RuleConfig(
        num_players=players, num_ranks=num_ranks, packs=packs, hand_size=size, **options
    )
    return State.new(config, seed)


def new_games() -> st.SearchStrategy[State]:
    """Deals under all options, small decks most often."""
    return st.builds(
        new_game,
        num_ranks=st.sampled_from([3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
        players=st.integers(2, 5),
        packs=st.integers(1, 2),
        hand_size=st.integers(1, 8),
        jokers_per_pack=st.integers(0, 1),
        knock_limit=st.sampled_from([0, 5, 9, 20]),
        target_score=st.sampled_from([1, 40, 150]),
        round_bonus_to=st.sampled_from(["others", "all"]),
        knock_in_last_lap=st.booleans(),
        max_rounds=st.integers(1, 3),
        seed=st.integers(0, 2**63 - 1),
    )


def games(states: st.SearchStrategy[State], most: int) -> st.SearchStrategy[Game]:
    """Games from the positions of a strategy on."""
    return st.builds(Game, states, st.integers(0, 2**32), st.just(most))


def large_tables(least: int = 30, most: int = 80) -> st.SearchStrategy[Table]:
    """Tables of 30 to 80 cards."""
    return (
        decks(fewest_ranks=8)
        .flatmap(partial(tables, fewest=least, most=most))
        .filter(lambda table: (table.real + table.named).total() >= least)
    )


def is_large(turn: Turn) -> bool:
    """Returns whether 30 cards or more are on the table."""
    return len(unpack(turn.real + turn.named)) >= 30


LARGE = {"fewest": 30, "most": 80, "fewest_ranks": 8}
ORACLES = [
    Oracle("small hands", turns(0, 16), check_small_turn),
    Oracle("large tables", large_tables(), check_table),
    Oracle("large turns", turns(**LARGE).filter(is_large), check_large_turn),
    Oracle("best melds", turns(0, 60), check_best),
    Oracle("new games", games(new_games(), 30), check_game),
    Oracle("positions played on", games(positions(0, 40), 20), check_game),
    Oracle("large positions", games(positions(**LARGE), 3), check_game),
]
"""All of them, by name in the order of the report."""
