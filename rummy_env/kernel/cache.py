"""Where compiled kernels are kept, and how a changed source is noticed.

Numba's own on-disk cache looks at the file of the function it stores, not at the files
of the functions that one calls, and does not notice a changed bounds-check setting. So
the cache lives in a folder named after a digest of every source the kernels read and
of that setting: a change anywhere starts an empty folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

import numba

_KERNEL_FOLDER: Final = Path(__file__).parent
_PREFIX: Final = "rummy_env-"
_KEPT_DAYS: Final = 30
"""How long a folder that no process asks for is kept."""


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
    name = f"{_PREFIX}{source_digest()}"
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    places = [_KERNEL_FOLDER / "__pycache__", user / "rummy_env"]
    if numba.config.CACHE_DIR:
        places.insert(0, Path(numba.config.CACHE_DIR))
    for place in places:
        if _is_writable(place / name):
            _drop_old_folders(place / name)
            return place / name
    return None


def _drop_old_folders(current: Path) -> None:
    """Removes what other versions compiled beside a folder and have long not used."""
    with contextlib.suppress(OSError):
        os.utime(current)
        for folder in current.parent.glob(f"{_PREFIX}*"):
            age = time.time() - folder.stat().st_mtime
            if folder != current and age > _KEPT_DAYS * 86_400:
                shutil.rmtree(folder, ignore_errors=True)
