"""What a process does to itself before it may touch anything of a student: layer A, and the way down from root.

The order matters. Root is given up in the launcher, before JAX is imported. In a child: rlimits, no_new_privs and Landlock
come first and seccomp last, all of them while it has a single thread, because Landlock and a filter hold for the calling
thread and for what that thread starts. Everything here raises `Unconfined` rather than go on with less.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import importlib
import os
import resource
import signal
import stat
import sys
from collections.abc import Iterable, Sequence
from typing import Any

GIB = 1 << 30
PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, PR_SET_NO_NEW_PRIVS = 1, 8, 38
CAP_DAC_READ_SEARCH = 2
CLONE_THREAD = 0x00010000

#: What JAX and an honest submission need. No fork, exec, socket, memfd, write to a file system, or look at a process.
ALLOWED = """
    read write readv writev pread64 pwrite64 lseek close fstat newfstatat stat lstat statx open openat access faccessat
    faccessat2 readlink readlinkat getcwd getdents64 dup dup2 dup3 pipe pipe2 poll ppoll select pselect6 epoll_create1
    epoll_ctl epoll_wait epoll_pwait eventfd2 mmap mprotect munmap mremap madvise brk mbind mincore msync fcntl futex
    set_robust_list get_robust_list rseq gettid getpid getppid getuid geteuid getgid getegid getpgrp set_tid_address
    arch_prctl rt_sigaction rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigpending rt_sigtimedwait sigaltstack
    restart_syscall pause sched_yield sched_getaffinity sched_getscheduler sched_getparam sched_get_priority_max
    sched_get_priority_min getcpu clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage
    getitimer setitimer alarm getrandom sysinfo uname membarrier exit exit_group statfs fstatfs umask fadvise64 getrlimit
""".split()  # noqa: SIM905 - a hundred quoted names would fill a hundred lines
#: PR_SET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP.
PRCTLS = (4, 15, 16, 21)
#: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)


class Unconfined(Exception):
    """A layer that was asked for did not hold. The process must not go on."""


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(what: str, result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise Unconfined(f"{what}: {errno.errorcode.get(code, code)}")
    return result


def _prctl(what: str, option: int, value: int) -> None:
    _call(what, _libc().prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def single_thread() -> bool:
    """Whether this process has one thread. Works without /proc: the kernel refuses this no-op to any other process."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return bool(_libc().unshare(CLONE_THREAD) == 0)


def die_with_parent(parent: int) -> None:
    """SIGKILL this process when its parent ends; also if that has happened already."""
    if sys.platform != "linux":
        return
    _prctl("die with the parent", PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def drop_root(uid: int, *, keep_read: bool) -> None:
    """Become `uid` for good, without groups and without capabilities.

    Args:
        uid: an unused one.
        keep_read: keep CAP_DAC_READ_SEARCH, for an interpreter in a folder that is closed to others. It lets a process
            read past the permissions of files; Landlock, which must then be on, still decides which files.
    """
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    _prctl("keep capabilities", PR_SET_KEEPCAPS, 1)
    os.setresuid(uid, uid, uid)
    # Version 3 of the header, this process; then (effective, permitted, inheritable) of capabilities 0-31 and 32-63.
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    kept = 1 << CAP_DAC_READ_SEARCH if keep_read else 0
    data = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
    _call("drop capabilities", _libc().capset(header, data))


def no_new_privileges() -> None:
    _prctl("no new privileges", PR_SET_NO_NEW_PRIVS, 1)


def limit(memory_bytes: int, lifetime_cpu_s: float, *, processes: bool) -> None:
    """Backstops behind what the trusted side measures, in case it is late or gone.

    Args:
        memory_bytes: what the trusted side allows resident; private memory may be 1 GiB more, since stacks count.
        lifetime_cpu_s: CPU seconds of all threads over the whole life.
        processes: limit the number of threads too. Wrong where they share their uid with the rest of a desktop.
    """
    cpus = os.cpu_count() or 1
    cpu_s = max(1, int(lifetime_cpu_s))
    limits: dict[int, tuple[int, int]] = {
        # 8 MiB of stack a thread, and the thread pools grow with the machine.
        resource.RLIMIT_DATA: 2 * (memory_bytes + GIB + cpus * (128 << 20),),
        resource.RLIMIT_AS: 2 * (memory_bytes + 12 * GIB + cpus * (256 << 20),),
        resource.RLIMIT_CPU: (cpu_s, cpu_s + 1),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_NOFILE: (256, 256),
    }
    if processes:
        limits[resource.RLIMIT_NPROC] = 2 * (512 + 64 * cpus,)
    if sys.platform == "linux":
        limits[resource.RLIMIT_MSGQUEUE] = (0, 0)
    else:
        # macOS gives every process more addresses than this, and refuses to take them back.
        del limits[resource.RLIMIT_AS]
    for which, wanted in limits.items():
        _, ceiling = resource.getrlimit(which)
        within = wanted if ceiling == resource.RLIM_INFINITY else (min(wanted[0], ceiling), min(wanted[1], ceiling))
        resource.setrlimit(which, within)


# Landlock. The numbers of its calls are the same on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _syscall(number: int, *arguments: Any) -> int:
    return int(_libc().syscall(ctypes.c_long(number), *arguments))


def landlock_abi() -> int:
    """The version of Landlock that the kernel speaks; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, _syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1)))


def landlock_ruleset(trees: Iterable[str], listed: Iterable[str], written: Iterable[str]) -> int:
    """A descriptor of rules under which nothing may be done to files but what is listed here, nor over the network.

    Made once by the launcher, since opening each path anew would cost every child a millisecond.

    Args:
        trees: files, and folders with all they hold, that may be read.
        listed: folders whose names may be listed, at any depth.
        written: devices that may be written to as well.
    """
    abi = landlock_abi()
    if not abi:
        raise Unconfined("the kernel has no Landlock")
    # Rights that came with versions 2 (rename), 3 (truncate) and 5 (ioctl of devices); 4: bind, connect; 6: scopes.
    bits = 13 + (abi >= 2) + (abi >= 3) + (abi >= 5)
    attributes = _Ruleset((1 << bits) - 1, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = _syscall(CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    _call("Landlock ruleset", ruleset)
    for path in trees:
        _landlock_allow(ruleset, path, READ_FILE | READ_DIR)
    for path in listed:
        _landlock_allow(ruleset, path, READ_DIR)
    for path in written:
        _landlock_allow(ruleset, path, READ_FILE | WRITE_FILE)
    return ruleset


def _landlock_allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        # Not every machine has every one of the paths; what is absent needs no permission.
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= READ_FILE | WRITE_FILE
        if access:
            rule = _PathBeneath(access, descriptor)
            done = _syscall(ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint32(0))
            _call(f"Landlock rule for {path}", done)
    finally:
        os.close(descriptor)


def landlock(ruleset: int) -> None:
    """Take the rules upon the calling thread, and upon all that it starts."""
    _call("Landlock", _syscall(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)))


def seccomp_missing() -> str:
    """Why there is no seccomp here; empty where it works."""
    if sys.platform != "linux":
        return f"{sys.platform} has no seccomp"
    try:
        _pyseccomp().get_api()
    except Exception as error:
        return f"libseccomp cannot be used: {error}"
    return ""


def _pyseccomp() -> Any:
    """The module, which looks for its libraries on import: by ldconfig and gcc, neither of which is in the sandbox."""
    names = {"c": "libc.so.6", "seccomp": "libseccomp.so.2"}
    library: Any = ctypes.util
    look_up = library.find_library
    library.find_library = names.get
    try:
        return importlib.import_module("pyseccomp")
    finally:
        library.find_library = look_up


def seccomp() -> None:
    """Load the filter into all threads: what `ALLOWED` does not name fails with EPERM."""
    sc = _pyseccomp()
    own = os.getpid()
    rules: list[tuple[int, str, Sequence[Any]]] = [(sc.ALLOW, name, ()) for name in ALLOWED]
    rules += [
        (sc.ALLOW, "clone", [sc.Arg(0, sc.MASKED_EQ, CLONE_THREAD, CLONE_THREAD)]),
        # ENOSYS, so that glibc falls back to clone, whose flags a filter can see.
        (sc.ERRNO(errno.ENOSYS), "clone3", ()),
        (sc.ALLOW, "kill", [sc.Arg(0, sc.EQ, own)]),
        (sc.ALLOW, "tgkill", [sc.Arg(0, sc.EQ, own)]),
        (sc.ALLOW, "prlimit64", [sc.Arg(0, sc.EQ, 0), sc.Arg(2, sc.EQ, 0)]),
        *((sc.ALLOW, "prctl", [sc.Arg(0, sc.EQ, option)]) for option in PRCTLS),
        *((sc.ALLOW, "ioctl", [sc.Arg(1, sc.EQ, request)]) for request in IOCTLS),
    ]
    filter_ = sc.SyscallFilter(sc.ERRNO(errno.EPERM))
    for action, name, arguments in rules:
        try:
            filter_.add_rule(action, name, *arguments)
        except OSError:
            # A call that this architecture or an old libseccomp does not know stays refused.
            if name in ("read", "write", "futex", "clone", "exit_group"):
                raise Unconfined(f"libseccomp does not know {name}") from None
    filter_.set_attr(sc.Attr.CTL_TSYNC, 1)
    filter_.load()
