"""A witness proves what walks prove, whatever boxes it has, and can be found again."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from rummy_env.cards import NUM_RANKS
from rummy_env.kernel import calls, memory, witness
from rummy_env.kernel.groups import NUM_BOXES
from rummy_env.kernel.jit import entry
from rummy_env.kernel.plain import is_plainly_completable
from rummy_env.kernel.plain_marks import mark_plain
from tests.reference.melds import all_melds


@entry
def is_witnessed(works: Any) -> bool:
    """Tells what the witness says."""
    return witness.is_witnessed(works[0])


@entry
def is_found(works: Any) -> bool:
    """Tells what walks say, and takes a witness from them if there is one."""
    found = is_plainly_completable(works[0]) == 1
    if found:
        witness.take_witness(works[0])
    return found


@entry
def leads_through(works: Any) -> bool:
    """Tells whether the boxes lead from one end to the other, none mended."""
    work = works[0]
    witness._begin(work)
    end = witness._follow(work)
    return end == work["num_ranks"] and witness._meets_at(work, end)


@entry
def mark(works: Any, by_walk: bool) -> None:
    """Marks what may be laid by a walk or by the witness."""
    if by_walk:
        mark_plain(works[0])
    else:
        witness.mark_witnessed(works[0])


@entry
def carry_over(works: Any, others: Any) -> None:
    """Reads the boxes of one workspace's memory and keeps them in the other's."""
    memory.recall_witness(works[0], works[0]["memory"])
    memory.remember_witness(works[0], others[0]["memory"])


def put_question(rng: random.Random, work: Any) -> None:
    """Writes a table of melds, or nearly so, and further cards that may lie."""
    num_ranks = rng.choice([3, 4, 5, 6, 13, 13, 13])
    melds = [meld for meld in all_melds(num_ranks) if len(meld) < 7]
    lies, may = Counter[int](), Counter[int]()
    for meld in rng.choices(melds, k=rng.randint(0, 16)):
        if all(lies[card] < 2 for card in meld):
            lies.update(meld)
    in_play = [card for card in range(52) if card % NUM_RANKS < num_ranks]
    for card in rng.choices(in_play, k=rng.choice([0, 0, 1, 2])):
        lies[card] = rng.choice([lies[card] - 1, lies[card] + 1, lies[card] + 2])
    for card in rng.choices(in_play, k=rng.randint(0, 12)):
        may[card] += 1
    for card in range(52):
        work["must"][card] = min(4, max(0, lies[card]))
        work["may"][card] = min(2, 4 - work["must"][card], may[card])
    work["num_ranks"] = num_ranks


def works_with_question(seed: int) -> tuple[random.Random, Any]:
    """Returns a workspace that questions of its own can be put to."""
    works = calls.new_workspaces()
    works["jokers_low"], works["jokers_high"] = 0, 0
    return random.Random(seed), works


@pytest.mark.parametrize("seed", range(4))
def test_what_any_boxes_prove_is_so_and_what_is_taken_proves_it(seed: int) -> None:
    rng, works = works_with_question(seed)
    seen = Counter[str]()
    for _ in range(1500):
        put_question(rng, works[0])
        works["boxes"] = rng.choices(range(rng.choice([1, 5, NUM_BOXES])), k=NUM_RANKS)
        is_proved = is_witnessed(works)
        is_so = is_found(works)
        assert is_so or not is_proved
        assert leads_through(works) or not is_so, seed
        assert is_witnessed(works) == is_so
        seen["proved" if is_proved else "so" if is_so else "not so"] += 1
    assert min(seen.values()) > 100, seen


@pytest.mark.parametrize("seed", range(4))
def test_a_witness_marks_only_what_a_walk_marks_and_most_of_it(seed: int) -> None:
    rng, works = works_with_question(10 + seed)
    num_marked, num_so = 0, 0
    for _ in range(1500):
        put_question(rng, works[0])
        is_found(works)
        for rank in rng.sample(range(NUM_RANKS), rng.randint(0, 2)):
            works["boxes"][0, rank] = rng.randrange(NUM_BOXES)
        marks = []
        for by_walk in (False, True):
            works["lay"] = 0
            mark(works, by_walk)
            marks.append(works["lay"][0] == 1)
        assert (marks[0] <= marks[1]).all()
        num_marked += int(marks[0].sum())
        num_so += int(marks[1].sum())
    assert num_so > num_marked > num_so / 2


def test_boxes_that_are_none_are_forgotten() -> None:
    works, others = calls.new_workspaces(), calls.new_workspaces()
    boxes = np.array([0, 1, NUM_BOXES - 1, NUM_BOXES, 127, -1, -128, *range(6)])
    works["memory"]["boxes"] = boxes
    carry_over(works, others)
    expected = np.where((boxes >= 0) & (boxes < NUM_BOXES), boxes, 0)
    assert (others["memory"]["boxes"][0] == expected).all()
