"""What a player sees: the sections of an observation and how to look at them.

An observation is one flat float32 vector of `SIZE` numbers; `SECTIONS` names every
slice, its shape and its meaning. It holds public facts and the asking player's own
hand, at any time, never another hand, the stock's order or the seed. It is no
sufficient statistic for what may be inferred from past passes: the log of the game
is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummy_env import rules
from rummy_env.config import RuleConfig
from rummy_env.errors import RummyError, is_whole, nearest
from rummy_env.kernel import calls
from rummy_env.kernel.encode import OFFSETS, SECTIONS, SIZE, Section

__all__ = ["OFFSETS", "SECTIONS", "SIZE", "Section", "encode", "table_of_docs", "view"]

_SECTION_OF = {section.name: section for section in SECTIONS}


def view(observation: Any, name: str) -> Any:
    """Returns one section of observations, in its shape, without a copy.

    Args:
        observation: `[..., SIZE]`, a NumPy array or a torch tensor.
        name: The section, as in `"hand"`.

    Returns:
        `[..., *shape]`.

    Raises:
        RummyError: There is no such section, or the last dimension is not `SIZE`.
    """
    section = _SECTION_OF.get(name) if isinstance(name, str) else None
    if section is None:
        raise RummyError(f"no section {name!r}; {nearest(str(name), _SECTION_OF)}")
    shape = getattr(observation, "shape", None)
    if not isinstance(shape, tuple) or len(shape) == 0:
        kind = type(observation).__name__
        raise RummyError(f"an observation is an array of {SIZE} numbers, not {kind}")
    if shape[-1] != SIZE:
        raise RummyError(f"an observation has {SIZE} numbers, not {shape[-1]}")
    start = OFFSETS[name]
    part = observation[..., start : start + section.size]
    return part.reshape(*observation.shape[:-1], *section.shape)


def encode(
    states: NDArray[Any], config: RuleConfig, player: int
) -> NDArray[np.float32]:
    """Returns what a player sees of a game, float32 `[SIZE]`.

    Args:
        states: The game, `[1]`.
        config: Its options.
        player: Who asks.

    Raises:
        RummyError: There is no such player, or no game or configuration is given.
    """
    rules.check_config(config)
    rules.check_states(states)
    if not is_whole(player) or not 0 <= player < config.num_players:
        raise RummyError(f"there is no player {player!r} among {config.num_players}")
    out = np.zeros(SIZE, dtype=np.float32)
    calls.encode_player(states, config.to_array(), player, out)
    return out


def table_of_docs() -> str:
    """Returns the sections as a Markdown table."""
    rows = ["| section | from | shape | meaning |", "| --- | --- | --- | --- |"]
    for section in SECTIONS:
        shape = " x ".join(str(length) for length in section.shape)
        rows.append(
            f"| `{section.name}` | {OFFSETS[section.name]} | {shape} | {section.doc} |"
        )
    return "\n".join(rows)
