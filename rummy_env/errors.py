"""The errors this package raises, all of them subclasses of `RummyError`.

Each is also a `ValueError`, since each says that a value given by the caller
cannot be used; none leaves the object it was raised from in a changed state. Beside
them is what the checks and the messages of all floors have in common.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TypeGuard

import numpy as np

_MOST_NAMES = 30
"""How many names a hint lists."""


class RummyError(ValueError):
    """The base of every error of this package."""


class ConfigError(RummyError):
    """A rule option is unknown, has a wrong value, or does not fit the others."""


class PositionError(RummyError):
    """A position cannot exist: too many copies, an illegal table, an empty hand."""


class IllegalActionError(RummyError):
    """An action is not legal now; the message names the phase and the legal ones."""


class NotationError(RummyError):
    """A text is not a card, a position or an action.

    Args:
        message: What is wrong.
        line: The line the error is on, from 1, or None where there is one line only.
        column: The column the error is at, from 1, or None.

    Attributes:
        reason: The message without the place.
        line: As given.
        column: As given.
    """

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None
    ) -> None:
        where = [
            f"{name} {number}"
            for name, number in (("line", line), ("column", column))
            if number is not None
        ]
        super().__init__(f"{', '.join(where)}: {message}" if where else message)
        self.reason = message
        self.line = line
        self.column = column


class ReplayError(NotationError):
    """A game log is well written, but the game does not go as it says."""


_WHOLE = (int, np.integer)


def is_whole(value: object) -> TypeGuard[int]:
    """Tells whether a value is a whole number, of Python or NumPy; no truth value is.

    Arrays without axes are none here: only actions are taken in that form.
    """
    return isinstance(value, _WHOLE) and not isinstance(value, bool)


def nearest(name: str, names: Iterable[str]) -> str:
    """Returns a hint naming what may have been meant, or what there is.

    Args:
        name: What was given.
        names: What would have been accepted.

    Returns:
        A sentence for the end of an error message.
    """
    names = list(names)
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    more = f", ... {len(names)} in all" if len(names) > _MOST_NAMES else ""
    return f"known: {', '.join(names[:_MOST_NAMES])}{more}"
