"""Assessments on this machine: a few threads, each with a worker of its own.

A thread mostly waits for the sandbox, so threads are enough to keep the cores busy; what a worker owns (a launcher, an
oracle) never meets another thread. Results arrive in the order in which they are finished.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
#: Opened in its thread; called with one task after the other. What a task raises is its result.
Worker = AbstractContextManager[Callable[[Task], Result]]


class Local(Generic[Task, Result]):
    """Runs tasks on `jobs` threads.

    `stop` may be called from any thread: tasks that have not begun never do. To end those that run, `on_stop` must make
    them fail (a session that is closed does).
    """

    def __init__(self, open_worker: Callable[[], Worker[Task, Result]], *, jobs: int) -> None:
        self._open_worker = open_worker
        self._jobs = jobs
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Result | Exception]]:
        """Every task with its result or the exception that it raised; fewer when stopped."""
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        done: queue.SimpleQueue[tuple[Task, Result | Exception] | Exception | None] = queue.SimpleQueue()
        threads = [
            threading.Thread(target=self._work, args=(waiting, done), name=f"judge-{number}", daemon=True)
            for number in range(min(self._jobs, len(tasks)))
        ]
        for thread in threads:
            thread.start()
        failure: Exception | None = None
        open_threads = len(threads)
        while open_threads:
            # A time-out, since a wait without one cannot be interrupted by Ctrl-C on every platform.
            try:
                item = done.get(timeout=0.5)
            except queue.Empty:
                continue
            if item is None:
                open_threads -= 1
            elif isinstance(item, Exception):
                failure, open_threads = item, open_threads - 1
            else:
                yield item
        if failure is not None:
            raise failure

    def _work(
        self,
        waiting: queue.SimpleQueue[Task],
        done: queue.SimpleQueue[tuple[Task, Result | Exception] | Exception | None],
    ) -> None:
        try:
            with self._open_worker() as work:
                while not self._stopped.is_set():
                    try:
                        task = waiting.get_nowait()
                    except queue.Empty:
                        break
                    try:
                        done.put((task, work(task)))
                    except Exception as error:  # noqa: BLE001 - whatever a task raises is its result
                        done.put((task, error))
        except Exception as error:  # noqa: BLE001 - a worker that cannot open or close is the caller's to report
            done.put(error)
        else:
            done.put(None)
