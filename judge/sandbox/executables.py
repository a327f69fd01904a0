"""Compiled executables that are kept from run to run, so that small modules which many submissions compile are compiled once.

A file is the SHA-256 of what follows, then frames of the wire. Only runs of a problem's own solutions write one, and what is
read is handed to launchers as an open file: nothing of a sandbox can reach it. Who may write the file may run code
in the sandbox, and no more; all the same a file that others may write, or that does not match its digest, is left alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from judge.runner.wire import encode

#: Bytes of one file; a problem's solutions give some two million.
CAP = 32 << 20
#: Bytes of all files of a folder: versions of problems and libraries leave theirs behind.
TOTAL = 256 << 20
DIGEST = hashlib.sha256().digest_size


def folder() -> Path | None:
    """Where files are kept: `JUDGE_CACHE`, else the user's cache; None where `JUDGE_CACHE` is empty, which switches it off."""
    named = os.environ.get("JUDGE_CACHE")
    if named is not None:
        return Path(named) if named else None
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jax-judge"
    except RuntimeError:
        # A user without a home.
        return None


def processor() -> str:
    """What code is compiled for on this machine: the features of its processor."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
        found = {line for line in lines if line.split(":")[0].strip() in {"model name", "flags", "Features"}}
        return hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()
    return "unknown"


def write(place: Path, compiled: Mapping[bytes, bytes]) -> None:
    """Write a file whole or not at all, readable by its owner alone; what is beyond `CAP` is left out.

    Raises:
        OSError: it cannot be written.
    """
    kept: dict[bytes, bytes] = {}
    left = CAP // 2
    for key, content in compiled.items():
        if len(content) <= left:
            kept[key] = content
            left -= len(content)
    frame = encode({"keys": [key.hex() for key in kept]}, list(kept.values()))
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(frame).digest() + frame)
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _trim(place.parent)


def _trim(root: Path) -> None:
    """Remove what was written longest ago, until the rest fits into `TOTAL`."""
    written = {file: file.stat() for file in root.glob("*.executables")}
    left = TOTAL
    for file in sorted(written, key=lambda one: written[one].st_mtime_ns, reverse=True):
        left -= written[file].st_size
        if left < 0:
            file.unlink(missing_ok=True)


def read(place: Path) -> bytes:
    """The frames of a file; none where it is missing, too large, not ours, writable by others or damaged."""
    try:
        with place.open("rb") as file:
            status = os.fstat(file.fileno())
            ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
            content = file.read(CAP + 1) if ours and status.st_size <= CAP else b""
    except OSError:
        return b""
    frames = content[DIGEST:]
    return frames if hashlib.sha256(frames).digest() == content[:DIGEST] else b""


@contextlib.contextmanager
def handed_over(places: Sequence[Path]) -> Iterator[tuple[int, ...]]:
    """Descriptors for a launcher: one with the frames of all files, or none where there are no frames."""
    frames = b"".join(map(read, places))
    if not frames:
        yield ()
        return
    with tempfile.TemporaryFile() as file:
        file.write(frames)
        file.seek(0)
        yield (file.fileno(),)
