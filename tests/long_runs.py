"""Long runs of random play: `python -m tests.long_runs --rounds 100000`.

Plays rounds of 2 to 5 players in a `VectorEnv`, once with each number of threads, and
tells whether they were the same games, whether every position looked at was sound
(`record.problems`), and by how much the process grew. Under `NUMBA_BOUNDSCHECK=1` an
index out of bounds stops it. What the last ones said stands in `tests/REPORT.md`.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rummy_env import RuleConfig, VectorEnv
from rummy_env.record import problems
from tests.driving import random_actions

NUM_ENVS = 1024
PLAYERS = (2, 3, 4, 5)
CHECK_EVERY = 20
"""Steps between two looks at the state of one game."""


def peak_mib() -> float:
    """Returns the most memory the process has had, in MiB."""
    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


@dataclass
class Run:
    """A run of random play with one number of players and of threads.

    Attributes:
        envs: The games.
        rounds: How many rounds have ended.
        positions: How many positions were looked at.
        digest: Of everything that was shown.
        early_mib: The most memory after the first tenth, 0 before.
    """

    envs: VectorEnv
    rounds: int = 0
    positions: int = 0
    digest: Any = field(default_factory=hashlib.sha256)
    early_mib: float = 0.0

    def play(self, rounds: int, progress: Progress, task: Any) -> None:
        """Plays random actions until so many rounds have ended."""
        rng, steps = np.random.default_rng(self.envs.num_players), 0
        self.envs.reset()
        while self.rounds < rounds:
            self.envs.step(random_actions(self.envs.action_mask, rng))
            self._note()
            steps += 1
            if steps % CHECK_EVERY == 0:
                self._look_at(steps // CHECK_EVERY % self.envs.num_envs)
            if self.early_mib == 0.0 and self.rounds >= rounds / 10:
                self.early_mib = peak_mib()
            progress.update(task, completed=min(self.rounds, rounds))
        self.envs.close()

    def _note(self) -> None:
        """Counts the rounds that ended in a step, and keeps what it showed."""
        envs = self.envs
        self.rounds += int((envs.terminated | envs.truncated).sum())
        for array in (envs.action_mask, envs.current_player, envs.reward):
            self.digest.update(array.tobytes())

    def _look_at(self, row: int) -> None:
        """Stops where a game is not sound."""
        state = self.envs.game(row)
        found = problems(state.record, state.config)
        if found:
            raise SystemExit(f"{found} in {state.to_text()}")
        self.positions += 1

    def line(self, seconds: float) -> str:
        """Returns what the run came to, as a row of a table."""
        return (
            f"| {self.envs.num_players} | {self.envs.num_threads} | {self.rounds:,} "
            f"| {int(self.envs.num_applied.sum()):,} | {self.positions:,} "
            f"| {self.digest.hexdigest()[:12]} "
            f"| {peak_mib() - self.early_mib:.1f} | {seconds:.0f} |"
        )


def run_all(rounds: int, threads: list[int]) -> list[str]:
    """Plays for each number of players and threads; returns a table of what came out.

    Raises:
        SystemExit: Threads changed the games, or a position was not sound.
    """
    lines = [
        "| players | threads | rounds | actions | positions looked at | digest "
        "| grown, MiB | s |",
        "| --- " * 8 + "|",
    ]
    each = -(-rounds // len(PLAYERS))
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn())
    with Progress(*columns, TextColumn("rounds"), TimeRemainingColumn()) as progress:
        for players in PLAYERS:
            digests = set()
            for count in threads:
                name = f"{players} players, {count} thread(s)"
                config = RuleConfig(num_players=players)
                run = Run(VectorEnv(NUM_ENVS, config, players, count))
                start = time.monotonic()
                run.play(each, progress, progress.add_task(name, total=each))
                lines.append(run.line(time.monotonic() - start))
                digests.add(run.digest.hexdigest())
            if len(digests) > 1:
                raise SystemExit(f"{players} players: threads changed the games")
    return lines


def main() -> None:
    """Reads the command line, plays and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100_000, help="in all")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    print(f"bounds checked: {bool(numba.config.BOUNDSCHECK)}", flush=True)
    print(*run_all(given.rounds, given.threads), sep="\n")


if __name__ == "__main__":
    main()
