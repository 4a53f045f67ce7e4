"""Looks for the positions that cost the solver most: `python benchmarks/worst.py`.

Hill climbing over tables made of melds, and hands: a change that makes a question take
more work stays. Work is counted in nodes looked at (`num_looks` of a workspace), so a
search repeats on any machine. The ten worst of each kind and number of packs are kept
in `tests/cases/worst.json`: tests hold them to a bound, and `--show` times them.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from rich.progress import Progress

from rummy_env import solver
from rummy_env.cards import CARD_NAMES, JOKER, NUM_RANKS, card_name
from rummy_env.kernel import calls
from rummy_env.kernel.layout import new_melds

FILE: Final = Path(__file__).parent.parent / "tests" / "cases" / "worst.json"
KINDS: Final = ("mask", "best", "layout")
KEPT: Final = 10
LONGEST_HAND: Final = 30
PATIENCE: Final = 150
"""Changes without gain after which the climb begins anew."""
CLIMBS: Final = 12
"""The fewest climbs of a kind: none takes more of its time."""

Meld = tuple[tuple[int, bool], ...]
"""Cards by name, each with whether a joker stands for it."""


def all_melds() -> list[tuple[int, ...]]:
    """Returns groups of three and four cards and runs of three to five."""
    groups = [
        tuple(13 * suit + rank for suit in range(4) if suit != missing)
        for rank in range(NUM_RANKS)
        for missing in range(5)
    ]
    ranks = [*range(NUM_RANKS), 0]
    runs = [
        tuple(13 * suit + rank for rank in ranks[first : first + length])
        for suit in range(4)
        for length in (3, 4, 5)
        for first in range(len(ranks) - length + 1)
    ]
    return groups + runs


MELDS: Final = all_melds()


@dataclass(frozen=True)
class Position:
    """A table in melds and a hand.

    Attributes:
        melds: The table.
        hand: Cards, `JOKER` for a joker.
        is_pending: Whether the first joker of the table has been released and waits.
    """

    melds: tuple[Meld, ...] = ()
    hand: tuple[int, ...] = ()
    is_pending: bool = False

    def jokers(self) -> list[int]:
        """Returns the names of the table's jokers."""
        return [card for meld in self.melds for card, is_joker in meld if is_joker]

    def is_possible(self, packs: int) -> bool:
        """Tells whether the packs have the cards, and a joker could be released."""
        real = Counter(
            card for meld in self.melds for card, is_joker in meld if not is_joker
        )
        cards = real + Counter(card for card in self.hand if card != JOKER)
        jokers = self.jokers()
        if len(jokers) + self.hand.count(JOKER) > packs:
            return False
        if self.is_pending and (not jokers or real[jokers[0]] == 0):
            return False
        return max(cards.values(), default=0) <= packs and len(self.hand) > 0

    def question(self) -> dict[str, Any]:
        """Returns the arguments of `solver.load`."""
        words, old = [], None
        for meld in self.melds:
            for card, is_joker in meld:
                if is_joker and self.is_pending and old is None:
                    old = CARD_NAMES[card]
                else:
                    words.append("*" * is_joker + CARD_NAMES[card])
        hand = " ".join(card_name(card) for card in sorted(self.hand))
        return {"table": " ".join(words), "hand": hand, "pending": old}


def changed(position: Position, rng: random.Random) -> Position:
    """Returns a position with one thing changed."""
    melds, hand = list(position.melds), list(position.hand)
    kind = rng.randrange(7)
    if kind <= 1 or not melds:
        melds.append(tuple((card, False) for card in rng.choice(MELDS)))
    elif kind == 2:
        melds.pop(rng.randrange(len(melds)))
    elif kind == 3:
        melds[rng.randrange(len(melds))] = tuple(
            (card, False) for card in rng.choice(MELDS)
        )
    elif kind == 4:
        at = rng.randrange(len(melds))
        place = rng.randrange(len(melds[at]))
        melds[at] = tuple(
            (card, is_joker != (index == place))
            for index, (card, is_joker) in enumerate(melds[at])
        )
    elif kind == 5 and len(hand) < LONGEST_HAND:
        hand.append(rng.randrange(JOKER + 1))
    elif hand:
        hand.pop(rng.randrange(len(hand)))
    flips = rng.random() < 0.05
    return Position(tuple(melds), tuple(hand), position.is_pending != flips)


@dataclass
class Search:
    """A search for the worst positions of one kind.

    Attributes:
        kind: "mask", "best" or "layout".
        packs: One or two.
        found: Work by position, as a question.
    """

    kind: str
    packs: int
    found: dict[str, int] = field(default_factory=dict)

    def ask(self, question: dict[str, Any]) -> int:
        """Asks a question; returns how many nodes, or sets, were stepped from.

        0, if one pack has all its cards and this is about two.
        """
        works = solver.load(None, **question)
        if works[0]["packs"] != self.packs:
            return 0
        works["num_looks"], works["boxes"] = 0, 0  # no split is remembered
        if self.kind == "mask":
            calls.answer(works)
        elif self.kind == "best":
            old = question["pending"]
            number = solver.OBJECTIVES["points"]
            calls.find_best(works, number, -1 if old is None else CARD_NAMES.index(old))
        else:
            calls.arrange(works, new_melds(), new_melds())
        return int(works[0]["num_looks"])

    def climb(self, rng: random.Random, until: float) -> None:
        """Climbs until there has been no gain for a while, or the time is over."""
        position, work, idle = Position(), -1, 0
        while idle < PATIENCE and time.monotonic() < until:
            following = position
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                following = changed(following, rng)
            if self.kind == "layout":
                following = replace(following, hand=(JOKER,), is_pending=False)
            idle += 1
            if not following.is_possible(self.packs):
                continue
            question = following.question()
            cost = self.ask(question)
            if cost >= work:
                idle = 0 if cost > work else idle
                position, work = following, cost
        self.found[json.dumps(position.question())] = work

    def remember(self, kept: list[dict[str, Any]]) -> None:
        """Takes in the questions of this kind that were found before, asked anew."""
        for case in kept:
            if (case["kind"], case["packs"]) == (self.kind, self.packs):
                question = {key: case[key] for key in ("table", "hand", "pending")}
                self.found[json.dumps(question)] = self.ask(question)

    def worst(self) -> list[dict[str, Any]]:
        """Returns the worst positions found, the worst first."""
        ranked = sorted(self.found.items(), key=lambda item: -item[1])
        return [
            {"kind": self.kind, "packs": self.packs, "looks": work, **json.loads(text)}
            for text, work in ranked[:KEPT]
        ]


def search_all(
    seconds: float, seed: int, kept: list[dict[str, Any]], only: Sequence[str]
) -> list[dict[str, Any]]:
    """Searches some kinds for equal parts of the time; what was known stays in it."""
    found = [case for case in kept if case["kind"] not in only]
    kinds = [(kind, packs) for kind in KINDS if kind in only for packs in (1, 2)]
    with Progress() as progress:
        task = progress.add_task("searching", total=seconds)
        for number, (kind, packs) in enumerate(kinds):
            search, rng = Search(kind, packs), random.Random(seed * 100 + number)
            search.remember(kept)
            until = time.monotonic() + seconds / len(kinds)
            while time.monotonic() < until:
                share = seconds / len(kinds) / CLIMBS
                search.climb(rng, min(until, time.monotonic() + share))
                most = max(search.found.values())
                progress.update(
                    task,
                    description=f"{kind}, {packs} pack(s): {most:,} nodes",
                    completed=number * seconds / len(kinds)
                    + seconds / len(kinds)
                    - max(0.0, until - time.monotonic()),
                )
            found += search.worst()
    return sorted(found, key=lambda case: (KINDS.index(case["kind"]), case["packs"]))


def show(cases: list[dict[str, Any]]) -> None:
    """Prints a table of the worst positions with the time they take."""
    print("| kind | packs | cards | hand | nodes | ms, median of five |")
    print("| --- | --- | --- | --- | --- | --- |")
    for case in cases:
        search = Search(case["kind"], case["packs"])
        question = {key: case[key] for key in ("table", "hand", "pending")}
        times = []
        for _ in range(5):
            start = time.perf_counter()
            looks = search.ask(question)
            times.append((time.perf_counter() - start) * 1e3)
        table, hand = case["table"].split(), case["hand"].split()
        print(
            f"| {case['kind']} | {case['packs']} | {len(table)} | {len(hand)} "
            f"| {looks:,} | {statistics.median(times):.2f} |"
        )


def main() -> None:
    """Reads the command line; searches, or shows what was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="for the search")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", nargs="+", choices=KINDS, default=KINDS, help="kinds to look for"
    )
    parser.add_argument("--show", action="store_true", help="only time what is kept")
    given = parser.parse_args()
    if not given.show:
        kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
        found = search_all(given.minutes * 60, given.seed, kept, given.only)
        text = json.dumps(found, indent=1) + "\n"
        part = FILE.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(FILE)
    show(json.loads(FILE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
