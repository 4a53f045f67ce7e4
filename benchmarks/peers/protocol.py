"""How a runner is asked, and what it prints: one line of JSON with its figures.

Runners share the clock and the dice here, so that what differs is the peer.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import Any, NotRequired, TypedDict


class Figure(TypedDict):
    """A figure of one repetition.

    Attributes:
        value: In the unit of its row; for questions the mean of `times`.
        steps: What was counted: actions, masks or questions.
        seconds: How long the clock ran.
        times: Milliseconds for each question, where questions were asked.
        answers: What each was answered.
    """

    value: float
    steps: int
    seconds: float
    times: NotRequired[list[float]]
    answers: NotRequired[list[Any]]


class Output(TypedDict):
    """What a runner prints.

    Attributes:
        figures: By the key of their row.
        errors: Why figures are missing, if some are.
        versions: Of what was measured.
    """

    figures: dict[str, Figure]
    errors: list[str]
    versions: dict[str, str]


class Order(argparse.Namespace):
    """What a runner is asked for.

    Attributes:
        seconds: How long to measure each figure.
        seed: Of deals and dice.
        questions: A file of questions, as `benchmarks.questions` writes it.
        part: Which part of the questions to ask.
        parts: How many parts there are.
    """

    seconds: float
    seed: int
    questions: str
    part: int
    parts: int


Measure = Callable[[Order], Mapping[str, Figure]]


def rate(steps: int, seconds: float) -> Figure:
    """Returns a figure in steps a second."""
    return {"value": steps / seconds, "steps": steps, "seconds": seconds}


def play_for(order: Order, play: Callable[[int], int]) -> Figure:
    """Plays whole games until the time is over; one before the clock starts.

    Args:
        order: Says how long, and the first seed.
        play: Plays a game from a seed; returns how many actions agents took in it.
    """
    play(order.seed)
    steps, seed = 0, order.seed + 1
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < order.seconds:
        steps += play(seed)
        seed += 1
    return rate(steps, spent)


def ask(questions: Sequence[Any], answer: Callable[[Any], Any]) -> Figure:
    """Asks questions one by one; the first once more before, to warm up."""
    answer(questions[0])
    times, answers = [], []
    for question in questions:
        start = time.perf_counter()
        answers.append(answer(question))
        times.append((time.perf_counter() - start) * 1e3)
    return {
        "value": sum(times) / len(times),
        "steps": len(times),
        "seconds": sum(times) / 1e3,
        "times": times,
        "answers": answers,
    }


def read_questions(order: Order) -> dict[str, list[dict[str, str]]]:
    """Returns the questions of this part, by kind."""
    with open(order.questions, encoding="utf-8") as file:
        kinds = json.load(file)
    return {kind: asked[order.part :: order.parts] for kind, asked in kinds.items()}


def run(
    measures: Sequence[Measure],
    packages: Sequence[str],
    words: Sequence[str] | None = None,
) -> None:
    """Measures what the command line asks for and prints it.

    A measure that fails leaves its figures out and says why; the others go on.

    Args:
        measures: Each returns figures by the key of their row.
        packages: What to name the version of.
        words: The command line, if it is not that of the process.
    """
    order = parse(words)
    output: Output = {"figures": {}, "errors": [], "versions": {}}
    for package in packages:
        output["versions"][package] = metadata.version(package)
    for measure in measures:
        try:
            output["figures"].update(measure(order))
        except Exception as error:  # a peer may raise anything
            output["errors"].append(f"{type(error).__name__}: {error}")
    print(json.dumps(output))


def parse(words: Sequence[str] | None) -> Order:
    """Reads a command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each figure")
    parser.add_argument("--seed", type=int, default=0, help="of deals and dice")
    parser.add_argument("--questions", default="", help="a file of questions")
    parser.add_argument("--part", type=int, default=0, help="which of them to ask")
    parser.add_argument("--parts", type=int, default=1, help="how many parts they have")
    return parser.parse_args(words, namespace=Order())
