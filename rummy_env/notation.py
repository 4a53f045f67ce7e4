"""Text forms: a position on one line, and the fields that other texts share.

A position is `key=value` fields parted by semicolons, all of it readable::

    rummy1; num_players=2; table=5c 6c *7c; hands=7c 8c * / 2d Ks; draws=1; ...

Options that have their default value and fields that are zero are left out; the stock
begins with the next card. What is parsed is checked as a whole: a text gives a sound
position or an error that says where it went wrong.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import (
    JOKER,
    NUM_CARD_TYPES,
    card_name,
    format_hand,
    format_meld,
    parse_hand,
    parse_meld,
)
from rummy_env.config import RuleConfig
from rummy_env.errors import (
    ConfigError,
    NotationError,
    PositionError,
    RummyError,
    nearest,
)
from rummy_env.kernel import calls
from rummy_env.kernel.calls import new_workspaces
from rummy_env.kernel.deal import NO_CARD
from rummy_env.kernel.turn import NO_LAP, NOBODY, NOT_PENDING
from rummy_env.record import new_states, problems

HEADER: Final = "rummy1"
MAX_TEXT: Final = 20_000
"""The longest position looked at."""

# Fields of whole numbers, with the value that is left out.
_NUMBERS: Final = {
    "seed": 0,
    "round": 0,
    "dealer": 0,
    "to_move": 0,
    "draws": 0,
    "num_laid": 0,
    "lap_left": NO_LAP,
    "ended": 0,
    "by": NOBODY,
    "winners": 0,
    "game_over": 0,
    "game_winners": 0,
}
# Fields with a whole number for each player.
_LISTS: Final = (
    "scores",
    "rounds_won",
    "turns_since_meld",
    "last_draws",
    "last_laid",
    "points",
    "round_scores",
    "totals",
)
_CARDS: Final = ("table", "laid", "locked", "hands", "aside", "stock", "pending")
OPTIONS: Final = tuple(field.name for field in dataclasses.fields(RuleConfig))
"""The names of all rule options."""
_KEYS: Final = (*OPTIONS, *_NUMBERS, *_LISTS, *_CARDS)


def _format_table(real: NDArray[Any], named: NDArray[Any]) -> str:
    """Returns real cards and named jokers as one text."""
    cards = [(card, False) for card in range(JOKER) for _ in range(int(real[card]))]
    cards += [(card, True) for card in range(JOKER) for _ in range(int(named[card]))]
    return format_meld(sorted(cards))


def format_config(config: RuleConfig) -> list[str]:
    """Returns the options as fields, those at their default values left out."""
    default = RuleConfig(num_players=config.num_players)
    return [
        f"{name}={value}"
        for name, value in config.options().items()
        if name == "num_players" or value != getattr(default, name)
    ]


def format_state(states: NDArray[Any], config: RuleConfig) -> str:
    """Returns a game, in the middle of a turn too, as one line of text.

    Args:
        states: The game, `[1]`.
        config: Its options.
    """
    state, count = states[0], config.num_players
    fields = [HEADER, *format_config(config)]
    nothing = np.zeros(JOKER, dtype=np.int8)
    stock = state["stock"][: int(state["stock_left"])][::-1]
    pending = int(state["pending"])
    if pending != NOT_PENDING and pending not in range(NUM_CARD_TYPES):
        raise PositionError(f"the joker that waits was no card: {pending}")
    cards = {
        "table": _format_table(state["table"], state["named"]),
        "hands": " / ".join(format_hand(hand) for hand in state["hands"][:count]),
        "laid": _format_table(state["laid"], nothing),
        "locked": _format_table(nothing, state["locked"]),
        "pending": "" if pending == NOT_PENDING else card_name(pending),
        "aside": format_hand(state["aside"]),
        "stock": " ".join(card_name(int(card)) for card in stock),
    }
    fields += [f"{name}={text}" for name, text in cards.items() if text]
    for name, left_out in _NUMBERS.items():
        if state[name] != left_out:
            fields.append(f"{name}={state[name]}")
    for name in _LISTS:
        if state[name].any():
            numbers = " ".join(str(number) for number in state[name][:count])
            fields.append(f"{name}={numbers}")
    return "; ".join(fields)


def parse_fields(
    text: str, keys: Iterable[str], column: int
) -> dict[str, tuple[str, int]]:
    """Returns the fields of a text such as `"draws=1; seed=3"`, their keys checked.

    Args:
        text: Fields parted by semicolons.
        keys: The keys that there are.
        column: The column that the text begins at.

    Returns:
        The value of each key, and the column of its field.

    Raises:
        NotationError: A part is no field, or a key is unknown or given twice.
    """
    known = tuple(keys)
    found: dict[str, tuple[str, int]] = {}
    for part in text.split(";"):
        at = column + len(part) - len(part.lstrip())
        column += len(part) + 1
        key, equals, value = part.strip().partition("=")
        if key not in known or not equals:
            hint = nearest(key[:40], known) if key else "a field is key=value"
            raise NotationError(f"no field {part.strip()[:40]!r}; {hint}", column=at)
        if key in found:
            raise NotationError(f"{key} is given twice", column=at)
        found[key] = (value.strip(), at)
    return found


def split_header(text: str, header: str, what: str) -> tuple[str, int]:
    """Returns what follows the first word of a text, and the column it begins at.

    Args:
        text: Fields parted by semicolons, the first of which is the header.
        header: The header.
        what: What begins with it, for the error.

    Raises:
        NotationError: The text begins otherwise.
    """
    first, _, rest = text.partition(";")
    if first.strip() != header:
        at = 1 + len(first) - len(first.lstrip())
        raise NotationError(f"{what} begins with {header!r}", column=at)
    return rest, len(first) + 2


def _split(text: str) -> dict[str, tuple[str, int]]:
    """Returns the fields of a position, each with its column, keys checked."""
    if not isinstance(text, str):
        raise NotationError(f"a position is a text, not {type(text).__name__}")
    if len(text) > MAX_TEXT:
        raise NotationError(f"over {MAX_TEXT} characters", column=MAX_TEXT + 1)
    rest, column = split_header(text, HEADER, "a position")
    return parse_fields(rest, _KEYS, column) if column <= len(text) + 1 else {}


def parse_number(text: str) -> int:
    """Returns a whole number of at most 19 digits."""
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 19:
        raise NotationError(f"{text[:30]!r} is no whole number")
    number = int(text)
    if number > np.iinfo(np.int64).max:
        raise NotationError(f"{text[:30]} is too large")
    return number


def _parse_option(name: str, text: str) -> Any:
    """Returns the value of a rule option."""
    if name == "round_bonus_to":
        return text
    if text in ("True", "False"):
        return text == "True"
    return parse_number(text)


def _put_number(states: NDArray[Any], name: str, number: int) -> None:
    """Writes a number into a field, or says that it does not fit."""
    limits = np.iinfo(states.dtype[name].base)
    if not limits.min <= number <= limits.max:
        raise NotationError(f"{number} does not fit {name}")
    states[0][name] = number


def _put_list(states: NDArray[Any], name: str, text: str, count: int) -> None:
    """Writes numbers, one for each player."""
    numbers = [parse_number(word) for word in text.split()]
    if len(numbers) != count:
        raise NotationError(f"{name} takes {count} numbers, not {len(numbers)}")
    limits = np.iinfo(states.dtype[name].base)
    for player, number in enumerate(numbers):
        if not 0 <= number <= limits.max:
            raise NotationError(f"{number} does not fit {name}")
        states[0][name][player] = number


def _count(cards: list[int], into: NDArray[Any]) -> None:
    """Counts cards into an array."""
    if len(cards) > 127:
        raise NotationError("more cards than there are")
    for card in cards:
        into[card] += 1


def _real_cards(name: str, text: str) -> list[int]:
    """Returns cards of which none is a joker."""
    cards = parse_hand(text)
    if JOKER in cards:
        raise NotationError(f"{name} holds no unnamed joker")
    return cards


def _put_cards(states: NDArray[Any], name: str, text: str, count: int) -> None:
    """Writes a field of cards."""
    state = states[0]
    if name == "hands":
        hands = text.split("/")
        if len(hands) != count:
            raise NotationError(f"{count} hands parted by '/', not {len(hands)}")
        for player, hand in enumerate(hands):
            _count(parse_hand(hand), state["hands"][player])
    elif name == "stock":
        cards = parse_hand(text)[::-1]
        if len(cards) > len(state["stock"]):
            raise NotationError("more cards than there are")
        state["stock"][: len(cards)] = cards
        state["stock_left"] = len(cards)
    elif name == "pending":
        cards = _real_cards(name, text)
        if len(cards) != 1:
            raise NotationError("one joker waits, under its old name")
        state["pending"] = cards[0]
    elif name == "aside":
        _count(parse_hand(text), state["aside"])
    elif name == "laid":
        _count(_real_cards(name, text), state["laid"])
    else:
        melds = parse_meld(text)
        _count([card for card, is_joker in melds if is_joker], _names(state, name))
        real = [card for card, is_joker in melds if not is_joker]
        if JOKER in real or (real and name == "locked"):
            raise NotationError(f"{name} holds named jokers, as '*7c'")
        _count(real, state["table"])


def _names(state: Any, name: str) -> NDArray[Any]:
    """Returns where a field of named jokers is counted."""
    names: NDArray[Any] = state["locked" if name == "locked" else "named"]
    return names


def parse_config(found: dict[str, tuple[str, int]]) -> RuleConfig:
    """Returns the configuration of the options among the fields of a text.

    Args:
        found: What `parse_fields` returned; fields that are no options are passed over.

    Raises:
        NotationError: An option has a wrong value; says at which column.
    """
    options = {}
    column = 1
    try:
        for name in OPTIONS:
            if name in found:
                value, column = found[name]
                options[name] = _parse_option(name, value)
        return RuleConfig.from_options(**options)
    except NotationError as error:
        raise NotationError(str(error), column=column) from None
    except ConfigError as error:
        name = str(error).split()[0]
        raise NotationError(str(error), column=found.get(name, ("", 1))[1]) from None


def parse_state(text: str) -> tuple[NDArray[Any], RuleConfig]:
    """Returns the game that a line of text describes, and its options.

    Raises:
        NotationError: The text is no position; says at which column and why.
    """
    found = _split(text)
    config = parse_config(found)
    states = new_states()
    states["stock"], states["pending"] = NO_CARD, NOT_PENDING
    states["lap_left"], states["by"] = NO_LAP, NOBODY
    for name, (value, column) in found.items():
        try:
            _put_field(states, name, value, config.num_players)
        except RummyError as error:
            raise NotationError(str(error), column=column) from None
    _finish(states, config)
    return states, config


def _put_field(states: NDArray[Any], name: str, value: str, count: int) -> None:
    """Writes a field of a position; options are passed over."""
    if name in _NUMBERS:
        _put_number(states, name, parse_number(value))
    elif name in _LISTS:
        _put_list(states, name, value, count)
    elif name in _CARDS:
        _put_cards(states, name, value, count)


def _finish(states: NDArray[Any], config: RuleConfig) -> None:
    """Works out whether the table is legal, and refuses what cannot be."""
    works, state = new_workspaces(packs=config.num_packs), states[0]
    if state["seed"] < 0:
        raise NotationError("a seed is not negative", column=1)
    works[0]["table"], works[0]["named"] = state["table"], state["named"]
    works[0]["num_ranks"] = config.num_ranks
    packs = config.num_packs
    if (state["table"].astype(int) > packs).any() or state["named"].sum() > packs:
        copies = "one copy" if packs == 1 else "two copies"
        raise NotationError(f"a table has {copies} of a card at most", column=1)
    is_legal = calls.is_table_legal(works) and state["pending"] == NOT_PENDING
    state["table_legal"] = is_legal
    wrong = problems(states, config)
    if wrong:
        raise NotationError("no such position: " + "; ".join(wrong[:3]), column=1)
