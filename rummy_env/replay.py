"""Games written down: `GameLog`, and the check that a game goes as its log says.

A log is a line for the game, then for each round a line, the deal, a line for each turn
and the result, and at last how the game ended::

    rummy-game1; num_players=2; hand_size=4; num_ranks=3; target_score=20; seed=513
    round 0: dealer=1
    hand 0: Ac 3h 3s *
    hand 1: 3c Ad Ah 2h
    stock: As 2d 3d 2c 2s
    player 0: draw, lay As, joker 2s, lay 3s, end
    player 1: draw, draw, lay 2h, lay 3c, lay Ad, lay 3d, lay 2d, lay Ah
    result: reason=out; by=1; points=4 0; round_scores=0 29; winners=1; scores=0 29
    final: totals=0 129; winners=1

Options that have their default value are left out, and who reads the log needs no
program: the stock begins with the next card, actions have the names that
`legal_action_names` gives. A game under way ends with `unfinished: actions=5`, so that
a log cut short is never taken for one. `hand` and `stock` may be left out (the seed
deals them); empty lines and lines that begin with `#` are passed over.

`python -m rummy_env.replay FILE` checks logs; see `--help`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

import numpy as np

from rummy_env import rules
from rummy_env.actions import ACTION_NAMES, END, parse_action
from rummy_env.cards import card_name, format_hand, parse_card
from rummy_env.config import RuleConfig
from rummy_env.errors import (
    IllegalActionError,
    NotationError,
    ReplayError,
    RummyError,
    nearest,
)
from rummy_env.notation import (
    OPTIONS,
    format_config,
    parse_config,
    parse_fields,
    parse_number,
    split_header,
)
from rummy_env.state import State, check_seed

HEADER: Final = "rummy-game1"
MAX_TEXT: Final = 4_000_000
"""The longest log read or written, in characters: thousands of rounds."""
MAX_LINE: Final = 4_000
"""The longest line read; the turn of a hand of all cards is under a third of it."""
_SHOWN: Final = 60
"""How much of a wrong value an error repeats."""

# The kinds of lines, and whether a number follows the word.
_KINDS: Final = {
    "round": True,
    "hand": True,
    "stock": False,
    "player": True,
    "result": False,
    "final": False,
    "unfinished": False,
}
# The fields of those that say what is so.
_FACTS: Final = {
    "round": ("dealer",),
    "result": ("reason", "by", "points", "round_scores", "winners", "scores"),
    "final": ("truncated", "totals", "winners"),
    "unfinished": ("actions",),
}
# Which kinds may come next, by what was read.
_NEXT: Final = {
    "header": ("round",),
    "deal": ("hand", "stock", "player", "unfinished"),
    "turn": ("player", "unfinished"),
    "round over": ("result",),
    "result": ("round", "unfinished"),
    "game over": ("final",),
    "end": (),
}


@dataclass
class GameLog:
    """A game as it was played: enough to play it again.

    Attributes:
        config: The options.
        seed: The seed.
        actions: The actions in order, as ids or names, through all rounds; the forced
            ones too.

    Raises:
        ConfigError: The configuration is none, or the seed.
        IllegalActionError: One of the actions is none, whatever the position.
    """

    config: RuleConfig
    seed: int
    actions: list[int | str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Checks the values."""
        rules.check_config(self.config)
        check_seed(self.seed)
        if not isinstance(self.actions, list):
            raise IllegalActionError(
                f"actions are a list, not {type(self.actions).__name__}"
            )
        for action in self.actions:
            parse_action(action)

    def state(self) -> State:
        """Returns the game after the last action.

        Raises:
            IllegalActionError: An action is not legal; says which and why.
            RummyError: Actions follow the end of the game.
        """
        state = State.new(self.config, self.seed)
        for index, action in enumerate(self.actions):
            if state.outcome() is not None:
                state.start_next_round()
            _apply(state, action, index)
        return state

    def to_text(self) -> str:
        """Returns the log; see the top of this module.

        Raises:
            IllegalActionError: An action is not legal; says which and why.
            RummyError: Actions follow the end of the game, or the log is too long.
        """
        text = "".join(f"{line}\n" for line in self._lines())
        if len(text) > MAX_TEXT:
            raise RummyError(f"the log takes over {MAX_TEXT} characters")
        return text

    @classmethod
    def from_text(cls, text: str) -> GameLog:
        """Returns the log of a text, once all it says was checked by playing it.

        Raises:
            NotationError: The text is no log; says at which line and column and why.
            ReplayError: It is one, but the game goes otherwise; says from where on.
        """
        return _check(text).log

    def _lines(self) -> Iterator[str]:
        """Yields the lines, playing the game."""
        yield "; ".join([HEADER, *format_config(self.config), f"seed={self.seed}"])
        state = State.new(self.config, self.seed)
        yield from _deal_lines(state)
        turn: list[str] = []
        for index, action in enumerate(self.actions):
            if state.outcome() is not None:
                state.start_next_round()
                yield from _deal_lines(state)
            player = state.current_player
            turn.append(ACTION_NAMES[_apply(state, action, index)])
            is_last = index == len(self.actions) - 1
            if state.outcome() is not None or turn[-1] == ACTION_NAMES[END] or is_last:
                yield f"player {player}: {', '.join(turn)}"
                turn = []
            if state.outcome() is not None:
                yield f"result: {_join(_result_facts(state))}"
        outcome = state.outcome()
        if outcome is not None and outcome["game_over"]:
            yield f"final: {_join(_final_facts(state))}"
        else:
            yield f"unfinished: {_join({'actions': str(len(self.actions))})}"


# What a log says of a game.


def _join(facts: dict[str, str]) -> str:
    """Returns facts as fields."""
    return "; ".join(f"{key}={value}" for key, value in facts.items())


def _numbers(numbers: Sequence[int]) -> str:
    """Returns numbers as text."""
    return " ".join(str(number) for number in numbers)


def _round_facts(state: State) -> dict[str, str]:
    """Returns what a log says at the begin of a round."""
    return {"dealer": str(state.record["dealer"][0])}


def _result_facts(state: State) -> dict[str, str]:
    """Returns what a log says of the end of a round."""
    outcome = _ended(state)
    facts = {"reason": outcome["reason"]}
    if outcome["by"] is not None:
        facts["by"] = str(outcome["by"])
    for key in ("points", "round_scores", "winners", "scores"):
        facts[key] = _numbers(outcome[key])
    return facts


def _final_facts(state: State) -> dict[str, str]:
    """Returns what a log says of the end of the game."""
    outcome = _ended(state)
    totals = {"totals": _numbers(outcome["totals"])}
    if outcome["truncated"]:
        return {"truncated": "True", **totals}
    return {**totals, "winners": _numbers(outcome["game_winners"])}


def _ended(state: State) -> rules.Outcome:
    """Returns the outcome of a round that is over."""
    outcome = state.outcome()
    assert outcome is not None
    return outcome


def _stock(state: State) -> list[int]:
    """Returns the cards of the stock, the next one first."""
    record = state.record[0]
    return [int(card) for card in record["stock"][: int(record["stock_left"])][::-1]]


def _deal_lines(state: State) -> Iterator[str]:
    """Yields the lines of a round that was just dealt."""
    yield f"round {state.round_index}: {_join(_round_facts(state))}"
    for player in range(state.config.num_players):
        yield f"hand {player}: {format_hand(state.hand(player))}"
    yield f"stock: {' '.join(card_name(card) for card in _stock(state))}"


def _apply(state: State, action: int | str, index: int) -> int:
    """Plays an action and returns its id; an error says which action it is."""
    try:
        number = parse_action(action)
        state.apply_action(number)
    except IllegalActionError as error:
        raise IllegalActionError(f"action {index + 1}: {error}") from None
    return number


# Reading and checking.


@dataclass(frozen=True)
class _Line:
    """A line of a log, taken apart.

    Attributes:
        number: Which line it is, from 1.
        kind: Its first word.
        index: The number behind that word, or 0.
        rest: What follows the colon.
        column: The column at which the rest begins.
    """

    number: int
    kind: str
    index: int
    rest: str
    column: int

    def words(self, separator: str | None) -> list[tuple[str, int]]:
        """Returns the parts of the rest, each with its column."""
        found, column = [], self.column
        for part in self.rest.split(separator):
            at = self.rest.index(part, column - self.column) + self.column
            found.append((part.strip(), at + len(part) - len(part.lstrip())))
            column = at + len(part)
        return found

    def differs(self, message: str, column: int = 1) -> NoReturn:
        """Raises an error for a game that goes otherwise."""
        raise ReplayError(message, self.number, column)


class _Replay:
    """A game played as the lines of its log are read.

    Attributes:
        log: The game so far.
        state: Where it stands.
        stage: What was read, a key of `_NEXT`.
    """

    def __init__(self, config: RuleConfig, seed: int) -> None:
        self.log = GameLog(config, seed)
        self.state = State.new(config, seed)
        self.stage = "header"
        self._readers: dict[str, Callable[[_Line], None]] = {
            "round": self._round,
            "hand": self._hand,
            "stock": self._stock,
            "player": self._turn,
            "result": self._result,
            "final": self._final,
            "unfinished": self._unfinished,
        }

    def read(self, line: _Line) -> None:
        """Plays a line, or raises an error where it says what is not so."""
        if line.kind not in _NEXT[self.stage]:
            line.differs(f"{line.kind!r} cannot stand here; {self.expected()}")
        self._readers[line.kind](line)

    def expected(self) -> str:
        """Returns in words which line may come next."""
        kinds = " or ".join(_NEXT[self.stage])
        where = f" ({rules.phase(self.state.record)})" if self.stage == "turn" else ""
        return f"next comes {kinds}{where}" if kinds else "the log has ended"

    def _round(self, line: _Line) -> None:
        """Deals a round."""
        if self.stage == "result":
            self.state.start_next_round()
        if line.index != self.state.round_index:
            line.differs(f"this is round {self.state.round_index}, not {line.index}")
        self._compare(line, _round_facts(self.state))
        self.stage = "deal"

    def _hand(self, line: _Line) -> None:
        """Compares a hand, in whatever order its cards stand."""
        dealt = self.state.hand(self._seat(line))
        written = np.bincount(_parse_cards(line), minlength=len(dealt))
        if not np.array_equal(written, dealt):
            line.differs(f"the hand dealt is {format_hand(dealt)}", line.column)

    def _stock(self, line: _Line) -> None:
        """Compares the stock, in its order."""
        dealt, written = _stock(self.state), _parse_cards(line)
        if written != dealt:
            same = [a == b for a, b in zip(written, dealt, strict=False)]
            at = same.index(False) if False in same else len(same)
            card = f"is {card_name(dealt[at])}" if at < len(dealt) else "does not exist"
            columns = [column for _, column in line.words(None)] or [line.column]
            line.differs(
                f"card {at + 1} of the stock {card}", columns[min(at, len(columns) - 1)]
            )

    def _turn(self, line: _Line) -> None:
        """Plays the actions of a turn, or of a part of one."""
        player = self._seat(line)
        for word, column in line.words(","):
            if not word:
                raise NotationError("an action is missing", line.number, column)
            with _placed(line.number, column):
                number = parse_action(word)
            self._check_turn(line, player, column)
            try:
                _apply(self.state, number, len(self.log.actions))
            except IllegalActionError as error:
                line.differs(str(error), column)
            self.log.actions.append(number)
            self.stage = "turn"
        outcome = self.state.outcome()
        if outcome is not None:
            self.stage = "round over"

    def _check_turn(self, line: _Line, player: int, column: int) -> None:
        """Refuses an action after the round, or out of turn."""
        which = f"action {len(self.log.actions) + 1}"
        if self.state.outcome() is not None:
            line.differs(f"{which}: the round is over", column)
        if player != self.state.current_player:
            phase = rules.phase(self.state.record)
            line.differs(f"{which} is not player {player}'s: {phase}", column)

    def _result(self, line: _Line) -> None:
        """Compares the end of the round."""
        self._compare(line, _result_facts(self.state))
        is_over = _ended(self.state)["game_over"]
        self.stage = "game over" if is_over else "result"

    def _final(self, line: _Line) -> None:
        """Compares the end of the game."""
        self._compare(line, _final_facts(self.state))
        self.stage = "end"

    def _unfinished(self, line: _Line) -> None:
        """Compares how many actions there are in a game that goes on."""
        self._compare(line, {"actions": str(len(self.log.actions))})
        self.stage = "end"

    def _seat(self, line: _Line) -> int:
        """Returns the player a line names."""
        if line.index >= self.log.config.num_players:
            raise NotationError(f"there is no player {line.index}", line.number, 1)
        return line.index

    def _compare(self, line: _Line, facts: dict[str, str]) -> None:
        """Compares the fields of a line with what is so."""
        with _placed(line.number, line.column):
            found = parse_fields(line.rest, _FACTS[line.kind], line.column)
        for key, (value, column) in found.items():
            written = " ".join(value.split())
            if written != facts.get(key):
                is_so = f"{key} is {facts[key]!r}" if key in facts else f"no {key} here"
                line.differs(f"{is_so}, not {written[:_SHOWN]!r}", column)
        for key in facts:
            if key not in found:
                raise NotationError(f"{key} is missing", line.number, line.column)


@contextlib.contextmanager
def _placed(line: int, column: int) -> Iterator[None]:
    """Gives errors of texts their line, and a column where they have none."""
    try:
        yield
    except NotationError as error:
        raise NotationError(error.reason, line, error.column or column) from None
    except RummyError as error:
        raise NotationError(str(error), line, column) from None


def _parse_cards(line: _Line) -> list[int]:
    """Returns the cards of a line in the order written."""
    cards = []
    for word, column in line.words(None):
        with _placed(line.number, column):
            cards.append(parse_card(word))
    return cards


def _parse_line(text: str, number: int) -> _Line:
    """Takes a line apart."""
    head, colon, rest = text.partition(":")
    words = head.split()
    if not colon or not words:
        raise NotationError("a line is 'kind: what', as in 'final: ...'", number, 1)
    kind = words[0]
    if kind not in _KINDS:
        hint = nearest(kind[:_SHOWN], _KINDS)
        raise NotationError(f"no kind of line {kind[:_SHOWN]!r}; {hint}", number, 1)
    if len(words) != 1 + _KINDS[kind]:
        form = f"{kind} 0:" if _KINDS[kind] else f"{kind}:"
        raise NotationError(f"a {kind} line begins with {form!r}", number, 1)
    with _placed(number, 1):
        index = parse_number(words[1]) if _KINDS[kind] else 0
    if index < 0:
        raise NotationError(f"{index} is no {kind}", number, 1)
    return _Line(number, kind, index, rest, len(head) + 2)


def _parse_header(text: str, number: int) -> _Replay:
    """Returns the game of the first line, with its first round dealt."""
    with _placed(number, 1):
        rest, column = split_header(text, HEADER, "a game log")
        found = parse_fields(rest, (*OPTIONS, "seed"), column) if rest else {}
        if "seed" not in found:
            raise NotationError("the seed is missing", column=len(text) + 1)
        config = parse_config(found)
    value, column = found["seed"]
    with _placed(number, column):
        return _Replay(config, parse_number(value))


def _text_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines that are neither empty nor comments, with their numbers."""
    if len(text) > MAX_TEXT:
        raise NotationError(f"a log has at most {MAX_TEXT} characters", line=1)
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):
        if len(line) > MAX_LINE:
            raise NotationError(
                f"a line has at most {MAX_LINE} characters", number, MAX_LINE + 1
            )
        if line.strip() and not line.startswith("#"):
            yield number, line.rstrip()


def _check(text: str) -> _Replay:
    """Returns a log that was played to its end, or raises an error; see `GameLog`."""
    if not isinstance(text, str):
        raise NotationError(f"a game log is a text, not {type(text).__name__}")
    lines = _text_lines(text)
    number, first = next(lines, (1, ""))
    replay = _parse_header(first, number)
    for number, line in lines:
        replay.read(_parse_line(line, number))
    if replay.stage != "end":
        raise NotationError(f"the log breaks off; {replay.expected()}", number + 1, 1)
    return replay


# The command.

_DESCRIPTION: Final = """\
Checks logs of games: plays each action by action, and says at which line, column and
action the game first goes otherwise: an action that is not legal (and what would have
been), another player to move, another deal, score or end."""

_EPILOG: Final = """\
A log is what GameLog.to_text() of rummy_env.replay writes:

  rummy-game1; num_players=2; hand_size=4; num_ranks=3; target_score=20; seed=513
  round 0: dealer=1
  hand 0: Ac 3h 3s *
  hand 1: 3c Ad Ah 2h
  stock: As 2d 3d 2c 2s
  player 0: draw, lay As, joker 2s, lay 3s, end
  player 1: draw, draw, lay 2h, lay 3c, lay Ad, lay 3d, lay 2d, lay Ah
  result: reason=out; by=1; points=4 0; round_scores=0 29; winners=1; scores=0 29
  final: totals=0 129; winners=1

status: 0 if every game goes as its log says, 1 if one goes otherwise, 2 if one is no
log or cannot be read."""


def _read(path: str) -> str:
    """Returns the text of a file, or of the standard input for `-`.

    Raises:
        NotationError: It is too long, or not UTF-8.
        OSError: It cannot be read.
    """
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
        data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise NotationError(f"a log has at most {MAX_TEXT} bytes", line=1)
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise NotationError("the text is not UTF-8", line, column) from None


def _summary(replay: _Replay) -> str:
    """Returns in words what a log held."""
    state, actions = replay.state, len(replay.log.actions)
    outcome = state.outcome()
    ended = state.round_index + (outcome is not None)
    if outcome is None or not outcome["game_over"]:
        end = "unfinished"
    elif outcome["truncated"]:
        end = "truncated"
    else:
        winners = " and ".join(f"player {p}" for p in outcome["game_winners"])
        end = f"won by {winners} with {max(outcome['totals'])}"
    return f"as written: {actions} actions, rounds ended: {ended}, {end}"


def _check_file(path: str) -> int:
    """Checks one log, prints the result, and returns the status."""
    try:
        print(f"{path}: {_summary(_check(_read(path)))}")
        return 0
    except ReplayError as error:
        problem, status = f"differs at {error}", 1
    except NotationError as error:
        problem, status = f"is no log: {error}", 2
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
        problem, status = f"cannot be read: {error}", 2
    line = f"{path}: {problem}".encode("ascii", "backslashreplace").decode()
    print(line, file=sys.stdout if status == 1 else sys.stderr)
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m rummy_env.replay",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="a log; - is the standard input"
    )
    chosen = parser.parse_args(arguments)
    return max(_check_file(path) for path in chosen.files)


if __name__ == "__main__":
    sys.exit(main())
