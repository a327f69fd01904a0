"""One process of the sandbox, as the trusted side sees it.

A child is watched while a request runs, by the thread that waits for its answer: pipes are drained, CPU time and memory are
read every `poll_s`, and the first limit that is passed is recorded, then the child is killed, then it is waited for. Nothing
here waits for the end of a file, or for anything without a limit, and nothing depends on the child's good will.
"""

from __future__ import annotations

import contextlib
import itertools
import select
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NoReturn, Protocol, Self

from judge.errors import JudgeFault
from judge.model.outcome import Ended, Usage
from judge.runner.wire import PREFIX, Buffer, Caps, Message, WireError, decode, encode, lengths
from judge.sandbox import ended as reasons
from judge.sandbox.launch import credentials
from judge.sandbox.measure import Activity, Gauge
from judge.sandbox.output import Stream
from judge.sandbox.settings import ChildLimits, SandboxSettings

#: Seconds for the kernel to end a killed process and for the launcher to report it.
REAP_S = 10.0
#: Seconds between the end of a child's channel and the end of the child, when both end together.
GRACE_S = 2.0
CHUNK = 1 << 18
#: Standard error may hold this many times as much: a hundred thousand warnings are cut, not punished.
STDERR_FACTOR = 256
#: Reads of each pipe after the end: more than a pipe holds.
LAST_READS = 4


class ChildEnded(Exception):
    """The child ended before it had answered, by a limit of ours or by itself. `ended` is the first reason recorded."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(f"{ended.verdict.value} ({ended.stage}): {ended.detail}")
        self.ended = ended


@dataclass(frozen=True, slots=True)
class Exit:
    """What the launcher reports of a child that it has reaped: a wait status, CPU seconds, peak resident bytes."""

    status: int
    cpu_s: float
    peak_bytes: int


class Reports(Protocol):
    """What a child needs of its session: the reports of the launcher."""

    @property
    def settings(self) -> SandboxSettings: ...

    def pump(self, timeout_s: float) -> None: ...

    def exit_of(self, identity: int, timeout_s: float) -> Exit | None: ...

    def forget(self, identity: int) -> None: ...


class Child:
    """One process of the sandbox. After `ChildEnded` it is spent: every further request raises the same reason.

    Attributes:
        kind: what serves its requests.
        inner_pid: its number inside the sandbox; `pid` is the one on the host.
    """

    def __init__(
        self,
        session: Reports,
        identity: int,
        kind: str,
        limits: ChildLimits,
        channel: socket.socket,
        pipes: tuple[int, int],
    ) -> None:
        self.kind = kind
        self.inner_pid = 0
        self._session = session
        self._identity = identity
        self._limits = limits
        self._channel = channel
        self._stdout = Stream(pipes[0], limits.output_bytes)
        self._stderr = Stream(pipes[1], limits.output_bytes)
        self._gauge: Gauge | None = None
        self._ended: Ended | None = None
        self._exit: Exit | None = None
        self._closed = False
        self._requests = itertools.count(1)
        self._opened_at = time.monotonic()
        self._wall_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._gauge.pid if self._gauge else 0

    @property
    def stdout(self) -> bytes:
        """What it printed so far: head and tail, with the number of bytes cut between."""
        return self._stdout.text()

    @property
    def stderr(self) -> bytes:
        """As `stdout`. XLA's own messages are among it."""
        return self._stderr.text()

    def usage(self) -> Usage:
        """Measured from outside, over its whole life so far."""
        cpu_s = self._gauge.cpu_s if self._gauge else 0.0
        peak = self._gauge.peak_bytes if self._gauge else 0
        if self._exit is not None:
            cpu_s, peak = max(cpu_s, self._exit.cpu_s), max(peak, self._exit.peak_bytes)
        wall_s = self._wall_s if self._closed else time.monotonic() - self._opened_at
        return Usage(cpu_s, wall_s, peak)

    def request(
        self,
        header: Mapping[str, Any],
        buffers: Sequence[Buffer] = (),
        *,
        stage: str,
        cpu_s: float,
        caps: Caps = Caps(),  # noqa: B008 - frozen
    ) -> Message:
        """Ask, and wait for the answer under the limits.

        Args:
            header: of the request; `id` is added here.
            buffers: arrays and bytes that go with it.
            stage: what an end is told to have happened in.
            cpu_s: CPU seconds, of all threads, that this request may use.
            caps: the most that the answer may hold.

        Raises:
            ChildEnded: there is no answer, or none within the limits.
            JudgeFault: the launcher is gone.
        """
        assert self._gauge is not None, "a child is handed out only once it is ready"
        if self._ended is not None:
            raise ChildEnded(self._ended)
        assert not self._closed, "a closed child takes no requests"
        identity = next(self._requests)
        answer = self._exchange(encode({**header, "id": identity}, buffers), stage, cpu_s, _Answer(caps))
        if answer.header.get("id") != identity or type(answer.header.get("id")) is not int:
            self._end(reasons.garbled(stage, "an answer to another request"))
        error = answer.header.get("error")
        if isinstance(error, dict) and error.get("type") in reasons.NO_MEMORY_TYPES:
            self._end(reasons.too_big(stage, self._limits.memory_bytes))
        return answer

    def close(self) -> None:
        """End it, however it is, and wait until it is gone. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._wall_s = time.monotonic() - self._opened_at
        self._channel.close()
        if self._gauge is not None:
            self._gauge.look_closely()
            self._gauge.kill()
        # A launcher that is gone took its children with it.
        with contextlib.suppress(JudgeFault):
            if self._exit is None and (self._gauge is not None or self.inner_pid):
                self._exit = self._session.exit_of(self._identity, REAP_S)
        for stream in (self._stdout, self._stderr):
            stream.drain()
            stream.close()
        if self._gauge is not None:
            self._gauge.close()
        self._session.forget(self._identity)

    def meet(self, devices: int) -> None:
        """Learn its pid, and wait until it is confined and has its devices. All that fails here is our fault."""
        limit = time.monotonic() + self._session.settings.start_s
        while not select.select([self._channel], [], [], 0.05)[0]:
            self._session.pump(0.0)
            if time.monotonic() > limit:
                raise JudgeFault("a child of the launcher did not begin in time; run: judge doctor")
        data, ancillary, _, _ = self._channel.recvmsg(1, socket.CMSG_SPACE(64))
        self._session.pump(0.0 if self.inner_pid else 1.0)
        pid = credentials(ancillary) or self.inner_pid
        try:
            if not data or not pid:
                raise ProcessLookupError
            self._gauge = Gauge(pid)
        except ProcessLookupError:
            raise JudgeFault(f"a child of the launcher ended at once{self._said()}; run: judge doctor") from None
        self._channel.setblocking(False)
        start_s = self._session.settings.start_s
        try:
            ready = self._exchange(b"", "start", start_s, _Answer(Caps()), memory=False)
        except ChildEnded as end:
            raise JudgeFault(
                f"a child did not become ready: {end.ended.detail}{self._said()}; run: judge doctor"
            ) from None
        if ready.header != {"id": 0, "ready": True, "devices": devices}:
            told = ready.header.get("error", ready.header)
            raise JudgeFault(f"a child of kind {self.kind} cannot be set up: {told}; run: judge doctor")

    def _exchange(self, frame: bytes, stage: str, cpu_s: float, answer: _Answer, *, memory: bool = True) -> Message:
        assert self._gauge is not None, "the pid is known before anything is exchanged"
        wall_s = cpu_s * self._limits.wall_factor
        self._gauge.look()
        started = time.monotonic()
        cpu_limit, wall_limit = self._gauge.cpu_s + cpu_s, started + wall_s
        activity = Activity(started, self._gauge.cpu_s)
        early = self._receive() if frame else None
        if early:
            self._end(reasons.garbled(stage, "an answer that nobody asked for"))
        if early == b"":
            self._gone(stage)
        rest = memoryview(frame)
        while True:
            self._wait(bool(rest))
            rest = self._put(rest)
            data = self._receive()
            self._stdout.drain()
            self._stderr.drain()
            complete = self._taken(answer, data, stage)
            self._check_output(stage)
            resident = self._gauge.look_closely() if complete else self._gauge.look()
            if memory and resident > self._limits.memory_bytes:
                self._end(reasons.too_big(stage, self._limits.memory_bytes))
            if self._gauge.cpu_s > cpu_limit:
                self._end(reasons.too_slow(stage, cpu_s))
            if complete:
                return self._decoded(answer, stage)
            if data == b"":
                self._gone(stage)
            now = time.monotonic()
            if now > wall_limit:
                end = reasons.too_long(stage, cpu_s, wall_s)
                self._end(end if activity.busy(now, self._gauge.cpu_s) else reasons.waited(end, self._stderr.text()))
            activity.note(now, self._gauge.cpu_s)

    def _taken(self, answer: _Answer, data: bytes | None, stage: str) -> bool:
        if not data:
            return False
        try:
            return answer.take(data)
        except WireError as error:
            self._end(reasons.garbled(stage, str(error)))

    def _decoded(self, answer: _Answer, stage: str) -> Message:
        try:
            return answer.message()
        except WireError as error:
            self._end(reasons.garbled(stage, str(error)))

    def _wait(self, sending: bool) -> None:
        """Until something can be read or sent, the child has ended, or it is time to look at it."""
        assert self._gauge is not None, "only a known process is waited for"
        poll = select.poll()
        poll.register(self._channel, select.POLLIN | (select.POLLOUT if sending else 0))
        for descriptor in (self._gauge.pidfd, *(s.descriptor for s in (self._stdout, self._stderr) if s.open)):
            if descriptor >= 0:
                poll.register(descriptor, select.POLLIN)
        poll.poll(self._session.settings.poll_s * 1000)

    def _put(self, rest: memoryview) -> memoryview:
        if not rest:
            return rest
        try:
            return rest[self._channel.send(rest[:CHUNK]) :]
        except BlockingIOError:
            return rest
        except OSError:
            # It has ended, or closed its end: reading says which.
            return rest[:0]

    def _receive(self) -> bytes | None:
        """What is there; None if nothing is, b"" at the end of the channel."""
        try:
            return self._channel.recv(CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _gone(self, stage: str) -> NoReturn:
        """The channel has ended: because the process has, or because it closed it."""
        self._exit = self._session.exit_of(self._identity, GRACE_S)
        for _ in range(LAST_READS):
            self._stdout.drain()
            self._stderr.drain()
        if self._exit is None:
            self._end(reasons.garbled(stage, "it closed the channel to the judge"))
        self._check_output(stage)
        self._end(
            reasons.by_status(
                stage,
                self._exit.status,
                self._stderr.text(),
                memory_bytes=self._limits.memory_bytes,
                lifetime_spent=self._exit.cpu_s >= self._session.settings.lifetime_cpu_s,
            )
        )

    def _check_output(self, stage: str) -> None:
        for stream, name, limit in (
            (self._stdout, "standard output", self._limits.output_bytes),
            (self._stderr, "standard error", self._limits.output_bytes * STDERR_FACTOR),
        ):
            if stream.total > limit:
                self._end(reasons.too_loud(stage, name, limit))

    def _end(self, ended: Ended) -> NoReturn:
        """Record the reason, the first one only; then kill, so that nothing after it can change it."""
        if self._ended is None:
            self._ended = ended
        self.close()
        raise ChildEnded(self._ended)

    def _said(self) -> str:
        self._stderr.drain()
        said = self._stderr.text()[-1000:].decode("utf-8", "replace").strip()
        return f" ({said})" if said else ""


class _Answer:
    """One frame as it arrives, refused as soon as its prefix lies outside the caps."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._data = bytearray()
        self._need: tuple[int, int] | None = None

    def take(self, data: bytes) -> bool:
        """Add what came; True once the frame is whole.

        Raises:
            WireError: this is no frame, or it is followed by something.
        """
        self._data += data
        if self._need is None:
            if len(self._data) < PREFIX.size:
                return False
            self._need = lengths(bytes(self._data[: PREFIX.size]), self._caps)
        whole = PREFIX.size + sum(self._need)
        if len(self._data) > whole:
            raise WireError("something follows the answer")
        return len(self._data) == whole

    def message(self) -> Message:
        assert self._need is not None, "it is whole"
        body = PREFIX.size + self._need[0]
        # A view, because a slice of a bytearray would be one more copy of up to 64 MB.
        with memoryview(self._data) as data:
            return decode(bytes(data[PREFIX.size : body]), bytes(data[body:]), self._caps)
