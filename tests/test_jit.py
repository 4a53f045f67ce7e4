"""The kernels say the same compiled, checked for bounds, and as plain Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rummy_env.kernel import jit
from tests.kernel_run import all_lines

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "rummy_env"
WORDS = ("actions", "cards", "config")


def run(*arguments: str, **settings: str) -> list[str]:
    """Runs Python in a process of its own; returns the lines that it prints."""
    environment = os.environ | settings
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=ROOT,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_kernels_run_as_plain_python_and_say_the_same() -> None:
    first, *lines = run("-m", "tests.kernel_run", NUMBA_DISABLE_JIT="1")
    assert first.startswith("compiled False")
    assert lines == all_lines()


@pytest.mark.slow
def test_kernels_stay_within_their_arrays_and_say_the_same() -> None:
    first, *lines = run("-m", "tests.kernel_run", NUMBA_BOUNDSCHECK="1")
    assert first.startswith("compiled True")
    # its kernels lie in a folder of their own, or the unchecked ones would be found
    assert first.split()[-1] != jit.source_digest()
    assert lines == all_lines()


def test_the_check_of_bounds_does_check() -> None:
    code = (
        "import numpy as np\n"
        "from rummy_env.kernel.scoring import hand_points\n"
        "try:\n"
        "    hand_points(np.zeros(3, dtype=np.int8))\n"
        "except IndexError:\n"
        "    print('checked')\n"
    )
    assert run("-c", code, NUMBA_BOUNDSCHECK="1") == ["checked"]


def copied_package(into: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies the package's sources and has the digest look at the copy."""
    copy = into / "rummy_env"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "_KERNEL_FOLDER", copy / "kernel")
    return copy


def test_the_digest_follows_every_source_that_kernels_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = jit.source_digest()
    copy = copied_package(tmp_path, monkeypatch)
    assert jit.source_digest() == digest
    kernels = sorted((copy / "kernel").glob("*.py"))
    assert len(kernels) > 10
    seen = {digest}
    for path in [*kernels, *(copy / f"{word}.py" for word in WORDS)]:
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        seen.add(jit.source_digest())
        path.write_bytes(before)
    assert len(seen) == 1 + len(kernels) + len(WORDS)
    assert jit.source_digest() == digest
    (copy / "kernel" / "another.py").write_text("")
    assert jit.source_digest() not in seen


def test_kernels_read_no_other_source() -> None:
    floor = {"rummy_env.config", "rummy_env.cards", "rummy_env.actions"}
    code = (
        "import sys, types, pathlib\n"
        "package = types.ModuleType('rummy_env')\n"
        f"package.__path__ = [{str(PACKAGE)!r}]\n"
        "sys.modules['rummy_env'] = package\n"
        "import rummy_env.kernel.batch, rummy_env.kernel.calls\n"
        "print(*(name for name in sys.modules if name.startswith('rummy_env.')))\n"
    )
    loaded = set(" ".join(run("-c", code)).split())
    others = {name for name in loaded if not name.startswith("rummy_env.kernel")}
    # errors holds no number that a kernel could have compiled into it
    assert others == floor | {"rummy_env.errors"}


def test_importing_the_game_loads_neither_torch_nor_pygame() -> None:
    code = (
        "import sys, rummy_env\n"
        "from rummy_env import manipulation_rummy_v0\n"
        "print(*sys.modules)"
    )
    loaded = set(" ".join(run("-c", code)).split())
    assert "rummy_env.env" in loaded
    assert not loaded & {"torch", "pygame", "agents", "matplotlib"}


def test_importing_the_game_compiles_and_prints_nothing() -> None:
    code = (
        "import rummy_env\n"
        "from rummy_env.kernel import calls\n"
        "print(len(calls.play.signatures))"
    )
    assert run("-c", code) == ["0"]
