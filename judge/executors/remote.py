"""The part of the judge that runs on the workers of a cluster.

Each function takes bytes and gives bytes, raises nothing, and may be run twice: a worker that dies costs what it held. A worker
process keeps a course (its problems in a folder of the worker's, a desk for every submission that it grades at once) while there
is work for it and a little longer, so that a judge that has ended, by whatever means, leaves nothing behind.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import get_worker
from hypothesis.errors import HypothesisDeprecationWarning

from judge import store
from judge.errors import FaultyFile, JudgeError
from judge.executors import parcel
from judge.executors.desk import Desk
from judge.model.submission import Submission
from judge.sandbox.layers import find_layers
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings

#: A course without work is closed after this many seconds.
IDLE_S = 30.0


def _in_words(work: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """What a function raises comes back as a fault."""

    @functools.wraps(work)
    def worded(data: bytes) -> bytes:
        try:
            return work(data)
        except JudgeError as error:
            return parcel.pack_fault(str(error))
        except Exception as error:  # noqa: BLE001 - a bug of ours must not take the worker along
            return parcel.pack_fault(f"the judge failed ({type(error).__name__}: {error}); please report it")

    return worded


@_in_words
def admit(order: bytes) -> bytes:
    """What this worker is, and what it can confine, as tried now."""
    layers = find_layers(SandboxSettings(unsafe=parcel.unpack_order(order)))
    return parcel.pack_answer(store.versions(), layers)


@_in_words
def take(course: bytes) -> bytes:
    """Open a course."""
    _rooms.open(_Room(course))
    return parcel.pack_taken()


@_in_words
def grade(submission: bytes) -> bytes:
    """The record of a submission, or why there is none."""
    token, unpacked = parcel.unpack_submission(submission)
    with _rooms.room(token) as room:
        return parcel.pack_stranger() if room is None else room.grade(unpacked)


class _Room:
    """A course in this process."""

    def __init__(self, course: bytes) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="judge-", dir=get_worker().local_directory))
        try:
            self.course = parcel.unpack_course(course, self._folder)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        # Hypothesis sees the state of `random` change in a search: that is Dask's own thread, and no strategy draws from there.
        warnings.filterwarnings("ignore", "Do not use the `random` module", HypothesisDeprecationWarning)
        self._settings = SandboxSettings(unsafe=self.course.unsafe)
        self._free: list[Desk] = []
        self.guests = 0
        self.closing = threading.Timer(IDLE_S, self.close)

    def grade(self, submission: Submission) -> bytes:
        try:
            desk = self._free.pop()
        except IndexError:
            desk = Desk(self.course.problems, self.course.cases, Session(self._settings))
        try:
            return parcel.pack_record(desk.grade(submission))
        except FaultyFile as fault:
            here, there = self.course.problems[submission.problem].folder, self.course.folders[submission.problem]
            return parcel.pack_fault(str(fault).replace(str(here), there))
        finally:
            self._free.append(desk)

    def close(self) -> None:
        for desk in self._free:
            desk.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class _Rooms:
    """The courses that this process has open, by their tokens."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, _Room] = {}

    def open(self, room: _Room) -> None:
        with self._lock:
            if room.course.token in self._open:
                room.close()
                return
            self._open[room.course.token] = room
            self._close_later(room)

    @contextmanager
    def room(self, token: str) -> Iterator[_Room | None]:
        with self._lock:
            room = self._open.get(token)
            if room is not None:
                room.closing.cancel()
                room.guests += 1
        try:
            yield room
        finally:
            if room is not None:
                with self._lock:
                    room.guests -= 1
                    self._close_later(room)

    def _close_later(self, room: _Room) -> None:
        if not room.guests:
            room.closing = threading.Timer(IDLE_S, self._close, (room,))
            room.closing.daemon = True
            room.closing.start()

    def _close(self, room: _Room) -> None:
        with self._lock:
            if room.guests or self._open.get(room.course.token) is not room:
                return
            del self._open[room.course.token]
        room.close()


_rooms = _Rooms()
