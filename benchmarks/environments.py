"""Environments for the peers, and runners as processes.

A peer that cannot be installed or fails is no error here: it is a reason, in words.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.catalogue import ROOT, Runner
from benchmarks.peers.protocol import Output

INSTALL_SECONDS: Final = 1200.0
ONE_THREAD: Final = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)
"""Set to 1: the threads of a linear algebra library would make cores compete."""


class NotMeasured(Exception):
    """Why something was not measured, in one line."""


def last_line(text: str) -> str:
    """Returns the last line that is not blank, shortened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"


def prepare(runner: Runner, folder: Path) -> Path:
    """Returns the interpreter of a runner, its environment made if need be.

    The stamp is written last and holds the versions, so an installation that was
    interrupted, and one of other versions, are done again.

    Args:
        runner: Whose environment it is.
        folder: Where environments are kept.

    Raises:
        NotMeasured: It cannot be made.
    """
    if not runner.has_environment:
        return Path(sys.executable)
    place = folder / runner.name
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = f"{sys.version}\n{runner.requirements.read_text(encoding='utf-8')}"
    stamp = place / ".installed"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    _call([sys.executable, "-m", "venv", "--clear", str(place)], "no environment")
    _call(install_words(python, runner.requirements), "it cannot be installed")
    stamp.write_text(wanted, encoding="utf-8")
    return python


def install_words(python: Path, requirements: Path) -> list[str]:
    """Returns the command that installs a file of versions.

    The files name all that is needed, so nothing else is brought along: what a peer
    asks for besides, torch among it, its games do not use.
    """
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    return [*pip, "--quiet", "--no-deps", "-r", str(requirements)]


def _call(words: Sequence[str], otherwise: str) -> None:
    """Runs a command that makes an environment."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=INSTALL_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotMeasured(f"{otherwise}: {last_line(str(error))}") from None
    if done.returncode != 0:
        raise NotMeasured(f"{otherwise}: {last_line(done.stderr)}")


def environment(runner: Runner) -> dict[str, str]:
    """Returns the variables a runner is given.

    A peer must not find the packages of this environment in its own.
    """
    variables = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    if runner.has_environment:
        variables.pop("PYTHONPATH", None)
    return variables


def measure(runner: Runner, python: Path, order: Sequence[str], limit: float) -> Output:
    """Runs a runner once.

    Args:
        runner: What to run.
        python: With which interpreter.
        order: The rest of its command line.
        limit: Seconds after which it is ended.

    Raises:
        NotMeasured: It failed, took too long or printed no figures.
    """
    words = [str(python), *runner.words, *order]
    try:
        done = subprocess.run(
            words,
            cwd=ROOT,
            env=environment(runner),
            capture_output=True,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"it took longer than {limit:.0f} s") from None
    except OSError as error:
        raise NotMeasured(f"it does not start: {error}") from None
    if done.returncode != 0:
        raise NotMeasured(f"it failed: {last_line(done.stderr)}")
    return parse(done.stdout)


def parse(printed: str) -> Output:
    """Returns what a runner printed; a peer may have printed lines before.

    Raises:
        NotMeasured: The last line holds no figures.
    """
    try:
        output: Any = json.loads(last_full_line(printed))
    except ValueError:
        raise NotMeasured(f"it printed no figures: {last_line(printed)}") from None
    if not isinstance(output, dict) or set(output) != set(Output.__annotations__):
        raise NotMeasured("it printed something else than figures")
    result: Output = output  # type: ignore[assignment]
    return result


def last_full_line(text: str) -> str:
    """Returns the last line that is not blank."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
