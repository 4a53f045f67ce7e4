"""Texts that were cut, edited or made up: what reads texts is given them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

from rummy_env import NotationError

Parsed = TypeVar("Parsed")

GARBAGE = [
    "\0",
    "\0" * 15_000,
    "\ufeff",
    "\u0663",
    "\U0001f0cf" * 3,
    "9" * 15_000,
    "-" * 300,
    "1" + "0" * 30,
    "9223372036854775808",
    "\u00b2",
    "7c " * 5_000,
    ";" * 5_000,
    "=" * 5_000,
    "num_players=" * 1_000,
    "x" * 5_000_000,
    "\udcff",
    "\x1b[2J",
    "".join(map(chr, range(1, 256))),
    random.Random(0).randbytes(3_000).decode("latin-1"),
    random.Random(1).randbytes(3_000).decode("utf-8", "surrogateescape"),
]
"""Texts that mean nothing: binary, very long, huge numbers, digits of other scripts."""

_CHARACTERS = "0123456789-;:,=/* cdhsAKT\n\0\t\u0663\u00b2\U0001f0cfn"
_NUMBERS = ["-1", "7", "127", "128", "99999", str(2**31 - 1), str(2**63), ""]
_FIELDS = ["ended", "by", "winners", "game_over", "pending", "lap_left", "num_laid"]


def edited(text: str, rng: random.Random) -> str:
    """Returns a text with a small change: malformed most often, not always."""
    kind = rng.randrange(7)
    at = rng.randrange(len(text))
    if kind == 0:
        return text[:at]
    if kind == 1:
        return text[:at] + text[at + rng.randint(1, 3) :]
    if kind == 2:
        return text[:at] + rng.choice(_CHARACTERS) + text[at + rng.randrange(2) :]
    separator = "; " if ", " not in text else rng.choice(["\n", "; ", ", "])
    return separator.join(_edited_parts(text.split(separator), kind, rng))


def _edited_parts(parts: list[str], kind: int, rng: random.Random) -> list[str]:
    """Exchanges, deletes, alters or adds one part of a text."""
    at = rng.randrange(len(parts))
    if kind == 3:
        other = rng.randrange(len(parts))
        parts[at], parts[other] = parts[other], parts[at]
    elif kind == 4:
        del parts[at]
    elif kind == 5:
        key = parts[at].partition("=")[0]
        parts[at] = f"{key}={rng.choice(_NUMBERS)}"
    else:
        value = rng.choice(["0", "1", "2", "-1", "100", "7c", "3"])
        parts.insert(at + 1, f"{rng.choice(_FIELDS)}={value}")
    return parts


def accepted(parse: Callable[[str], Parsed], text: str, *places: str) -> Parsed | None:
    """Returns what a text says, or None where it is refused.

    A refusal says where, by all these attributes, and is short.
    """
    refusals: list[NotationError] = []
    try:
        return parse(text)
    except NotationError as error:
        refusals.append(error)
    for error in refusals:
        assert all(getattr(error, place) for place in places), (text[:400], error)
        assert len(str(error)) < 2_000, text[:400]
    return None
