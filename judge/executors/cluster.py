"""A class on the workers of a Dask cluster.

Dask carries the bytes and knows which workers live; who grades what is decided here. So a worker holds as many submissions as it
has threads and no more, and what it held when it died or hung is known, and given to another. Results are stored as they come.
"""

from __future__ import annotations

import itertools
import queue
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from judge.errors import JudgeFault, UsageError
from judge.executors import parcel, remote
from judge.executors.crew import Crew
from judge.executors.target import Target
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.sandbox.layers import Layers

if TYPE_CHECKING:
    from distributed import Client, Future

FETCH_S = 60.0
POLL_S = 0.2
#: Workers that may die or hang over one submission, before it is left ungraded.
TRIES = 3


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is too long: without a worker that may be given work, and with one submission at one worker.

    The sandbox ends a submission long before `hang_s`, and a machine that is gone is noticed by the scheduler. What is left is a
    worker that lives and never answers.
    """

    alone_s: float = 120.0
    hang_s: float = 1800.0


@dataclass(slots=True)
class _Job:
    """A submission, and what has happened to the workers that had it."""

    submission: Submission
    ends: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Held:
    """A job at a worker."""

    job: _Job
    address: str
    since: float


class _Lost(Exception):
    """The run cannot go on; the text says why, and what to do."""


class Cluster:
    """Grades on workers. For one thread; `interrupted` may be set from anywhere, and ends a wait or a run as Ctrl-C does."""

    def __init__(
        self,
        client: Client,
        target: Target,
        problems: Mapping[str, Problem],
        cases: Mapping[str, Bank],
        *,
        unsafe: bool,
        patience: Patience,
    ) -> None:
        self._client, self._target, self._patience = client, target, patience
        self._crew = Crew(client, unsafe=unsafe)
        self._packed = parcel.pack_course(self._crew.token, problems, cases, unsafe=unsafe)
        self._course: Future[bytes] | None = None
        self._numbers = itertools.count(1)
        self._waiting: deque[_Job] = deque()
        self._held: dict[Future[bytes], _Held] = {}
        self._done: queue.SimpleQueue[Future[bytes]] = queue.SimpleQueue()
        self._met = time.monotonic()
        self._deaths: list[str] = []
        self.interrupted = False

    @property
    def layers(self) -> Layers:
        """What confines submissions at every worker that was given work."""
        return self._crew.layers()

    @property
    def notes(self) -> list[str]:
        """What a grader should know about workers."""
        return [*self._crew.refused.values(), *self._deaths]

    def wait(self) -> None:
        """Until a worker may be given work.

        Raises:
            UsageError: none came, or all were refused.
        """
        self._met = time.monotonic()
        while not self._crew.ready:
            try:
                self._look()
            except _Lost as lost:
                raise UsageError(str(lost)) from None
            if self._crew.refused and not self._crew.undecided and not self._crew.ready:
                raise UsageError(
                    "\n".join(["no worker of the cluster may be given work", *self._crew.refused.values()])
                )
            time.sleep(POLL_S)

    def run(self, tasks: Sequence[Submission]) -> Iterator[tuple[Submission, Record | Exception]]:
        """Every submission with its record, or what kept it from one, as they end."""
        self._waiting.extend(_Job(task) for task in tasks)
        while self._waiting or self._held:
            try:
                self._look()
                yield from self._give_up()
                self._hand_out()
                yield from self._collect()
            except _Lost as lost:
                jobs = [*(held.job for held in self._held.values()), *self._waiting]
                self.stop()
                yield from ((job.submission, JudgeFault(str(lost))) for job in jobs)

    def stop(self) -> None:
        """Give out nothing more, and cancel what has not begun; what runs ends by itself and is not asked for."""
        self._waiting.clear()
        futures = [*self._held, *([self._course] if self._course is not None else [])]
        self._held.clear()
        self._course = None
        if futures and self._client.status == "running":
            self._client.cancel(futures, force=True)

    def _look(self) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        try:
            left = self._crew.look()
        except (OSError, TimeoutError) as error:
            raise _Lost(
                f"the scheduler at {self._target} is gone ({type(error).__name__}); start it and run the same command again"
            ) from error
        for address in left:
            self._lost_with(address, f"worker {address} died")
        now = time.monotonic()
        for held in list(self._held.values()):
            if now - held.since > self._patience.hang_s:
                why = f"worker {held.address} did not answer within {self._patience.hang_s:g} s"
                self._crew.refuse(held.address, f"it did not answer within {self._patience.hang_s:g} s; restart it")
                self._lost_with(held.address, why)
        if self._crew.ready:
            self._met = now
        elif now - self._met > self._patience.alone_s and not self._crew.undecided:
            raise _Lost(
                f"no worker was at {self._target} for {self._patience.alone_s:g} s; start some (dask worker "
                f"{self._target.address or 'ADDRESS'}) and run the same command again"
            )

    def _lost_with(self, address: str, why: str) -> None:
        """A worker is no more: what it held waits again, first in the line."""
        futures = [future for future, held in self._held.items() if held.address == address]
        for future in futures:
            self._put_back(self._held.pop(future), why)
        if futures:
            self._deaths.append(why)
            self._client.cancel(futures, force=True)

    def _put_back(self, held: _Held, why: str) -> None:
        held.job.ends.append(why)
        self._waiting.appendleft(held.job)

    def _give_up(self) -> Iterator[tuple[Submission, Exception]]:
        """What several workers have failed over; only those that were put back can be, and they stand first."""
        while self._waiting and len(self._waiting[0].ends) >= TRIES:
            job = self._waiting.popleft()
            why = f"{TRIES} workers failed over this submission ({'; '.join(job.ends)}); look at them, then grade again"
            yield job.submission, JudgeFault(why)

    def _hand_out(self) -> None:
        for address in list(self._crew.free()):
            if not self._waiting or len(self._waiting[0].ends) >= TRIES:
                return
            job = self._waiting.popleft()
            future = self._client.submit(
                remote.grade,
                self._course_at(address),
                parcel.pack_submission(job.submission),
                key=f"judge_grade-{self._crew.token}-{next(self._numbers)}",
                workers=[address],
                pure=False,
            )
            self._held[future] = _Held(job, address, time.monotonic())
            self._crew.ready[address].held += 1
            future.add_done_callback(self._done.put)

    def _course_at(self, address: str) -> Future[bytes]:
        """The course: first at that worker, and made again elsewhere should all who have it die."""
        if self._course is None:
            self._course = self._client.submit(
                remote.hold,
                self._packed,
                key=f"judge_course-{self._crew.token}",
                workers=[address],
                allow_other_workers=True,
                pure=False,
            )
        return self._course

    def _collect(self) -> Iterator[tuple[Submission, Record | Exception]]:
        """What has ended since, waiting a moment for something to."""
        for future, data in self._fetched(self._ended()):
            held = self._held.pop(future)
            worker = self._crew.ready.get(held.address)
            if worker is not None:
                worker.held -= 1
            if isinstance(data, Exception):
                self._put_back(held, f"worker {held.address} failed: {type(data).__name__}: {data}")
                continue
            result = _read(data, held)
            if result is None:
                # Another process has taken the place of the one that was asked.
                self._crew.forget(held.address)
                self._waiting.appendleft(held.job)
            else:
                yield held.job.submission, result

    def _ended(self) -> list[Future[bytes]]:
        ended: list[Future[bytes]] = []
        # A time-out, since a wait without one cannot be interrupted by Ctrl-C on every platform.
        timeout = POLL_S
        while True:
            try:
                future = self._done.get(timeout=timeout)
            except queue.Empty:
                return ended
            timeout = 0.0
            # What was taken from a worker and given to another is not waited for.
            if future in self._held:
                ended.append(future)

    def _fetched(self, futures: Sequence[Future[bytes]]) -> list[tuple[Future[bytes], bytes | Exception]]:
        """The results, or what the cluster says instead of them."""
        good = [future for future in futures if future.status == "finished"]
        found: dict[Future[bytes], bytes | Exception] = {}
        try:
            together = self._client.sync(
                lambda: self._client.gather(good, asynchronous=True), callback_timeout=FETCH_S if good else None
            )
            found.update(zip(good, together, strict=True))
        except Exception as error:  # noqa: BLE001 - a worker may have died with its result
            found.update(dict.fromkeys(good, error))
        for future in futures:
            if future not in found:
                found[future] = future.exception() or RuntimeError(f"the task was {future.status}")
        return [(future, found[future]) for future in futures]


def _read(data: object, held: _Held) -> Record | JudgeFault | None:
    """The record, with what never left this side; a fault; or None from a process that was never asked."""
    submission = held.job.submission
    try:
        result = parcel.unpack_result(data if isinstance(data, bytes) else b"")
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        return JudgeFault(
            f"worker {held.address} answered what is no record ({type(error).__name__}); please report it"
        )
    if not isinstance(result, Record):
        return result
    if (result.problem, result.sha256) != (submission.problem, submission.sha256):
        return JudgeFault(f"worker {held.address} answered for another submission; please report it")
    return replace(result, student=submission.student, file=str(submission.file))
