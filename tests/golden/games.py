"""Which golden games there are; each is the first seed that shows what it should."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rummy_env import RuleConfig, State
from rummy_env.replay import GameLog
from tests.twins import Twin, cards_dealt, twin_of

FOLDER = Path(__file__).parent
_PASSIVE = ("draw", "end")
_MOST_CARDS = 50
"""Real cards on the table at most, so that the reference takes seconds, not minutes."""


@dataclass(frozen=True)
class Golden:
    """One golden game.

    Attributes:
        name: The name of its file.
        options: The options that are not at their defaults.
        about: What it shows, in words.
        shows: Whether a log shows it; asked at the end of every round.
    """

    name: str
    options: dict[str, Any]
    about: str
    shows: Callable[[str], bool]

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"{self.name}.txt"


def holds(*patterns: str) -> Callable[[str], bool]:
    """Returns whether a log has a match of every pattern."""
    return lambda text: all(re.search(p, text, re.MULTILINE) for p in patterns)


def whole(*patterns: str) -> Callable[[str], bool]:
    """Returns whether the log of a game that ended has a match of every pattern."""
    return holds(r"^final: ", *patterns)


_USUAL = (r"reason=knock", r"reason=out", r"take", r"^final: totals")
_LAP_KNOCK = r"^player \d: (?!draw)(.*, )?knock$"

GAMES = [
    Golden("two_players", {"num_players": 2}, "two players, to 150", whole(*_USUAL)),
    Golden("three_players", {"num_players": 3}, "three players", whole(*_USUAL)),
    Golden("four_players", {"num_players": 4}, "four players", whole(*_USUAL)),
    Golden("five_players", {"num_players": 5}, "five players", whole(*_USUAL)),
    Golden(
        "packs",
        {"num_players": 2, "packs": 2},
        "R1: two packs for two players; a joker is laid, and one moved",
        holds(r"joker .*\n(player.*\n)*.*take"),
    ),
    Golden(
        "one_pack",
        {"num_players": 3, "packs": 1},
        "R1: one pack for three players; the last lap is played",
        holds(r"reason=lap"),
    ),
    Golden(
        "hand_size",
        {"hand_size": 4},
        "R4: hands of four cards; somebody goes out",
        holds(r"reason=out"),
    ),
    Golden(
        "num_ranks",
        {"num_ranks": 6, "hand_size": 6},
        "R2: ranks A to 6; a turn lays 5, 6 and a high ace",
        holds(r": draw, (draw, )?lay 5(.), lay 6\2, lay A\2, (end|knock)"),
    ),
    Golden(
        "jokers_per_pack",
        {"jokers_per_pack": 0},
        "R2: no jokers",
        lambda text: text.count("result") == 2 and "* " not in text,
    ),
    Golden(
        "knock_limit",
        {"knock_limit": 12},
        "R18: a knock with more than five points",
        holds(r"reason=knock; by=0; points=([6-9]|1[0-2]) "),
    ),
    Golden(
        "knock_in_last_lap",
        {"num_players": 2, "knock_in_last_lap": True},
        "R18: a knock in a turn of the last lap",
        holds(_LAP_KNOCK),
    ),
    Golden(
        "target_score",
        {"target_score": 40},
        "R27: the game ends at 40",
        whole(r"reason=knock", r"reason=out"),
    ),
    Golden(
        "round_bonus_to",
        {"num_players": 2, "round_bonus_to": "all"},
        "R28: who is at the target gets the bonus for rounds won, too",
        whole(r"final: totals"),
    ),
    Golden(
        "max_rounds",
        {"max_rounds": 2},
        "R30: truncated after two rounds",
        whole(r"truncated=True"),
    ),
]


def choose(names: list[str], rng: random.Random) -> str:
    """Returns an action: most often one that lays, knocks or takes."""
    active = [name for name in names if name not in _PASSIVE]
    rare = [name for name in active if name == "knock" or name.startswith("take")]
    if rare and rng.random() < 0.5:
        return rng.choice(rare)
    passive = [name for name in names if name in _PASSIVE]
    if active and (not passive or rng.random() < 0.8):
        return rng.choice(active)
    return rng.choice(passive)


def _play_round(log: GameLog, state: State, twin: Twin, rng: random.Random) -> bool:
    """Plays a round; returns whether the reference can judge all of it quickly."""
    while state.outcome() is None:
        if len(twin.real) > _MOST_CARDS or twin.is_crowded():
            return False
        action = choose(state.legal_action_names(), rng)
        state.apply_action(action)
        twin.play(action)
        log.actions.append(action)
    return True


def rounds(config: RuleConfig, seed: int) -> Iterator[str]:
    """Yields the log of a game after each of its rounds, while it can be judged."""
    rng, log = random.Random(seed), GameLog(config, seed)
    state = State.new(config, seed)
    twin = twin_of(state)
    while _play_round(log, state, twin, rng):
        yield log.to_text()
        if state.outcome()["game_over"]:  # type: ignore[index]
            return
        state.start_next_round()
        twin.start_next_round(*cards_dealt(state))


def find(golden: Golden) -> str:
    """Returns the text of a golden game: the first seed and round that shows it."""
    config = RuleConfig(**golden.options)
    for seed in range(1_000):
        for text in rounds(config, seed):
            if golden.shows(text):
                return f"# {golden.about}; written by `make golden`\n{text}"
    raise AssertionError(f"no game shows {golden.name}")
