"""The part of the judge that runs on the workers of a cluster.

Each function takes bytes and gives bytes, raises nothing, and may be run twice: a worker that dies costs what it held. A worker
process takes work only after it has answered an order (`admit`). It keeps a course (its problems in a folder of the worker's, a
desk for every submission that it grades at once) while there is work for it and a little longer, so that a judge that has ended,
by whatever means, leaves nothing behind.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import warnings
from collections.abc import Iterator
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


def admit(order: bytes) -> bytes:
    """What this worker is, and what it can confine, as tried now."""
    try:
        token, unsafe = parcel.unpack_order(order)
        layers = find_layers(SandboxSettings(unsafe=unsafe))
        _rooms.tokens.add(token)
        return parcel.pack_answer(store.versions(), layers)
    except JudgeError as error:
        return parcel.pack_fault(str(error))
    except Exception as error:  # noqa: BLE001 - a bug of ours must come back as words, too
        return parcel.pack_fault(f"the judge failed ({type(error).__name__}: {error}); please report it")


def hold(course: bytes) -> bytes:
    """The course, so that the cluster keeps it and workers take it from each other."""
    return course


def grade(course: bytes, submission: bytes) -> bytes:
    """The record of a submission, or why there is none."""
    try:
        with _rooms.room(course) as room:
            if room.course.token not in _rooms.tokens:
                return parcel.pack_stranger()
            return room.grade(parcel.unpack_submission(submission))
    except JudgeError as error:
        return parcel.pack_fault(str(error))
    except Exception as error:  # noqa: BLE001 - a bug of ours must come back as words, too
        return parcel.pack_fault(f"the judge failed ({type(error).__name__}: {error}); please report it")


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
        self.closing: threading.Timer | None = None

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
    """The courses that this process has open, by their bytes, and the tokens of the orders that it has answered."""

    def __init__(self) -> None:
        self.tokens: set[str] = set()
        self._lock = threading.Lock()
        self._open: dict[bytes, _Room] = {}

    @contextmanager
    def room(self, course: bytes) -> Iterator[_Room]:
        with self._lock:
            # The bytes of a course are one object in a worker: it is hashed once, and compared by identity.
            room = self._open.get(course)
            if room is None:
                room = self._open[course] = _Room(course)
            if room.closing is not None:
                room.closing.cancel()
            room.guests += 1
        try:
            yield room
        finally:
            with self._lock:
                room.guests -= 1
                if not room.guests:
                    room.closing = threading.Timer(IDLE_S, self._leave, (course, room))
                    room.closing.daemon = True
                    room.closing.start()

    def _leave(self, course: bytes, room: _Room) -> None:
        with self._lock:
            if room.guests or self._open.get(course) is not room:
                return
            del self._open[course]
        room.close()


_rooms = _Rooms()
