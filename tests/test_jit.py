"""The kernels say the same compiled, checked for bounds, and as plain Python."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher

from rummy_env.crew import Crew
from rummy_env.kernel import cache, calls, jit, notice, single
from rummy_env.kernel.workspace import WORKSPACE
from tests.kernel_run import WIDE, all_lines

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "rummy_env"
WORDS = ("actions", "cards", "config")
LONG = ("play-2", "play-5", WIDE)
"""What takes plain Python four times as long as all the rest, or longer."""


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
    first, *lines = run("-m", "tests.kernel_run", *LONG, NUMBA_DISABLE_JIT="1")
    assert first.startswith("compiled False")
    assert lines == all_lines(LONG)


@pytest.mark.slow
def test_kernels_stay_within_their_arrays_and_say_the_same() -> None:
    first, *lines = run("-m", "tests.kernel_run", NUMBA_BOUNDSCHECK="1")
    assert first.startswith("compiled True")
    # its kernels lie in a folder of their own, or the unchecked ones would be found
    assert first.split()[-1] != cache.source_digest()
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
    monkeypatch.setattr(cache, "_KERNEL_FOLDER", copy / "kernel")
    return copy


def test_the_digest_follows_every_source_that_kernels_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = cache.source_digest()
    copy = copied_package(tmp_path, monkeypatch)
    assert cache.source_digest() == digest
    kernels = sorted((copy / "kernel").glob("*.py"))
    assert len(kernels) > 10
    seen = {digest}
    for path in [*kernels, *(copy / f"{word}.py" for word in WORDS)]:
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        seen.add(cache.source_digest())
        path.write_bytes(before)
    assert len(seen) == 1 + len(kernels) + len(WORDS)
    assert cache.source_digest() == digest
    (copy / "kernel" / "another.py").write_text("")
    assert cache.source_digest() not in seen


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


@jit.entry
def claim(counter: Any, claims: Any) -> None:
    """Notes each number fetched."""
    number = jit.fetch_add(counter, 1)
    while number < len(claims):
        claims[number] += 1
        number = jit.fetch_add(counter, 1)


@pytest.mark.parametrize("is_compiled", [True, False])
def test_no_two_threads_fetch_the_same_number(is_compiled: bool) -> None:
    if is_compiled:
        counter, claims = np.zeros(1, dtype=np.int64), np.zeros(3_000_000, np.int8)
        Crew(4).run(lambda _: claim(counter, claims))
        assert counter == len(claims) + 4
        assert (claims == 1).all()
    else:
        code = (
            "import sys, numpy as np\n"
            "sys.setswitchinterval(1e-6)\n"
            "from tests.test_jit import claim, Crew\n"
            "counter, claims = np.zeros(1, np.int64), np.zeros(50_000, np.int8)\n"
            "Crew(4).run(lambda _: claim(counter, claims))\n"
            "print(counter[0] - len(claims), (claims == 1).all())\n"
        )
        assert run("-c", code, NUMBA_DISABLE_JIT="1") == ["4 True"]


def test_every_outlined_function_has_an_address() -> None:
    addresses = jit.addresses(WORKSPACE, with_late=True)
    assert len(set(addresses)) == len(jit.OUTLINED)
    assert 0 not in addresses


@pytest.mark.parametrize("packs", [1, 2])
def test_what_no_game_needs_is_compiled_late(packs: int) -> None:
    addresses = calls.new_workspaces(packs=packs)[jit.ADDRESSES][0].tolist()
    late = {name for name, at in zip(jit.OUTLINED, addresses, strict=True) if at == 0}
    assert late == set(jit.OUTLINED) - jit.needed(packs, with_late=False)
    assert set(jit.LATE) <= late
    assert (set(jit.FOR_ONE_PACK) <= late) == (packs == 2)
    assert not late & set(jit.FOR_ALL)


def test_a_workspace_without_addresses_is_refused() -> None:
    works = np.zeros(1, dtype=WORKSPACE)
    with pytest.raises(RuntimeError, match="new_workspaces"):
        calls.answer(works)


def test_what_other_versions_compiled_is_dropped_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    old, recent, foreign = (
        tmp_path / "rummy_env-1",
        tmp_path / "rummy_env-2",
        tmp_path / "a",
    )
    for folder in (old, recent, foreign):
        folder.mkdir()
        (folder / "code.nbi").write_text("")
    for folder in (old, foreign):
        os.utime(folder, (0, 0))
    current = cache.cache_folder()
    assert current is not None
    assert current.parent == tmp_path
    assert set(tmp_path.iterdir()) == {recent, foreign, current}


class Compiled(NamedTuple):
    """What the compiler tells of a function that it begins or ends with."""

    data: dict[str, Any]


def kernel_event(module: str) -> Compiled:
    function = SimpleNamespace(__module__=module)
    return Compiled({"dispatcher": SimpleNamespace(py_func=function)})


def test_long_compiling_is_said_once_a_stretch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(notice, "_PATIENCE_S", 0.2)
    monkeypatch.setattr(notice, "_PAUSE_S", 0.4)
    listener, ours = notice.SlowCompileNotice(), kernel_event("rummy_env.kernel.turn")
    for is_slow in (False, True, True, False):
        for _ in range(6 if is_slow else 2):  # none of them slow by itself
            listener.on_start(ours)
            time.sleep(0.06)
            listener.on_end(ours)
        assert capsys.readouterr().err.count("compiling") == is_slow
        time.sleep(0.5)
    listener.on_start(kernel_event("numba.cpython.builtins"))
    time.sleep(0.3)
    assert capsys.readouterr().err == ""


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


def allocated() -> int:
    """Makes an array, which no kernel may."""
    return len(np.zeros(3))


def test_a_kernel_that_allocates_does_not_compile() -> None:
    if not jit.IS_COMPILED:
        pytest.skip("nothing is compiled")
    assert numba.njit(allocated)() == 3
    with pytest.raises(numba.core.errors.NumbaError):
        jit.entry(allocated)()


MADE_BY_ONE = """
import sys
from rummy_env.kernel.jit import entry

def make(number):
    @entry
    def give(x):
        return x + number
    return give

one, two = make(1), make(2)

@entry
def both(x):
    return 10 * one(x) + two(x)

print({"one": one, "two": two, "both": both}[sys.argv[1]](0))
"""


def test_functions_made_by_one_function_are_told_apart_across_processes(
    tmp_path: Path,
) -> None:
    """Each is the first that its process compiles, so they are counted alike."""
    script, settings = tmp_path / "made.py", {"NUMBA_CACHE_DIR": str(tmp_path)}
    script.write_text(MADE_BY_ONE)
    settings["PYTHONPATH"] = str(ROOT)
    assert run(str(script), "one", **settings) == ["1"]
    assert run(str(script), "two", **settings) == ["2"]
    assert run(str(script), "both", **settings) == ["12"]


@jit.entry
def double(values: Any) -> Any:
    """Is never called: what is looked at is how its files are named."""
    return values[0] * 2


def test_files_of_two_processes_that_write_at_once_are_not_mistaken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One writes its index after the other has, and its code before."""
    file = double._cache._cache_file  # type: ignore[attr-defined]
    other = copy.copy(file)
    monkeypatch.setattr(jit, "_PROCESS", "another")
    other._data_name_pattern = file._data_name_pattern.split("-", 1)[1]
    jit._keep_apart(SimpleNamespace(_cache=SimpleNamespace(_cache_file=other)))
    file.flush()
    save_data = file._save_data

    def save_late(name: str, data: Any) -> None:
        save_data(name, data)
        other._save_data(other._data_name(1), "other code")

    monkeypatch.setattr(file, "_save_data", save_late)
    file.save("a key", "code")
    assert file.load("a key") == "code"
    file.flush()


def test_code_that_cannot_be_found_again_is_not_kept() -> None:
    found = {
        name: function.py_func.__qualname__
        for name, function in vars(single).items()
        if isinstance(function, CPUDispatcher)
    }
    assert len(set(found.values())) == len(found) > 20
    for function in (single._steps, single._steps_back):
        assert not isinstance(function._cache, FunctionCache)
    assert isinstance(single._spades_after._cache, FunctionCache)
