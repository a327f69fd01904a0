"""A child that tries what is forbidden, and says what came of it. Code of the judge's own; it reports, it does no harm.

Every attempt that a filter refuses is made with arguments that the kernel itself would refuse with another error, so that
the error tells who refused. `attempt` answers `{"results": {name: "done" | name of the errno | "error: ..."}}`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from judge.runner.wire import Buffer

NOBODY = 0x7FFFFFF0
PTRACE_ATTACH = 16
CLONE_NEWUSER = 0x10000000


class Probe:
    """Requests: `attempt` with `secret` (a file of the host), `judge` (its pid) and `abstract` (a socket's name);
    `spin`, `hoard` and `flood` run against the limits of the trusted side; `facts` tells who and where this is."""

    def handle(self, header: Mapping[str, Any], buffers: tuple[Buffer, ...]) -> tuple[dict[str, Any], list[Buffer]]:
        request = header["request"]
        if request == "attempt":
            return {"results": {name: _tried(attempt) for name, attempt in _attempts(header).items()}}, []
        if request == "facts":
            return {"facts": _facts()}, []
        if request == "spin":
            while True:
                pass
        if request == "sleep":
            time.sleep(3600)
        if request == "flood":
            while True:
                os.write(1, b"x" * 4096)
        if request == "hoard":
            hoard = []
            while True:
                hoard.append(b"x" * (1 << 20))
        return {"echo": header.get("echo")}, list(buffers)


def _tried(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error.errno))
    except Exception as error:
        return f"error: {type(error).__name__}"
    return "done"


def _attempts(header: Mapping[str, Any]) -> dict[str, Callable[[], object]]:
    secret, judge = str(header["secret"]), int(header["judge"])
    return {
        "read a file of the host": lambda: _read(secret),
        "see a file of the host": lambda: os.stat(secret),
        "read a device that is not listed": lambda: _read("/dev/full"),
        "list /proc": lambda: os.listdir("/proc"),
        "list /tmp": lambda: os.listdir("/tmp"),
        "read the judge's environment": lambda: _read(f"/proc/{judge}/environ"),
        "write a file": _write,
        "fork": _fork,
        "exec": lambda: os.execv("/nonexistent/program", ["program"]),
        "socket": _socket,
        "memfd": _memfd,
        "signal the judge": lambda: os.kill(judge, 0),
        "signal the launcher": lambda: os.kill(os.getppid(), 0),
        "ptrace": lambda: _libc("ptrace", PTRACE_ATTACH, NOBODY, 0, 0),
        "new user namespace": lambda: _libc("unshare", CLONE_NEWUSER | 0xFF),
        "affinity of another process": _affinity,
    }


def _read(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.read(descriptor, 1)
    finally:
        os.close(descriptor)


def _write() -> None:
    failed: OSError | None = None
    for folder in ("/tmp", "/dev/shm", "."):
        path = os.path.join(folder, f"judge-probe-{os.getpid()}")
        try:
            with open(path, "wb", buffering=0) as file:
                file.write(b"x")
        except OSError as error:
            failed = error
        else:
            return
        finally:
            # It may have been made and only the writing refused.
            _quietly_unlink(path)
    assert failed is not None, "there is at least one folder to try"
    raise failed


def _quietly_unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _socket() -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close()


def _memfd() -> None:
    if sys.platform == "linux":
        os.close(os.memfd_create("probe"))
    else:
        raise OSError(errno.ENOSYS, "no memfd")


def _affinity() -> None:
    if sys.platform == "linux":
        os.sched_setaffinity(NOBODY, {0})
    else:
        raise OSError(errno.ENOSYS, "no affinity")


def _libc(name: str, *arguments: int) -> None:
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    if function(*(ctypes.c_long(argument) for argument in arguments)) < 0:
        raise OSError(ctypes.get_errno(), name)


def _facts() -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "uid": os.getuid(),
        "groups": os.getgroups() if sys.platform != "linux" else [],
        "environment": sorted(os.environ),
        "descriptors": [number for number in range(3, 256) if _tried(lambda n=number: os.fstat(n)) == "done"],  # type: ignore[misc]
        "file_bytes": resource.getrlimit(resource.RLIMIT_FSIZE)[0],
        "core_bytes": resource.getrlimit(resource.RLIMIT_CORE)[0],
        "data_bytes": resource.getrlimit(resource.RLIMIT_DATA)[0],
    }
