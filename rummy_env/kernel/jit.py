"""The only door to Numba: the decorator, the cache and two wrapping operations.

Numba's own on-disk cache looks at the file of the function it stores, not at the
files of the functions that one calls, and does not notice a changed bounds-check
setting. So the cache lives in a folder named after a digest of every source the
kernels read and of that setting: a change anywhere starts an empty folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
import numpy as np
from numba.core import event
from numba.core.types.misc import unliteral

Function = TypeVar("Function", bound=Callable[..., Any])

IS_COMPILED: Final = not numba.config.DISABLE_JIT
_KERNEL_FOLDER: Final = Path(__file__).parent
_WORD: Final = (1 << 64) - 1
_PATIENCE_S: Final = 2.0


def source_digest() -> str:
    """Returns a digest of every source the kernels are compiled from."""
    digest = hashlib.sha256()
    words = [_KERNEL_FOLDER.parent / f"{n}.py" for n in ("actions", "cards", "config")]
    for path in sorted(_KERNEL_FOLDER.glob("*.py")) + words:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    return digest.hexdigest()[:16]


def _is_writable(folder: Path) -> bool:
    """Tells whether files can be made in a folder, making it where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_folder() -> Path | None:
    """Returns where compiled kernels are kept, or None where nothing is writable.

    `NUMBA_CACHE_DIR` comes first, then the package's own `__pycache__`, then the
    user's cache folder.
    """
    name = f"rummy_env-{source_digest()}"
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    places = [_KERNEL_FOLDER / "__pycache__", user / "rummy_env"]
    if numba.config.CACHE_DIR:
        places.insert(0, Path(numba.config.CACHE_DIR))
    for place in places:
        if _is_writable(place / name):
            return place / name
    return None


class _SlowCompileNotice(event.Listener):  # type: ignore[misc]
    """Says on stderr that kernels are being compiled, once it takes long.

    Attributes:
        depth: How many kernels are being compiled, one calling the other.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._timer: threading.Timer | None = None
        self._is_said = False

    def _say(self) -> None:
        self._is_said = True
        print(
            "rummy_env: compiling the game engine, once for this version "
            "(a minute or two)...",
            file=sys.stderr,
            flush=True,
        )

    @staticmethod
    def _is_ours(what: Any) -> bool:
        function = what.data["dispatcher"].py_func
        return str(function.__module__).startswith("rummy_env.")

    def on_start(self, event: Any) -> None:
        """Starts the clock when the outermost kernel begins to compile."""
        if not self._is_ours(event):
            return
        self.depth += 1
        if self.depth == 1 and not self._is_said:
            self._timer = threading.Timer(_PATIENCE_S, self._say)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Stops the clock when the outermost kernel is compiled."""
        if not self._is_ours(event):
            return
        self.depth -= 1
        if self.depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None


_CACHE_FOLDER: Final = cache_folder() if IS_COMPILED else None
if IS_COMPILED:
    event.register("numba:compile", _SlowCompileNotice())


def _widen_literals(dispatcher: Any) -> None:
    """Makes calls with a constant use the code for any number of its type.

    Numba would compile a function anew for every constant that it is called with.
    """
    original = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        wide = {name: unliteral(kind) for name, kind in kws.items()}
        return original([unliteral(kind) for kind in args], wide)

    dispatcher.get_call_template = get_call_template


def _compile(function: Any, **options: Any) -> Any:
    """Returns a function compiled without the interpreter lock, and cached."""
    compiled = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if not IS_COMPILED:
        return compiled
    _widen_literals(compiled)
    if _CACHE_FOLDER is not None:
        previous = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(_CACHE_FOLDER)
        try:
            compiled.enable_caching()
        finally:
            numba.config.CACHE_DIR = previous
    return compiled


def kernel(function: Function) -> Function:
    """Compiles a function that other compiled functions call.

    It cannot be called from Python: without that way in, it takes much less time to
    compile. Under `NUMBA_DISABLE_JIT=1` it returns the function as it is.
    """
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return _compile(function, **options)


def entry(function: Function) -> Function:
    """Compiles a function that Python calls, too; see `kernel`."""
    return _compile(function)


if IS_COMPILED:

    @kernel
    def multiply(left: Any, right: Any) -> Any:
        """Returns the product of two uint64, modulo 2**64."""
        return left * right

    @kernel
    def add(left: Any, right: Any) -> Any:
        """Returns the sum of two uint64, modulo 2**64."""
        return left + right

else:

    def multiply(left: Any, right: Any) -> Any:
        """Returns the product of two uint64, modulo 2**64."""
        return np.uint64((int(left) * int(right)) & _WORD)

    def add(left: Any, right: Any) -> Any:
        """Returns the sum of two uint64, modulo 2**64."""
        return np.uint64((int(left) + int(right)) & _WORD)
