"""Says that kernels are being compiled, where that takes long."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, Final

from numba.core import event

_PATIENCE_S: Final = 2.0
"""How long compiling may take in silence."""
_PAUSE_S: Final = 5.0
"""After so long without compiling it is worth another notice."""


class SlowCompileNotice(event.Listener):  # type: ignore[misc]
    """Listens to the compiler and speaks on stderr once it has taken long.

    Many kernels are compiled one after the other: they count together. After a pause,
    such as before the first question to the solver, there is a notice of its own.

    Attributes:
        depth: How many kernels are being compiled, one calling the other.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._timer: threading.Timer | None = None
        self._is_said = False
        self._spent = 0.0
        self._started = 0.0
        self._ended = 0.0

    def _say(self) -> None:
        self._is_said = True
        print(
            "rummy_env: compiling a part of the game engine, once for this version "
            "(half a minute or so)...",
            file=sys.stderr,
            flush=True,
        )

    @staticmethod
    def _is_ours(what: Any) -> bool:
        function = what.data["dispatcher"].py_func
        return str(function.__module__).startswith("rummy_env.")

    def on_start(self, event: Any) -> None:
        """Starts the clock when an outermost kernel begins to compile."""
        if not self._is_ours(event):
            return
        self.depth += 1
        if self.depth > 1:
            return
        self._started = time.monotonic()
        if self._started - self._ended > _PAUSE_S:
            self._is_said, self._spent = False, 0.0
        if not self._is_said:
            left = max(0.0, _PATIENCE_S - self._spent)
            self._timer = threading.Timer(left, self._say)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Stops the clock when an outermost kernel is compiled."""
        if not self._is_ours(event):
            return
        self.depth -= 1
        if self.depth > 0:
            return
        self._ended = time.monotonic()
        self._spent += self._ended - self._started
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
