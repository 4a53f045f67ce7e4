"""Threads that stand by do each task once, together, and are gone when not needed."""

from __future__ import annotations

import gc
import os
import threading
import time
import weakref
from collections.abc import Callable
from queue import SimpleQueue

import pytest

from rummy_env.crew import Crew


def num_threads() -> int:
    return sum(thread.name == "rummy_env" for thread in threading.enumerate())


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Tells whether something becomes so within ten seconds."""
    end = time.monotonic() + 10
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)
    return is_so()


@pytest.mark.parametrize("size", [1, 2, 5])
def test_every_thread_does_a_task_once_and_all_at_the_same_time(size: int) -> None:
    crew, done, meeting = Crew(size), list[tuple[int, int]](), threading.Barrier(size)

    def task(number: int) -> None:
        meeting.wait(10)  # nobody goes on before all are there
        done.append((number, threading.get_ident()))

    for _ in range(20):
        done.clear()
        crew.run(task)
        assert sorted(number for number, _ in done) == list(range(size))
        assert len({ident for _, ident in done}) == size
        assert (0, threading.get_ident()) in done
    crew.close()


def test_what_another_thread_raises_is_raised_here_and_it_goes_on() -> None:
    crew, done = Crew(3), list[int]()

    def fail(number: int) -> None:
        if number == 2:
            raise ValueError("of the third")
        done.append(number)

    with pytest.raises(ValueError, match="of the third"):
        crew.run(fail)
    crew.run(done.append)
    assert sorted(done) == [0, 0, 1, 1, 2]
    crew.close()


def test_whoever_is_interrupted_waits_for_the_others() -> None:
    crew, done = Crew(2), list[int]()

    def task(number: int) -> None:
        if number == 0:
            raise KeyboardInterrupt
        time.sleep(0.2)
        done.append(number)

    with pytest.raises(KeyboardInterrupt):
        crew.run(task)
    assert done == [1]
    crew.close()


def test_an_interrupt_while_waiting_waits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(SimpleQueue[object]):
        """Loses an answer to an interrupt, as one may that comes in between."""

        num_interrupts = 0

        def get(self, block: bool = True, timeout: float | None = None) -> object:
            answer = super().get(block, timeout)
            if threading.current_thread() is threading.main_thread():
                Interrupted.num_interrupts += 1
                raise KeyboardInterrupt
            return answer

    monkeypatch.setattr("rummy_env.crew.SimpleQueue", Interrupted)
    crew, done = Crew(2), list[int]()

    def task(number: int) -> None:
        time.sleep(0.03 * number)  # shorter than it takes to look again
        done.append(number)

    with pytest.raises(KeyboardInterrupt):
        crew.run(task)
    assert sorted(done) == [0, 1]
    assert Interrupted.num_interrupts == 1
    crew.close()


def test_threads_end_with_the_crew_or_when_it_is_closed() -> None:
    gc.collect()
    assert wait_until(lambda: num_threads() == 0)
    crew = Crew(3)
    assert num_threads() == 0  # nothing was to be done yet
    crew.run(lambda number: None)
    assert num_threads() == 2
    crew.close()
    assert wait_until(lambda: num_threads() == 0)
    crew.run(lambda number: None)
    assert num_threads() == 2
    del crew
    gc.collect()
    assert wait_until(lambda: num_threads() == 0)


def test_threads_that_wait_hold_nothing_of_the_last_task() -> None:
    class Owner:
        def task(self, number: int) -> None:
            pass

    crew, owner = Crew(2), Owner()
    crew.run(owner.task)
    seen = weakref.ref(owner)
    del owner
    assert wait_until(lambda: seen() is None)
    crew.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_copy_starts_threads_of_its_own() -> None:
    crew = Crew(2)
    crew.run(lambda number: None)
    child = os.fork()
    if child == 0:
        done: list[int] = []
        crew.run(done.append)
        os._exit(0 if sorted(done) == [0, 1] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    crew.close()
