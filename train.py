"""Trains an agent and measures it: `python train.py --config configs/quick.yaml`."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console

from agents import config, dmc, evaluation, ppo, training
from agents.callable_agent import CallableError
from agents.checkpoint import CheckpointError
from agents.registry import UnknownAgentError

_INTERRUPTED: Final = 130
# What the algorithms count.
_COUNTED: Final = {"ppo": "steps", "dmc": "choices"}


def main() -> int:
    """Parses, trains, evaluates; returns the exit status."""
    try:
        return _run()
    except KeyboardInterrupt:
        print("interrupted; what was saved is kept", file=sys.stderr)
        return _INTERRUPTED


def _new_learner(chosen: config.TrainConfig) -> training.Learner:
    """Returns what learns by the algorithm chosen."""
    rules, run = chosen.rules, chosen.run
    if chosen.algorithm == "dmc":
        return dmc.Learner.new(
            rules, chosen.option_network, chosen.options, chosen.dmc, run
        )
    return ppo.Learner.new(rules, chosen.network, chosen.ppo, run)


def _run() -> int:
    """Does what `main` says, and lets an interrupt through."""
    chosen = config.parse()
    try:
        # Found out before the training, not after it.
        evaluation.make_opponents(chosen.rules, chosen.evaluation)
        learner = _new_learner(chosen)
        if chosen.resume is not None:
            learner.restore(chosen.resume)
    except (CallableError, CheckpointError, UnknownAgentError) as error:
        config.fail(str(error))
    try:
        saved = chosen.save()
    except OSError as error:
        config.fail(f"the folder of the run cannot be written: {error}")
    result = training.train(learner, chosen.run, saved.parent)
    console = Console(soft_wrap=True, highlight=False)
    counted = f"{result.global_step:,} {_COUNTED[chosen.algorithm]}"
    console.print(f"{counted} trained on; policy: {result.policy}")
    console.print("To go on:")
    console.print(chosen.resume_command(result.checkpoint, learner.update))
    if result.is_complete and chosen.evaluation.opponents:
        policy = str(result.policy)
        matches = evaluation.measure(policy, chosen.rules, chosen.evaluation)
        evaluation.write_json(saved.with_name("evaluation.json"), matches)
        console.print(evaluation.result_table(matches))
    return 0


if __name__ == "__main__":
    sys.exit(main())
