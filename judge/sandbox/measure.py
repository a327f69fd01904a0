"""A process seen from outside: its CPU time, its memory, and how to end it. Linux reads the kernel; elsewhere `ps` is asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Activity:
    """Whether a process computed lately, from its CPU time as it is looked at: over the last second or two.

    Threads that wait in a collective use no CPU, and XLA calls them stuck after two seconds; a device that is merely late does.
    """

    #: A busy thread gets that much of a core even where ten others want it.
    BUSY = 0.05
    SPAN_S = 1.0

    def __init__(self, now_s: float, cpu_s: float) -> None:
        self._older = self._newer = (now_s, cpu_s)

    def note(self, now_s: float, cpu_s: float) -> None:
        if now_s - self._newer[0] >= self.SPAN_S:
            self._older, self._newer = self._newer, (now_s, cpu_s)

    def busy(self, now_s: float, cpu_s: float) -> bool:
        return cpu_s - self._older[1] > self.BUSY * (now_s - self._older[0])


class Gauge:
    """Looks at one process of the host. The last values stay when it has ended.

    On Linux a pidfd names the process, so that nobody else is killed when its number is used again.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.cpu_s = 0.0
        self.peak_bytes = 0
        self.pidfd = os.pidfd_open(pid) if sys.platform == "linux" else -1
        self._statm = Path(f"/proc/{pid}/statm")
        self._status = Path(f"/proc/{pid}/status")

    def look(self) -> int:
        """Resident bytes now, 0 when it has ended. Brings `cpu_s` and `peak_bytes` up to date."""
        if sys.platform != "linux":
            return self._ask_ps()
        try:
            # The CPU clock of another process, all threads and those that ended: ~pid << 3, and 2 for scheduled time.
            self.cpu_s = max(self.cpu_s, time.clock_gettime((~self.pid << 3) | 2))
            resident = int(self._statm.read_bytes().split()[1]) * PAGE
        except (OSError, IndexError, ValueError):
            return 0
        self.peak_bytes = max(self.peak_bytes, resident)
        return resident

    def look_closely(self) -> int:
        """As `look`, but the greatest resident size of its life, between two looks too. Ten times dearer."""
        resident = self.look()
        try:
            for line in self._status.read_bytes().splitlines():
                if line.startswith(b"VmHWM:"):
                    self.peak_bytes = max(self.peak_bytes, int(line.split()[1]) * 1024)
        except (OSError, IndexError, ValueError):
            return resident
        return self.peak_bytes

    def kill(self) -> None:
        """SIGKILL, to its group too where a child could fork: a child leads a group of its own."""
        try:
            self._signal(0)
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # It has ended, or does not lead a group yet.
            pass
        try:
            self._signal(signal.SIGKILL)
        except ProcessLookupError:
            return

    def close(self) -> None:
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1

    def _signal(self, number: int) -> None:
        if sys.platform == "linux":
            signal.pidfd_send_signal(self.pidfd, number)
        else:
            os.kill(self.pid, number)

    def _ask_ps(self) -> int:
        said = subprocess.run(
            ["/bin/ps", "-o", "rss=,time=", "-p", str(self.pid)], capture_output=True, text=True, check=False
        ).stdout.split()
        if len(said) != 2:
            return 0
        resident = int(said[0]) * 1024
        seconds = 0.0
        for part in said[1].replace("-", ":").split(":"):
            seconds = seconds * 60 + float(part)
        self.cpu_s = max(self.cpu_s, seconds)
        self.peak_bytes = max(self.peak_bytes, resident)
        return resident
