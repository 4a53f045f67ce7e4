"""What single changes of a PPO training are worth: `python -m agents.ablation --help`.

Every change is trained by itself, for as many steps as the training without any, from
the same seeds, and each policy is measured on the same deals.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents import config, training
from agents.checkpoint import write_atomically
from agents.evaluation import make_opponents, measure
from agents.ppo import Learner

BASE: Final = "base"
TABLE_NAME: Final = "ablation.md"
_DESCRIPTION: Final = """\
Trains a configuration as it is and with each change alone, from several seeds, and
prints how far each is ahead of the evaluation's opponents, in points a round. What is
not listed here goes to train.py: --config FILE, --evaluation.opponents=[greedy], ...
"""
_EXAMPLES: Final = """\
example:
  python -m agents.ablation --config configs/quick.yaml --steps 1000000 \\
      --change network.suits=shared --change "ppo.past_selves=4 ppo.self_share=0.5"
"""
# Student's t for 95 %, by the number of seeds.
_T: Final = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365}
_T_OF_MANY: Final = 2.306
"""Of nine seeds; with more the intervals are a little too wide."""

Scores = dict[str, dict[str, list[float]]]
"""Points ahead by change, by opponent, one for each seed."""


@dataclass(frozen=True)
class Plan:
    """What is compared.

    Attributes:
        settings: Flags of `train.py` that all trainings share.
        changes: Settings such as `ppo.ent_coef=0.01`, one or more to a change.
        steps: Actions that each training plays, those of opponents included.
        seeds: Seeds that each is trained from.
        output: Where the runs go, and the table.
    """

    settings: tuple[str, ...]
    changes: tuple[str, ...]
    steps: int
    seeds: tuple[int, ...]
    output: Path

    def chosen(self, change: str, seed: int) -> config.TrainConfig:
        """Returns the settings of one training; wrong ones end the process."""
        words = [] if change == BASE else change.split()
        name = re.sub(r"[^\w.=-]+", "_", change)
        return config.parse(
            [
                *self.settings,
                *(f"--{word}" for word in words),
                f"--ppo.total_timesteps={self.steps}",
                "--run.max_minutes=null",
                f"--run.seed={seed}",
                f"--run.output_dir={self.output}",
                f"--run.name={name}-seed{seed}",
            ]
        )


def run(plan: Plan) -> str:
    """Trains and measures everything; returns the table, written after each seed too.

    Seeds are the outer loop, so that what is interrupted can be compared as far as it
    went.
    """
    names = (BASE, *plan.changes)
    for name in names:
        check(plan.chosen(name, plan.seeds[0]))
    scores: Scores = {name: {} for name in names}
    for seed in plan.seeds:
        for name in names:
            for opponent, ahead in trained(plan.chosen(name, seed)).items():
                scores[name].setdefault(opponent, []).append(ahead)
        write_atomically(plan.output / TABLE_NAME, table(scores).encode())
    return table(scores)


def check(chosen: config.TrainConfig) -> None:
    """Refuses what cannot be trained or measured, before hours of training.

    Raises:
        ValueError: There is no such opponent, or the network does not fit the game.
    """
    if chosen.algorithm != "ppo":
        config.fail("only trainings of algorithm ppo are compared")
    if not make_opponents(chosen.rules, chosen.evaluation):
        config.fail("evaluation.opponents is empty: name one to measure against")
    new_learner(chosen)


def new_learner(chosen: config.TrainConfig) -> Learner:
    """Returns what is trained."""
    return Learner.new(chosen.rules, chosen.network, chosen.ppo, chosen.run)


def trained(chosen: config.TrainConfig) -> dict[str, float]:
    """Trains a policy; returns how far it is ahead of each opponent."""
    learner = new_learner(chosen)
    folder = chosen.save().parent
    result = training.train(learner, chosen.run, folder)
    if not result.is_complete:
        raise KeyboardInterrupt
    matches = measure(str(result.policy), chosen.rules, chosen.evaluation)
    opponents = chosen.evaluation.opponents
    return {
        name: match.difference.mean
        for name, match in zip(opponents, matches, strict=True)
    }


def table(scores: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Returns Markdown: a row for each change, a column for each opponent.

    The last column is the mean over opponents less that of the base, seed by seed.
    """
    opponents = list(scores[BASE])
    titles = ["change", *(f"ahead of {name}" for name in opponents), "against base"]
    rows = ["| " + " | ".join(titles) + " |", "| --- |" + " ---: |" * (len(titles) - 1)]
    means = {name: _mean_over_opponents(by) for name, by in scores.items()}
    for name, by_opponent in scores.items():
        cells = [name, *(cell(by_opponent[opponent]) for opponent in opponents)]
        cells.append("" if name == BASE else cell(means[name] - means[BASE]))
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _mean_over_opponents(
    by_opponent: Mapping[str, Sequence[float]],
) -> NDArray[np.float64]:
    """Returns the mean over the opponents of each seed."""
    means: NDArray[np.float64] = np.mean(list(by_opponent.values()), axis=0)
    return means


def cell(values: Sequence[float] | NDArray[np.float64]) -> str:
    """Returns a mean and half its 95 % interval by Student's t; of one value itself."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return f"{mean:+.1f}"
    error = float(np.std(values, ddof=1)) / count**0.5
    return f"{mean:+.1f} ± {_T.get(count, _T_OF_MANY) * error:.1f}"


def parse(arguments: Sequence[str] | None = None) -> Plan:
    """Returns what a command line asks for, `sys.argv` by default."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.ablation",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--change", action="append", default=[], help='as in "ppo.ent_coef=0.01"')
    add("--steps", type=int, default=1_000_000, help="actions in each training")
    add("--seeds", type=int, nargs="+", default=[1, 2, 3])
    add("--output", type=Path, default=Path("runs/ablation"), help="for runs and table")
    given, settings = parser.parse_known_args(arguments)
    if not given.change:
        parser.error(
            'nothing to compare: name a change, as in --change "ppo.gamma=0.9"'
        )
    return Plan(
        settings=tuple(settings),
        changes=tuple(given.change),
        steps=given.steps,
        seeds=tuple(given.seeds),
        output=given.output,
    )


def main() -> int:
    """Prints the table, and all else on stderr; returns the exit status."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            found = run(parse())
    except KeyboardInterrupt:
        print(f"interrupted; {TABLE_NAME} has the seeds finished", file=sys.stderr)
        return 130
    except (OSError, ValueError) as error:
        config.fail(str(error))
    print(found, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
