"""Threads that stand by, to work together on one task at a time.

A pool of `concurrent.futures` takes 100 us to hand a task over and to learn that it is
done, a twentieth of a step of 1,024 games; two queues take 22.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

Task = Callable[[int], None]
"""Takes the number of its thread."""
_Orders = SimpleQueue[Any]
"""Where a thread waits for orders; None ends it."""

_LOOK_AGAIN = 0.1
"""Seconds after which a missed answer is missed no longer."""


def _obey(orders: _Orders) -> None:
    """Works off the tasks of a queue, until there is a None."""
    while (order := orders.get()) is not None:
        task, number, errors, answers = order
        error = None
        try:
            task(number)
        except BaseException as raised:
            error = raised
        errors.append(error)
        answers.put(None)
        # while the thread waits it holds nothing of whoever gave the order
        del order, task, errors, answers, error


def _dismiss(crew: list[_Orders]) -> None:
    """Ends threads, once they have done what they are at."""
    for orders in crew:
        orders.put(None)


def _do_nothing(number: int) -> None:
    """Is a task whose end shows that those before it have ended."""


class Crew:
    """The thread that calls, number 0, and others beside it.

    The others start with the first task and end with `close` or the crew itself. They
    do not survive a fork: a forked copy starts its own.

    Args:
        size: How many threads, the calling one included.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._others: list[_Orders] = []
        self._process = -1
        self._is_idle = True
        self._dismissal: Callable[[], Any] | None = None

    def run(self, task: Task) -> None:
        """Has every thread do a task; returns when all of them have.

        Where the calling thread's share is interrupted the others are waited for, too.
        An interrupt just before or after may find them at work; the next `run`, and
        `wait`, wait for that first.

        Raises:
            BaseException: What the task raised in this thread, or else in another.
        """
        self.wait()
        if self._process != os.getpid():
            self._start()
        self._is_idle = False
        errors = self._share(task)
        self._is_idle = True
        for error in errors:
            if error is not None:
                raise error

    def wait(self) -> None:
        """Waits for what an interrupt may have left at work."""
        if not self._is_idle and self._process == os.getpid():
            self._share(_do_nothing)
        self._is_idle = True

    def _share(self, task: Task) -> list[BaseException | None]:
        """Does a task while the others do it; returns what they have raised."""
        errors: list[BaseException | None] = []
        answers: _Orders = SimpleQueue()
        for number, orders in enumerate(self._others, 1):
            orders.put((task, number, errors, answers))
        try:
            task(0)
        finally:
            self._wait_for(errors, answers)
        return errors

    def _wait_for(self, errors: list[BaseException | None], answers: _Orders) -> None:
        """Waits until every other thread has noted how it ended.

        An interrupt meanwhile waits as well. It may come between an answer and the
        next line, so answers are not counted, but what was noted before them.
        """
        interrupt = None
        while len(errors) < len(self._others):
            try:
                answers.get(timeout=_LOOK_AGAIN)
            except Empty:
                pass
            except KeyboardInterrupt as raised:
                interrupt = raised
        if interrupt is not None:
            raise interrupt

    def _start(self) -> None:
        """Starts the other threads, all or, where that is interrupted, none."""
        others: list[_Orders] = [SimpleQueue() for _ in range(self.size - 1)]
        self._process, self._others = -1, []
        self._dismissal = weakref.finalize(self, _dismiss, others)
        try:
            for orders in others:
                threading.Thread(
                    target=_obey, args=(orders,), name="rummy_env", daemon=True
                ).start()
        except BaseException:
            self._dismissal()
            raise
        self._others = others
        self._process = os.getpid()

    def close(self) -> None:
        """Ends the other threads; the next task starts new ones."""
        if self._dismissal is not None:
            self._dismissal()
        self._process, self._others = -1, []
