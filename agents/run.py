"""One training run from outside: its folder, its limits, its metrics, its display.

Nothing here knows what is learnt or how.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column

_SECONDS_BETWEEN_LINES: Final = 10.0


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """How a run is carried out; none of it changes what is learnt from one step.

    Attributes:
        name: Name of the run; its folder is `<output_dir>/<name>`.
        output_dir: Where the folders of runs are.
        seed: Seed of the deals, the weights and the choices of actions.
        torch_threads: Threads of the networks.
        env_threads: Threads of the games.
        max_minutes: Stops training after so many minutes, counted anew when a run is
            resumed; null trains to ppo.total_timesteps or dmc.total_choices.
        checkpoint_minutes: Minutes between checkpoints; the last one is always kept.
        tensorboard: Whether TensorBoard files are written too, where it is installed.

    Raises:
        ValueError: A value is out of range.
    """

    name: str = "ppo"
    output_dir: str = "runs"
    seed: int = 1
    torch_threads: int = 2
    env_threads: int = 2
    max_minutes: float | None = None
    checkpoint_minutes: float = 2.0
    tensorboard: bool = True

    def __post_init__(self) -> None:
        """Checks the values."""
        if not self.name or Path(self.name).name != self.name:
            raise ValueError(f"run.name is the name of a folder, not {self.name!r}")
        for name in ("torch_threads", "env_threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"run.{name} is 1 or more, not {getattr(self, name)}")
        for name in ("max_minutes", "checkpoint_minutes"):
            minutes = getattr(self, name)
            if minutes is not None and minutes <= 0:
                raise ValueError(f"run.{name} is above 0, not {minutes}")
        if self.seed < 0:
            raise ValueError(f"run.seed is 0 or more, not {self.seed}")

    def new_folder(self) -> Path:
        """Makes the run's folder; a taken name gets the next free number."""
        folder = Path(self.output_dir) / self.name
        number = 1
        while True:
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                number += 1
                folder = folder.with_name(f"{self.name}-{number}")
            else:
                return folder


class StopRequest:
    """Turns the first SIGINT or SIGTERM into a wish to stop; the second stops at once.

    Used as a context; outside the main thread, where no signals arrive, it waits in
    vain.

    Attributes:
        is_made: Whether a signal has come.
    """

    def __init__(self) -> None:
        self.is_made = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Starts listening."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Gives the signals back to whoever had them."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.is_made:
            raise KeyboardInterrupt
        self.is_made = True
        # A plain write: the signal may have come in the middle of a print.
        os.write(2, b"\nFinishing this update, then saving. Again to stop at once.\n")


class Clock:
    """The wall clock of a run since it was started or resumed.

    Args:
        config: The limits.
    """

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        self._start = self._saved = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    @property
    def progress(self) -> float:
        """The share of `max_minutes` that has passed; 0 without a limit."""
        limit = self._config.max_minutes
        return 0.0 if limit is None else self.seconds / (60 * limit)

    def is_checkpoint_due(self) -> bool:
        """Returns whether `checkpoint_minutes` have passed, and counts anew if so."""
        now = time.monotonic()
        if now - self._saved < 60 * self._config.checkpoint_minutes:
            return False
        self._saved = now
        return True


class MetricsLog:
    """Writes one row an update to `metrics.csv` and `metrics.jsonl`, and TensorBoard.

    Args:
        folder: The run's folder.
        resumed_at: The update that is continued from; rows after it, written before a
            crash, are dropped.
        tensorboard: Whether to write TensorBoard files where it is installed.
    """

    def __init__(self, folder: Path, resumed_at: int, *, tensorboard: bool) -> None:
        self._jsonl_path = folder / "metrics.jsonl"
        self._csv_path = folder / "metrics.csv"
        rows = self._kept_rows(resumed_at)
        # Beside the old files until all is in them: a run that is killed while it is
        # resumed keeps its log.
        new = [folder / f".{name}.new" for name in ("metrics.jsonl", "metrics.csv")]
        self._jsonl = new[0].open("w", encoding="utf-8")
        self._csv = new[1].open("w", encoding="utf-8", newline="")
        self._csv_writer: csv.DictWriter[str] | None = None
        for row in rows:
            self._write_row(row)
        self._jsonl.flush()
        self._csv.flush()
        os.replace(new[0], self._jsonl_path)
        os.replace(new[1], self._csv_path)
        self._writer = _summary_writer(folder) if tensorboard else None

    def _kept_rows(self, resumed_at: int) -> list[dict[str, Any]]:
        if not self._jsonl_path.exists():
            return []
        rows = []
        for line in self._jsonl_path.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except ValueError:  # cut short by a crash, and what follows with it
                break
            if row["update"] <= resumed_at:
                rows.append(row)
        return rows

    def _write_row(self, row: Mapping[str, Any]) -> None:
        # JSON has no NaN: what an update could not measure is null, in CSV empty.
        row = {key: value if value == value else None for key, value in row.items()}
        if self._csv_writer is None:
            self._csv_writer = csv.DictWriter(
                self._csv, list(row), extrasaction="ignore"
            )
            self._csv_writer.writeheader()
        self._csv_writer.writerow(row)
        self._jsonl.write(json.dumps(row) + "\n")

    def write(
        self, update: int, global_step: int, metrics: Mapping[str, float]
    ) -> None:
        """Writes one row; the keys are the same in every row."""
        self._write_row({"update": update, "global_step": global_step, **metrics})
        self._csv.flush()
        self._jsonl.flush()
        if self._writer is not None:
            for key, value in metrics.items():
                self._writer.add_scalar(key, value, global_step)

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the files."""
        self._csv.close()
        self._jsonl.close()
        if self._writer is not None:
            self._writer.close()


def _summary_writer(folder: Path) -> Any:
    """Returns a TensorBoard writer, or None where TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder))


class Display:
    """Shows how far a run is: a bar on a terminal, else a line now and then.

    Args:
        console: Where to write.
        shown: The metrics to show: label by key, what matters most first, since a
            narrow terminal cuts the rest.
    """

    def __init__(
        self, console: Console, shown: Mapping[str, str] | None = None
    ) -> None:
        self._console = console
        self._shown = dict(shown or {})
        self._last_line = -_SECONDS_BETWEEN_LINES
        self._bar = Progress(
            BarColumn(bar_width=20),
            TaskProgressColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn(
                "{task.description}",
                table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
            ),
            console=console,
            expand=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=1.0)

    def __enter__(self) -> Self:
        """Starts the bar."""
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Ends the bar."""
        self._bar.stop()

    def show(
        self, progress: float, seconds: float, metrics: Mapping[str, float]
    ) -> None:
        """Shows one update.

        Args:
            progress: How much is done, 0 to 1.
            seconds: Seconds since the start.
            metrics: The update's metrics.
        """
        text = "  ".join(
            f"{label} {metrics[key]:,.{0 if abs(metrics[key]) >= 1000 else 3}f}"
            for key, label in self._shown.items()
        )
        self.say(progress, seconds, text)

    def say(self, progress: float, seconds: float, text: str) -> None:
        """Shows how much is done, 0 to 1, and a text; see `show`."""
        self._bar.update(self._task, completed=min(progress, 1.0), description=text)
        is_line_due = seconds - self._last_line >= _SECONDS_BETWEEN_LINES
        if not self._console.is_terminal and is_line_due:
            self._last_line = seconds
            self._console.print(f"{progress:6.1%}  {text}", soft_wrap=True)
