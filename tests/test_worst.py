"""What the solver is asked at worst stays within bounds, and is answered rightly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rummy_env import solver
from rummy_env.cards import CARD_NAMES
from rummy_env.kernel import calls
from rummy_env.kernel.layout import new_melds

WORST = json.loads(
    (Path(__file__).parent / "cases" / "worst.json").read_text(encoding="utf-8")
)
BOUNDS = {
    ("mask", 1): 1_700,
    ("mask", 2): 870_000,
    ("best", 1): 79_000,
    ("best", 2): 3_000_000,
    ("layout", 1): 330,
    ("layout", 2): 6_400,
}
"""Nodes, or sets, stepped from: about twice the most `benchmarks/worst.py` found."""


def looks_of(case: dict[str, Any]) -> int:
    """Asks a question; returns how many nodes, or sets, were stepped from."""
    pending = case["pending"]
    works = solver.load(None, case["table"], case["hand"], pending=pending)
    assert works[0]["packs"] == case["packs"]
    works["num_looks"], works["boxes"] = 0, 0
    if case["kind"] == "mask":
        calls.answer(works)
    elif case["kind"] == "best":
        old = -1 if pending is None else CARD_NAMES.index(pending)
        assert calls.find_best(works, solver.OBJECTIVES["points"], old) >= 0
    else:
        assert calls.arrange(works, new_melds(), new_melds()) > 0
    return int(works[0]["num_looks"])


@pytest.mark.parametrize("kind", ["mask", "best", "layout"])
@pytest.mark.parametrize("packs", [1, 2])
def test_the_worst_questions_found_stay_within_bounds(kind: str, packs: int) -> None:
    looks = [
        looks_of(case)
        for case in WORST
        if (case["kind"], case["packs"]) == (kind, packs)
    ]
    assert looks
    assert max(looks) <= BOUNDS[kind, packs]
    assert max(looks) > BOUNDS[kind, packs] / 20  # or the bound says nothing
