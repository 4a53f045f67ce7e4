"""`make fuzz`: it counts, it stops when told to, and it says what it found."""

from __future__ import annotations

from pathlib import Path

import pytest

from rummy_env import solver
from tests import fuzz
from tests.oracles import Seen

ONLY = ["--only", "large tables", "--seed", "3"]


def test_it_counts_what_it_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "fuzz.md"
    code = fuzz.main([*ONLY, "--minutes", "0.02", "--out", str(out)])
    text = out.read_text(encoding="utf-8")
    assert code == 0
    assert text in capsys.readouterr().out
    assert "| large tables |" in text
    assert "0 disagreements" in text


def test_a_disagreement_is_written_and_makes_it_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine takes every table for legal; the smallest one found is told."""
    monkeypatch.setattr(solver, "arrange", lambda table, **given: ["7c 8c 9c"])
    out = tmp_path / "fuzz.md"
    monkeypatch.setattr(fuzz, "MOST_FOUND", 1)
    assert fuzz.main(["--only", "large tables", "--minutes", "1", "--out", str(out)])
    text = out.read_text(encoding="utf-8")
    assert "Disagreement with large tables" in text
    assert "solver.arrange(table=" in text


def test_ctrl_c_ends_it_with_a_summary(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = iter(range(100))

    def interrupted(example: object, seen: Seen) -> None:
        seen["positions"] += 1
        if next(calls) == 5:
            raise KeyboardInterrupt

    oracle = fuzz.ORACLES[1]
    broken = fuzz.Oracle(oracle.name, oracle.examples, interrupted)
    monkeypatch.setattr(fuzz, "ORACLES", [broken])
    assert fuzz.main(["--minutes", "1", "--seed", "3"]) == 0
    assert "| large tables | 6 | 6 |" in capsys.readouterr().out
