"""Tasks on threads: all of them, their faults as results, and an end on request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from judge.executors.local import Local


@contextmanager
def doubling() -> Iterator[Callable[[int], int]]:
    yield lambda task: 2 * task


@pytest.mark.parametrize("jobs", [1, 2, 50])
def test_every_task_comes_back_with_its_result(jobs: int) -> None:
    results = dict(Local(doubling, jobs=jobs).run(range(20)))
    assert results == {task: 2 * task for task in range(20)}


def test_no_tasks_open_no_worker() -> None:
    opened: list[int] = []

    @contextmanager
    def worker() -> Iterator[Callable[[int], int]]:
        opened.append(1)
        yield abs

    assert list(Local(worker, jobs=4).run([])) == []
    assert not opened


def test_what_a_task_raises_is_its_result_and_the_others_go_on() -> None:
    @contextmanager
    def worker() -> Iterator[Callable[[int], float]]:
        yield lambda task: 1 / task

    results = dict(Local(worker, jobs=2).run([0, 1, 2]))
    assert isinstance(results[0], ZeroDivisionError)
    assert (results[1], results[2]) == (1, 0.5)


def test_each_worker_belongs_to_one_thread_from_opening_to_closing() -> None:
    seen: list[tuple[int, str, int]] = []
    both = threading.Barrier(2)

    @contextmanager
    def worker() -> Iterator[Callable[[int], None]]:
        me = threading.get_ident()
        seen.append((me, "open", me))

        def work(task: int) -> None:
            both.wait()
            seen.append((me, "task", threading.get_ident()))

        yield work
        seen.append((me, "close", threading.get_ident()))

    list(Local(worker, jobs=2).run(range(4)))
    assert all(owner == thread for owner, _, thread in seen)
    assert [what for _, what, _ in seen].count("open") == 2
    assert [what for _, what, _ in seen].count("close") == 2
    assert len({owner for owner, _, _ in seen}) == 2


def test_stopping_leaves_tasks_that_have_not_begun_and_ends() -> None:
    stopped = threading.Event()

    @contextmanager
    def worker() -> Iterator[Callable[[int], bool]]:
        yield lambda task: task == 0 or stopped.wait()

    local: Local[int, bool] = Local(worker, jobs=1)
    done = []
    for task, _ in local.run(range(10)):
        local.stop()
        stopped.set()
        done.append(task)
    assert done == [0, 1]


def test_a_worker_that_cannot_open_is_raised_when_the_others_are_done() -> None:
    first = threading.Event()

    @contextmanager
    def worker() -> Iterator[Callable[[int], int]]:
        if first.is_set():
            raise OSError("no more of these")
        first.set()
        yield abs

    done = []
    with pytest.raises(OSError, match="no more of these"):
        for task, _ in Local(worker, jobs=2).run([1, 2, 3]):
            done.append(task)
    assert sorted(done) == [1, 2, 3]


def test_no_worker_at_all_is_raised() -> None:
    class Unopened(AbstractContextManager[Callable[[int], int]]):
        def __enter__(self) -> Callable[[int], int]:
            raise OSError("none")

        def __exit__(self, *exc: object) -> None:
            """There is nothing to close."""

    with pytest.raises(OSError, match="none"):
        list(Local(Unopened, jobs=3).run([1, 2]))
