"""The loop around whatever learns: how long, what is logged, when it is saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch
from rich.console import Console

from agents import checkpoint
from agents.run import Clock, Display, MetricsLog, RunConfig, StopRequest


class Learner(Protocol):
    """All that changes while training, one update at a time, and how it is kept.

    Attributes:
        update: Updates made.
        global_step: What was trained on, counted as the algorithm counts it.
    """

    update: int
    global_step: int

    @property
    def shown(self) -> Mapping[str, str]:
        """The metrics to show while it learns: label by key, see `run.Display`."""

    @property
    def progress(self) -> float:
        """The share of its budget that is used; 1 or more ends the training."""

    @property
    def learning_rate(self) -> float:
        """The optimizer's step size."""

    def anneal(self, progress: float) -> None:
        """Sets what changes over a run for a share of it, 0 to 1, that is done."""

    def learn(self) -> dict[str, float]:
        """Makes one update; returns its metrics, by the same keys every time."""

    def save(self, folder: Path) -> None:
        """Writes the checkpoint and the policy into a folder, as `checkpoint` does."""

    def restore(self, path: Path) -> None:
        """Goes on from a checkpoint.

        Raises:
            CheckpointError: It cannot be read or is of another configuration.
        """


@dataclass(frozen=True)
class TrainingResult:
    """What a run leaves behind.

    Attributes:
        checkpoint: The full training state.
        policy: The weights alone.
        global_step: What was trained on, as the learner counts it.
        is_complete: Whether the budget or `max_minutes` was reached, rather than a
            stop asked for.
    """

    checkpoint: Path
    policy: Path
    global_step: int
    is_complete: bool


def train(learner: Learner, run: RunConfig, folder: Path) -> TrainingResult:
    """Trains until the budget or the minutes are up, or a signal asks to stop.

    Args:
        learner: A new or a restored one.
        run: How long and with how many threads.
        folder: Where metrics and checkpoints go; a restored learner's own.

    Returns:
        Where the results are.
    """
    torch.set_num_threads(run.torch_threads)
    clock = Clock(run)
    first_step = learner.global_step
    with (
        StopRequest() as stop,
        MetricsLog(folder, learner.update, tensorboard=run.tensorboard) as log,
        Display(Console(), learner.shown) as display,
    ):
        while (progress := _progress(learner, clock)) < 1 and not stop.is_made:
            learner.anneal(progress)
            learnt = learner.learn()
            metrics = {
                "charts/SPS": (learner.global_step - first_step) / clock.seconds,
                "charts/learning_rate": learner.learning_rate,
                **learnt,
            }
            log.write(learner.update, learner.global_step, metrics)
            display.show(_progress(learner, clock), clock.seconds, metrics)
            if clock.is_checkpoint_due():
                learner.save(folder)
    learner.save(folder)
    return TrainingResult(
        checkpoint=folder / checkpoint.CHECKPOINT_NAME,
        policy=folder / checkpoint.POLICY_NAME,
        global_step=learner.global_step,
        is_complete=progress >= 1,
    )


def _progress(learner: Learner, clock: Clock) -> float:
    """Returns the share of the budget or the minutes used, whichever is more."""
    return max(learner.progress, clock.progress)
