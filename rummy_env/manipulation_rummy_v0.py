"""The versioned name: `from rummy_env import manipulation_rummy_v0`.

The number goes up when a change makes the same seed and actions give another game,
other observations or other rewards.
"""

from __future__ import annotations

from typing import Final

import pettingzoo

from rummy_env.env import env, raw_env

__all__ = ["ENV_ID", "env", "raw_env"]

ENV_ID: Final = "rummy_env/manipulation_rummy-v0"
"""The name under which PettingZoo 1.27 and newer make it."""


def _register() -> None:
    """Registers the environment with PettingZoo, where it keeps a registry."""
    register = getattr(pettingzoo, "register", None)
    if register is None:
        return
    known = getattr(pettingzoo, "aec_registry", None) or {}
    if ENV_ID not in known:
        register("aec", ENV_ID, f"{__name__}:env")


_register()
