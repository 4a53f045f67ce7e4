"""The kernel against every oracle, on inputs that are legal or nearly so (Hypothesis).

The examples hardly change from run to run (Hypothesis takes constants from the modules
that happen to be loaded, so they do a little); `make fuzz` looks for others. How often
things came up is asserted with room for that.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import Phase, given, settings

from rummy_env import solver
from tests.oracles import ORACLES, Disagreement, Oracle, Seen
from tests.reference.game import Game

EXAMPLES = 300
BY_NAME = {oracle.name: oracle for oracle in ORACLES}


def run(oracle: Oracle, examples: int = EXAMPLES, *, shrink: bool = True) -> Seen:
    """Compares examples; returns what was seen, their number as "examples"."""
    seen: Seen = Counter()
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]

    @settings(max_examples=examples, phases=phases)
    @given(oracle.examples)
    def compare(example: object) -> None:
        oracle.check(example, seen)
        seen["examples"] += 1

    compare()
    return seen


def assert_both_often(seen: Seen, one: str, other: str, share: float = 0.1) -> None:
    """Asserts that each of two answers was given often enough to mean something."""
    least = share * (seen[one] + seen[other])
    assert min(seen[one], seen[other]) > least, seen


def assert_seen(seen: Seen, **least: int) -> None:
    """Asserts how often something came up, `four_copies` for "four copies"."""
    for kind, number in least.items():
        assert seen[kind.replace("_", " ")] >= number, (kind, seen)


def test_small_hands_are_played_as_exact_covers_and_completions_say() -> None:
    seen = run(BY_NAME["small hands"])
    assert_both_often(seen, "turn playable", "turn dead")
    assert_both_often(seen, "card playable", "card dead")
    assert_seen(seen, examples=300, listed=130, joker=10, take=1, waits=15, locked=10)
    assert_seen(seen, four_copies=1)


def test_large_tables_are_legal_where_the_integer_program_says() -> None:
    seen = run(BY_NAME["large tables"])
    assert_both_often(seen, "legal", "not legal")
    assert_seen(seen, examples=300, four_copies=5)


@pytest.mark.slow
def test_large_turns_are_played_as_the_integer_program_says() -> None:
    seen = run(BY_NAME["large turns"])
    assert_both_often(seen, "turn playable", "turn dead")
    assert_both_often(seen, "card playable", "card dead")
    assert_seen(seen, examples=300, joker=50, take=10, waits=30, locked=10)


def test_the_best_meld_is_worth_the_optimum_of_the_integer_program() -> None:
    seen = run(BY_NAME["best melds"])
    assert_both_often(seen, "something", "nothing")
    assert_seen(seen, examples=300)


def test_whole_games_are_the_same_from_the_deal_on() -> None:
    seen = run(BY_NAME["new games"])
    assert_seen(seen, examples=300, positions=3000, knock=25, out=1, lap=25)
    assert_seen(seen, game_over=40, lay=400, joker=20, take=1)


@pytest.mark.slow
def test_games_are_the_same_from_any_position_on() -> None:
    seen = run(BY_NAME["positions played on"])
    assert_seen(seen, examples=300, positions=1500, knock=25, out=12, lap=50)
    assert_seen(seen, lay=300, joker=50, take=40)


@pytest.mark.slow
def test_games_are_the_same_from_positions_with_large_tables_on() -> None:
    seen = run(BY_NAME["large positions"])
    assert_seen(seen, examples=300, positions=400, knock=2, out=1, lap=2)
    assert_seen(seen, lay=80, joker=12, take=12)


# Does any of this notice anything?


def lose_last(actions: list[str]) -> list[str]:
    """Returns actions without the last."""
    return actions[:-1]


def add_lay(actions: list[str]) -> list[str]:
    """Returns actions with one that is most often not legal."""
    return sorted({*actions, "lay Ac"}) if actions else ["lay Ac"]


@pytest.mark.parametrize("name", ["small hands", "large turns"])
@pytest.mark.parametrize("fault", [lose_last, add_lay])
def test_a_fault_in_what_is_playable_is_noticed(
    name: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One action too few, and one too many."""
    right = solver.playable
    monkeypatch.setattr(
        solver,
        "playable",
        lambda *cards, **given: fault(right(*cards, **given)),  # type: ignore[operator]
    )
    with pytest.raises(Disagreement, match=r"solver\.playable\(table="):
        run(BY_NAME[name], shrink=False)


def test_a_fault_in_what_is_legal_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = solver.arrange
    monkeypatch.setattr(
        solver, "arrange", lambda table, **given: right(table, **given) or ["7c 8c 9c"]
    )
    with pytest.raises(Disagreement, match=r"solver\.arrange\(table="):
        run(BY_NAME["large tables"], shrink=False)


def test_a_fault_in_the_best_meld_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for the most cards when asked for the most points."""
    right = solver.best_meld

    def by_cards(objective: str = "", **given: object) -> object:
        return right(objective="cards", **given)  # type: ignore[arg-type]

    monkeypatch.setattr(solver, "best_meld", by_cards)
    with pytest.raises(Disagreement, match=r"solver\.best_meld\(table="):
        run(BY_NAME["best melds"], shrink=False)


@pytest.mark.parametrize("name", ["new games", "large positions"])
def test_a_fault_in_a_game_is_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reference that lets a player knock with one point more."""
    monkeypatch.setattr(
        Game,
        "_can_knock",
        lambda game: game.points(game.player) <= game.config.knock_limit + 1,
    )
    with pytest.raises(Disagreement, match=r"State\.from_text\("):
        run(BY_NAME[name], shrink=False)
