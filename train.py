"""Trains an agent and measures it: `python train.py --config configs/quick.yaml`."""

from __future__ import annotations

import sys

from rich.console import Console

from agents import config, evaluation, ppo
from agents.checkpoint import CheckpointError
from agents.registry import UnknownAgentError


def main() -> int:
    """Parses, trains, evaluates; returns the exit status."""
    chosen = config.parse()
    try:
        # Found out before the training, not after it.
        evaluation.make_opponents(chosen.rules, chosen.evaluation)
        learner = ppo.Learner.new(chosen.rules, chosen.network, chosen.ppo, chosen.run)
        if chosen.resume is not None:
            learner.restore(chosen.resume)
    except (CheckpointError, UnknownAgentError) as error:
        config.fail(str(error))
    saved = chosen.save()
    result = ppo.train(learner, chosen.run, saved.parent)
    console = Console(soft_wrap=True, highlight=False)
    console.print(f"{result.global_step:,} steps trained; policy: {result.policy}")
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
