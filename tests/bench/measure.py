"""What a command and everything that it starts cost.

CPU time is read from a control group of its own where one can be made: it counts every process, also those that are killed
and never waited for. Elsewhere it is `RUSAGE_CHILDREN`, with orphans adopted by this process first.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
#: Where groups can be made, and the file in a group that tells nanoseconds or, in a second hierarchy, microseconds.
GROUPS = (
    (Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage"),
    (Path("/sys/fs/cgroup"), "cpu.stat"),
    (Path("/sys/fs/cgroup/unified"), "cpu.stat"),
)
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of CPU of the whole tree, of wall clock, and the peak resident megabytes of the first process alone."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    status: int
    stdout: str
    counted_by: str


def measure(command: Sequence[str | Path], *, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Cost:
    """Run a command to its end.

    Raises:
        OSError: it cannot be started.
    """
    with _group() as group:
        started, before = time.monotonic(), _children_s()
        entered = f'echo $$ > "{group[0]}/cgroup.procs" && exec "$@"' if group else 'exec "$@"'
        process = subprocess.Popen(
            ["/bin/sh", "-c", entered, "sh", *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            text=True,
        )
        peak_mb = 0.0
        chunks: list[str] = []
        while True:
            try:
                chunks.append(process.communicate(timeout=POLL_S)[0])
                break
            except subprocess.TimeoutExpired:
                peak_mb = max(peak_mb, _peak_mb(process.pid))
        wall_s = time.monotonic() - started
        _reap_orphans()
        cpu_s = _read(group) if group else _children_s() - before
        by = "cgroup" if group else "rusage"
        return Cost(cpu_s, wall_s, peak_mb, process.returncode, "".join(chunks), by)


@contextmanager
def _group() -> Iterator[tuple[Path, str] | None]:
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for parent, file in GROUPS:
        folder = parent / f"judge-bench-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            if (folder / file).exists() and (folder / "cgroup.procs").exists():
                yield folder, file
                return
        finally:
            _remove(folder)
    yield None


def _remove(folder: Path) -> None:
    # A group is busy until the kernel has buried its last process.
    for _ in range(100):
        try:
            folder.rmdir()
        except OSError:
            time.sleep(POLL_S)
        else:
            return


def _read(group: tuple[Path, str]) -> float:
    text = (group[0] / group[1]).read_text()
    if group[1] == "cpu.stat":
        return int(dict(line.split() for line in text.splitlines())["usage_usec"]) / 1e6
    return int(text) / 1e9


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _reap_orphans() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _peak_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    kilobytes = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")]
    return kilobytes[0] / 1024 if kilobytes else 0.0
