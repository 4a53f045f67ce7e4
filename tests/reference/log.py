"""Plays the written log of a game on the reference, without the program it came from.

What a log says is taken from its text: the deal, the actions of each turn, and the
results that are compared with the reference's.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rummy_env.cards import parse_hand
from rummy_env.config import RuleConfig
from tests.reference.game import Game, Outcome


def fields_of(text: str) -> dict[str, str]:
    """Returns the fields of `key=value; ...`."""
    pairs = [part.split("=") for part in text.split(";")]
    return {key.strip(): value.strip() for key, value in pairs}


def config_of(header: str) -> RuleConfig:
    """Returns the options of the first line of a log."""
    first, _, rest = header.partition(";")
    assert first == "rummy-game1"
    values: dict[str, Any] = fields_of(rest)
    del values["seed"]
    for name, value in values.items():
        if value.isdigit():
            values[name] = int(value)
        elif value in ("True", "False"):
            values[name] = value == "True"
    return RuleConfig.from_options(**values)


def numbers_of(text: str) -> list[int]:
    """Returns whole numbers parted by spaces."""
    return [int(word) for word in text.split()]


class Reader:
    """A reference game that is played as the lines of a log say.

    Attributes:
        config: The options.
        game: The game, once a round was dealt.
        num_actions: Actions played, all of them legal.
        is_over: Whether the log has ended.
    """

    def __init__(self, config: RuleConfig) -> None:
        self.config = config
        self.game: Game | None = None
        self.num_actions = 0
        self.is_over = False
        self._dealer = 0
        self._hands: list[list[int]] = []

    def read(self, kind: str, number: int, rest: str) -> None:
        """Plays or compares a line."""
        assert not self.is_over
        if kind == "round":
            self._dealer, self._hands = int(fields_of(rest)["dealer"]), []
            assert number == (0 if self.game is None else self.game.rounds_played)
        elif kind == "hand":
            assert number == len(self._hands)
            self._hands.append(parse_hand(rest))
        elif kind == "stock":
            self._deal(parse_hand(rest))
        elif kind == "player":
            self._play(number, [word.strip() for word in rest.split(",")])
        else:
            self._compare(kind, fields_of(rest))

    def _deal(self, stock: list[int]) -> None:
        """Begins a round (R4)."""
        if self.game is None:
            self.game = Game(self.config, self._hands, stock, self._dealer)
        else:
            self.game.start_next_round(self._hands, stock)
        assert self.game.dealer == self._dealer
        assert all(len(hand) == self.config.hand_size for hand in self._hands)
        assert self.game.problems() == []

    def _play(self, player: int, actions: list[str]) -> None:
        """Plays the actions of a turn; the game refuses those that are not legal."""
        assert self.game is not None
        for action in actions:
            assert self.game.player == player, action
            self.game.apply(action)
            self.num_actions += 1
        assert self.game.problems() == []

    def _compare(self, kind: str, written: dict[str, str]) -> None:
        """Compares the end of a round or of the game."""
        assert self.game is not None
        if kind == "unfinished":
            assert self.game.outcome is None or not self.game.outcome.game_over
            assert int(written["actions"]) == self.num_actions
        else:
            assert self.game.outcome is not None
            is_final = kind == "final"
            assert is_final <= self.game.outcome.game_over
            assert written == facts_of(self.game.outcome, is_final)
        self.is_over = kind in ("final", "unfinished")


def facts_of(outcome: Outcome, is_final: bool) -> dict[str, str]:
    """Returns what a log says of the end of a round, or of the game."""
    facts = {
        key: " ".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in asdict(outcome).items()
    }
    if is_final:
        if outcome.truncated:
            return {"truncated": "True", "totals": facts["totals"]}
        return {"totals": facts["totals"], "winners": facts["game_winners"]}
    keys = ["reason", "by", "points", "round_scores", "winners", "scores"]
    return {key: facts[key] for key in keys if facts[key] != "None"}


def play_log(text: str) -> Reader:
    """Returns the game of a log, played and compared to its end.

    Raises:
        AssertionError: The log says something else than the reference.
        ValueError: An action is not legal.
    """
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    reader = Reader(config_of(lines[0]))
    for line in lines[1:]:
        head, _, rest = line.partition(":")
        kind, _, number = head.partition(" ")
        reader.read(kind, int(number or 0), rest.strip())
    assert reader.is_over
    return reader
