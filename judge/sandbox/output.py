"""What a child printed: drained while it runs, counted, and kept at head and tail."""

from __future__ import annotations

import os

#: Bytes of a read. A pipe holds this much on Linux.
CHUNK = 1 << 16


class Stream:
    """One pipe of a child, read without ever waiting. Keeps the first and the last `keep // 2` bytes."""

    def __init__(self, descriptor: int, keep: int) -> None:
        self.descriptor = descriptor
        self.total = 0
        self.open = True
        self._half = max(1, keep // 2)
        self._head = bytearray()
        self._tail = bytearray()
        os.set_blocking(descriptor, False)

    def drain(self) -> None:
        """Read what is there, at most one pipe full."""
        if not self.open:
            return
        try:
            data = os.read(self.descriptor, CHUNK)
        except BlockingIOError:
            return
        if not data:
            self.close()
            return
        self._keep(data)

    def close(self) -> None:
        if self.open:
            self.open = False
            os.close(self.descriptor)

    def text(self) -> bytes:
        """What was kept, with a line between head and tail that says how much was cut."""
        cut = self.total - len(self._head) - len(self._tail)
        between = b"\n[... %d bytes cut ...]\n" % cut if cut else b""
        return bytes(self._head) + between + bytes(self._tail)

    def _keep(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        del self._tail[: -self._half]
