"""Golden games are what the rules make of their deals, and stay what they are.

The reference plays each from its text alone; the engine deals, plays and writes it. The
digest of a thousand games is kept, or its change is declared in the changelog.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from rummy_env import RuleConfig
from rummy_env.replay import GameLog
from tests.golden import digest
from tests.golden.games import FOLDER, GAMES, Golden
from tests.reference.log import play_log

ROOT = Path(__file__).resolve().parent.parent


def by_name(golden: Golden) -> str:
    """Returns the name of a golden game, for the names of tests."""
    return golden.name


def test_there_is_a_golden_game_for_every_number_of_players_and_every_option() -> None:
    options = [golden.options for golden in GAMES]
    for players in (2, 3, 4, 5):
        assert {"num_players": players} in options
    for field in dataclasses.fields(RuleConfig):
        shown = [
            golden
            for golden in GAMES
            if golden.options.get(field.name, field.default) != field.default
        ]
        assert shown, field.name
    names = {golden.name for golden in GAMES} | {"digest"}
    assert {path.stem for path in FOLDER.glob("*.txt")} == names


@pytest.mark.parametrize("golden", GAMES, ids=by_name)
def test_the_engine_plays_it_line_by_line(golden: Golden) -> None:
    text = golden.path.read_text(encoding="utf-8")
    log = GameLog.from_text(text)
    assert log.config == RuleConfig(**golden.options)
    assert golden.shows(text)
    head, _, rest = text.partition("\n")
    assert head == f"# {golden.about}; written by `make golden`"
    assert rest == log.to_text()


@pytest.mark.parametrize("golden", GAMES, ids=by_name)
def test_the_reference_plays_it_from_its_text_alone(golden: Golden) -> None:
    text = golden.path.read_text(encoding="utf-8")
    assert play_log(text).num_actions == len(GameLog.from_text(text).actions)


def test_the_reference_refuses_what_is_not_so() -> None:
    text = (FOLDER / "max_rounds.txt").read_text(encoding="utf-8")
    (points,) = re.findall(r"points=(\d+ \d+ \d+)", text)[:1]
    (dealer,) = re.findall(r"dealer=\d", text)[:1]
    for before, after in [
        (dealer, "dealer=0" if dealer[-1] == "1" else "dealer=1"),
        ("draw, draw, draw, end", "draw, draw, end"),
        (f"points={points}", f"points=1{points}"),
        ("totals=", "totals=1"),
        ("stock: ", "stock: * "),
    ]:
        assert before in text
        with pytest.raises((AssertionError, ValueError)):
            play_log(text.replace(before, after, 1))


def test_a_thousand_games_are_what_they_were() -> None:
    """Where this fails by intention, `make golden` and the changelog say so."""
    assert digest.GAMES_A_GROUP * len(digest.GROUPS) == 1000
    kept = digest.PATH.read_text(encoding="utf-8").splitlines()
    assert digest.digest_text().splitlines() == kept


@pytest.mark.parametrize("kind", ["games", "observations"])
def test_the_changelog_declares_the_digest(kind: str) -> None:
    kept = digest.PATH.read_text(encoding="utf-8")
    (now,) = re.findall(rf"^{kind} (\w+)$", kept, re.MULTILINE)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    declared = re.findall(rf"digest of (?:the )?{kind}\s+`(\w+)`", changelog)
    assert declared[:1] == [now], (
        "say in CHANGELOG.md what changed, with the new digest"
    )
