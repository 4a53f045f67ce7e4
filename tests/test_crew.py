"""Threads that stand by do each task once, together, and are gone when not needed."""

from __future__ import annotations

import gc
import os
import threading
import time
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import pytest

from rummy_env import RuleConfig, RummyError, VectorEnv
from rummy_env.crew import Crew


@pytest.fixture
def num_threads() -> Callable[[], int]:
    """Returns what counts the threads that a test has started, not those of others."""
    before = set(threading.enumerate())
    return lambda: len(set(threading.enumerate()) - before)


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


class Interrupting(SimpleQueue[Any]):
    """Interrupts the main thread after it has put or got something, a few times."""

    puts = 0
    gets = 0
    """How often it is still to be interrupted."""

    def put(self, item: Any, *_: Any) -> None:
        super().put(item)
        if item is not None and threading.current_thread() is threading.main_thread():
            Interrupting.puts -= 1
            if Interrupting.puts == 0:
                raise KeyboardInterrupt

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        answer = super().get(block, timeout)
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and Interrupting.gets > 0:
            Interrupting.gets -= 1
            raise KeyboardInterrupt  # the answer is lost with it
        return answer


def test_an_interrupt_while_waiting_waits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rummy_env.crew.SimpleQueue", Interrupting)
    crew, done = Crew(3), list[int]()

    def task(number: int) -> None:
        time.sleep(0.03 * number)  # shorter than it takes to look again
        done.append(number)

    monkeypatch.setattr(Interrupting, "gets", 1)
    with pytest.raises(KeyboardInterrupt):
        crew.run(task)
    assert sorted(done) == [0, 1, 2]
    assert Interrupting.gets == 0
    crew.close()


@pytest.mark.parametrize("how", ["run", "wait"])
def test_what_an_interrupt_left_at_work_is_waited_for(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes when the task has been given to one thread, and not to the next."""
    monkeypatch.setattr("rummy_env.crew.SimpleQueue", Interrupting)
    crew, done = Crew(3), list[str]()

    def slow(number: int) -> None:
        time.sleep(0.2)
        done.append("slow")

    monkeypatch.setattr(Interrupting, "puts", 1)
    with pytest.raises(KeyboardInterrupt):
        crew.run(slow)
    assert done == []
    if how == "wait":
        crew.wait()
        assert done == ["slow"]
    crew.run(lambda number: done.append("quick"))
    assert done == ["slow", "quick", "quick", "quick"]
    crew.close()


def test_an_interrupt_while_threads_start_leaves_none(
    monkeypatch: pytest.MonkeyPatch, num_threads: Callable[[], int]
) -> None:
    start, left = threading.Thread.start, [1]

    def start_some(thread: threading.Thread) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop()
        start(thread)

    crew, done = Crew(3), list[int]()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start_some)
        with pytest.raises(KeyboardInterrupt):
            crew.run(done.append)
    assert wait_until(lambda: num_threads() == 0)
    assert done == []
    crew.run(done.append)
    assert sorted(done) == [0, 1, 2]
    crew.close()


def test_closing_again_and_again_keeps_nothing() -> None:
    crew, registry = Crew(2), weakref.finalize._registry  # type: ignore[attr-defined]
    before = len(registry)
    for _ in range(5):
        crew.run(lambda number: None)
        crew.close()
    assert len(registry) <= before  # those of other tests may have gone


def test_threads_end_with_the_crew_or_when_it_is_closed(
    num_threads: Callable[[], int],
) -> None:
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


def test_games_begun_anew_after_an_interrupt_are_the_right_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No thread is still at work on the rows of the step that was broken off."""
    monkeypatch.setattr("rummy_env.crew.SimpleQueue", Interrupting)
    config = RuleConfig(num_players=2)
    alone, together = (VectorEnv(2000, config, 0, count) for count in (1, 3))
    together.reset()
    actions = together.action_mask.argmax(axis=1)
    monkeypatch.setattr(Interrupting, "puts", 1)
    with pytest.raises(KeyboardInterrupt):
        together.step(actions)
    with pytest.raises(RummyError, match="interrupted"):
        together.step(actions)
    for envs in (alone, together):
        envs.reset(seed=1)
        for _ in range(3):
            envs.step(envs.action_mask.argmax(axis=1))
    assert (alone.observation == together.observation).all()
    assert (alone.num_applied == together.num_applied).all()
    together.close()
