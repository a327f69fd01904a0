"""The worker process: started, asked with a deadline, stopped. It knows frames, and nothing of what they mean."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judge.runner import wire

CAPS = wire.Caps(header_bytes=16 << 20, body_bytes=1 << 30, buffers=200_000)
CHUNK = 1 << 20
#: One thread, so that a sum has one order and one value; and the machine belongs to the sandboxes.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Stopped(Exception):
    """The worker did not answer: it took too long, or it ended. It is gone; the text says how."""


class Process:
    """One worker. Not for two threads at a time."""

    def __init__(self, folder: Path, memory_mb: int) -> None:
        worker = Path(__file__).with_name("worker.py")
        # A session of its own: Ctrl-C in the terminal is for the judge, which then closes the worker.
        self._child = subprocess.Popen(
            [sys.executable, "-I", "-B", str(worker), str(folder.resolve()), str(memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,
        )
        assert self._child.stdin is not None and self._child.stdout is not None, "both are pipes"
        self._to, self._from = self._child.stdin.fileno(), self._child.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        self._received = bytearray()

    def ask(self, header: Mapping[str, Any], buffers: Sequence[wire.Buffer], limit_s: float) -> wire.Message:
        """The answer to one request.

        Raises:
            Stopped: there is none; the process has been killed.
        """
        deadline = time.monotonic() + limit_s
        try:
            self._send(wire.encode(header, buffers), deadline)
            message = wire.read_frame(lambda count: self._read(count, deadline), CAPS)
        except TimeoutError:
            self.kill()
            raise Stopped(f"did not answer within {limit_s:g} s") from None
        except (BrokenPipeError, wire.WireError):
            message = None
        if message is None or message.header.get("id") != header["id"]:
            raise Stopped(f"ended its process ({self._end()})")
        return message

    def _send(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(self._to, selectors.EVENT_WRITE, deadline)
            rest = rest[os.write(self._to, rest[:CHUNK]) :]

    def _read(self, count: int, deadline: float) -> bytes:
        while len(self._received) < count:
            self._wait(self._from, selectors.EVENT_READ, deadline)
            data = os.read(self._from, CHUNK)
            if not data:
                break
            self._received += data
        taken = bytes(self._received[:count])
        del self._received[:count]
        return taken

    @staticmethod
    def _wait(descriptor: int, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            if not selector.select(max(deadline - time.monotonic(), 0.0)):
                raise TimeoutError

    def _end(self) -> str:
        self.kill()
        code = self._child.returncode
        if code >= 0:
            return f"exit status {code}"
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"

    def kill(self) -> None:
        """End it, whatever it does, and give its pipes back. May be called twice."""
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                stream.close()
        try:
            # A worker that has just ended by itself is given the moment to leave its status.
            self._child.wait(0.2)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
