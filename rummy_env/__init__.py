"""Manipulation Rummy (Carousel) for reinforcement learning.

A card game for two to five players with hidden hands in which, on your turn, you may
take the whole table apart and put it together again as long as you add a card. The
rules are in `RULES.md` beside this file; the environment is `manipulation_rummy_v0`,
many games at once `VectorEnv`, one game `State`, and what can be laid `solver`.
"""

from typing import Final

from rummy_env import manipulation_rummy_v0, rules, solver
from rummy_env.config import RuleConfig
from rummy_env.errors import (
    ConfigError,
    IllegalActionError,
    NotationError,
    PositionError,
    ReplayError,
    RummyError,
)
from rummy_env.state import State
from rummy_env.vector import VectorEnv

__version__: Final = "0.1.0"

__all__ = [
    "ConfigError",
    "IllegalActionError",
    "NotationError",
    "PositionError",
    "ReplayError",
    "RuleConfig",
    "RummyError",
    "State",
    "VectorEnv",
    "__version__",
    "manipulation_rummy_v0",
    "rules",
    "solver",
]
