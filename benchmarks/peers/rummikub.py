"""rummikub-solver: an integer program for each question, by GLPK and by its default.

`solve` in its mode for tiles returns the most tiles that can be placed, the table
rearranged, and `arrange_table` whether a table splits into sets. Its mode for values
is not asked: tiles have other values than cards.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from rummikub_solver import GameState, MILPSolver, RuleSet, SolverMode

from benchmarks.peers import protocol
from benchmarks.peers.protocol import Figure, Order

RANKS = "A23456789TJQK"
SUITS = "cdhs"
JOKER = 53

Question = dict[str, str]


def tiles(text: str) -> list[int]:
    """Returns cards as numbers of tiles, from 1."""
    return [
        JOKER
        if card == "*"
        else len(RANKS) * SUITS.index(card[1]) + RANKS.index(card[0]) + 1
        for card in text.split()
    ]


def state_of(rules: RuleSet, question: Question) -> GameState:
    """Returns a question as a state after the opening."""
    state = rules.new_game()
    state.add_table(*tiles(question["table"]))
    state.add_rack(*tiles(question["hand"]))
    state.initial = False
    return state


def place(rules: RuleSet, question: Question) -> int:
    """Returns how many tiles can be placed."""
    found = rules.solve(state_of(rules, question), SolverMode.TILE_COUNT)
    return 0 if found is None else len(found.tiles)


def arrange(rules: RuleSet, question: Question) -> bool:
    """Tells whether the table splits into sets."""
    return rules.arrange_table(state_of(rules, question)) is not None


def asked(solver: MILPSolver, name: str) -> Callable[[Order], dict[str, Figure]]:
    """Returns what asks one back end all questions."""

    def measure(order: Order) -> dict[str, Figure]:
        rules = RuleSet(solver_backend=solver)
        figures = {}
        for kind, questions in protocol.read_questions(order).items():
            answer = arrange if kind.startswith("arrange") else place
            figures[f"{name}_{kind}"] = protocol.ask(
                questions, functools.partial(answer, rules)
            )
        return figures

    return measure


if __name__ == "__main__":
    protocol.run(
        [asked(MILPSolver.GLPK_MI, "glpk"), asked(MILPSolver.SCIPY, "scipy")],
        ["rummikub-solver", "cvxpy-base", "cvxopt", "scipy"],
    )
