"""Wait until a file has been saved.

The file is looked at, not listened to: that works on every system and every file system, needs no library, and cannot be thrown
by an editor that writes another file and puts it in the place of the first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

POLL_S = 0.2
Stamp = tuple[int, int, int]


def saves(file: Path, *, sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Yield at once, and again whenever the file has changed since the last time, without end.

    A file that is gone is waited for, and one that is still being written is left until it has been the same for one look.
    """
    seen = before = _stamp(file)
    yield
    while True:
        sleep(POLL_S)
        now = _stamp(file)
        if now is not None and now == before and now != seen:
            seen = now
            yield
        before = now


def _stamp(file: Path) -> Stamp | None:
    """What changes when a file is written or replaced; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
