"""What a submission must not be able to do, tried with arguments that do no harm.

Every attempt that a filter refuses is made with arguments that the kernel itself would refuse with another error, so that
the error tells who refused.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

NOBODY = 0x7FFFFFF0
PTRACE_ATTACH = 16
CLONE_NEWUSER = 0x10000000
#: System calls without a function of the C library, by their numbers on x86-64 and elsewhere.
PERF_EVENT_OPEN, ADD_KEY = (298, 248) if os.uname().machine == "x86_64" else (241, 217)
IO_URING_SETUP = 425


def tried(attempt: Callable[[], object]) -> str:
    """`done`, the name of an errno, or `error: ` and the type of another exception."""
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error.errno))
    except Exception as error:
        return f"error: {type(error).__name__}"
    return "done"


def attempts(header: Mapping[str, Any]) -> dict[str, Callable[[], object]]:
    """By name. `header` has `secret` (a file of the host), `judge` (its pid), and for those attempts to mean something: `address`
    (of 8 bytes in the judge's memory), `unix`, `abstract`, `tcp` and `udp` (where it listens)."""
    secret, judge = str(header["secret"]), int(header["judge"])
    unix, abstract = str(header.get("unix", "")), "\0" + str(header.get("abstract", ""))
    return {
        "read a file of the host": lambda: _read(secret),
        "see a file of the host": lambda: os.stat(secret),
        "truncate a file of the host": lambda: os.truncate(secret, 1),
        "change the mode of a file of the host": lambda: os.chmod(secret, 0o644),
        "change the times of a file of the host": lambda: os.utime(secret),
        "read a device that is not listed": lambda: _read("/dev/full"),
        "list a folder of the host": lambda: os.listdir(os.path.dirname(secret)),
        "list the processes of the host": lambda: _listed("/proc", str(judge)),
        "read the judge's environment": lambda: _read(f"/proc/{judge}/environ"),
        "open the judge's memory": lambda: os.close(os.open(f"/proc/{judge}/mem", os.O_RDONLY)),
        "list the judge's descriptors": lambda: os.listdir(f"/proc/{judge}/fd"),
        "copy the judge's memory": lambda: _copy(judge, int(header.get("address", 0))),
        "write a file": _write,
        "fork": _fork,
        "exec": lambda: os.execv("/nonexistent/program", ["program"]),
        "thread": _thread,
        "executable memory": lambda: mmap.mmap(
            -1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        ).close(),
        "socket": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close(),
        "connect over TCP": lambda: _connect(
            socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", int(header.get("tcp", 9)))
        ),
        "send over UDP": lambda: _connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", int(header.get("udp", 9)))),
        "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(),
        "connect to a socket of the host": lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, unix),
        "connect to an abstract socket": lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, abstract),
        "memfd": _memfd,
        "System V memory": lambda: _libc("shmget", 0x5EED, 1, 0),
        "signal the judge": lambda: os.kill(judge, 0),
        "signal the launcher": lambda: os.kill(os.getppid(), 0),
        "ptrace": lambda: _libc("ptrace", PTRACE_ATTACH, NOBODY, 0, 0),
        "new user namespace": lambda: _libc("unshare", CLONE_NEWUSER | 0xFF),
        "affinity of another process": _affinity,
        "priority of another process": lambda: os.setpriority(os.PRIO_PROCESS, NOBODY, 19),
        "io_uring": lambda: _libc("syscall", IO_URING_SETUP, 0, 0),
        "perf": lambda: _libc("syscall", PERF_EVENT_OPEN, 0, 0, -1, -1, 0),
        "keyring": lambda: _libc("syscall", ADD_KEY, 0, 0, 0, 0, 0),
    }


def _read(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.read(descriptor, 1)
    finally:
        os.close(descriptor)


def _listed(folder: str, name: str) -> None:
    if name not in os.listdir(folder):
        raise FileNotFoundError(errno.ENOENT, name)


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


def _thread() -> None:
    thread = threading.Thread(target=os.getpid)
    thread.start()
    thread.join()


def _connect(family: int, kind: int, address: Any) -> None:
    with socket.socket(family, kind) as end:
        end.connect(address)
        # Where nobody takes a datagram, the second one tells.
        end.send(b"x")
        end.send(b"x")


def _copy(pid: int, address: int) -> None:
    buffer = ctypes.create_string_buffer(8)
    ours, theirs = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8), (ctypes.c_void_p * 2)(address, 8)
    _libc("process_vm_readv", pid, ctypes.addressof(ours), 1, ctypes.addressof(theirs), 1, 0)


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
