"""Start one launcher, and talk with it over its control socket."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, NoReturn

from judge.errors import JudgeFault, UsageError
from judge.sandbox import bubblewrap, executables
from judge.sandbox.places import Places, closed, places
from judge.sandbox.settings import SandboxSettings

PACKET = 1 << 17
#: Bits of what root must be able to do to run a submission as another user, and to end it.
CAP_KILL, CAP_SETGID, CAP_SETUID = 5, 6, 7
#: Users from here on are no real ones; each launcher of a process gets another.
FIRST_UID, UIDS = 61042, 400
#: What the sandbox sees. Nothing of the judge's environment is handed on.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "JAX_PLATFORMS": "cpu",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "4",
}
#: Sets of XLA flags that a launcher of this process found to work, so that the next one need not try.
_known_flags: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a launcher says holds for its children, and why what is off is off."""

    bubblewrap: bool
    no_bubblewrap: str
    bubblewrap_remedy: str
    landlock_abi: int
    no_seccomp: str
    uid: int
    keep_read: bool
    flags: tuple[str, ...]

    @property
    def safe(self) -> bool:
        return not self.no_seccomp and (self.landlock_abi > 0 or self.bubblewrap)


class Launcher:
    """One launcher process. `packets` are read by its owner's thread alone; `alive` turns False once and for all."""

    def __init__(self, settings: SandboxSettings, number: int) -> None:
        if sys.platform == "win32":
            raise UsageError("the judge cannot run submissions on Windows; use WSL 2 or the container")
        self.settings = settings
        self.alive = False
        self.pid = 0
        self._rest = b""
        self._places = places(settings)
        self._boxed = _choose_bubblewrap(settings, self._places)
        self._uid, self._keep_read = _choose_user(settings, self._places, number, boxed=self._boxed is None)
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._control, theirs = _socket_pair()
        try:
            self._process = self._start(theirs)
        except OSError as error:
            self._control.close()
            self._stderr.close()
            raise JudgeFault(f"{settings.python} cannot be started: {error}; run: judge doctor") from None
        finally:
            theirs.close()
        self.alive = True
        try:
            self.confinement = self._greet()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the launcher and all its children."""
        self.alive = False
        with contextlib.suppress(OSError):
            self._control.close()
        try:
            self._process.wait(5.0 if self.pid else 0.1)
        except subprocess.TimeoutExpired:
            for pid in {self.pid, self._process.pid} - {0}:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()
        self._stderr.close()

    def fileno(self) -> int:
        return self._control.fileno()

    def send(self, packet: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Hand a packet to the launcher.

        Raises:
            JudgeFault: the launcher is gone.
        """
        data = json.dumps(packet).encode() + b"\n"
        try:
            socket.send_fds(self._control, [data], descriptors)
        except OSError as error:
            self._vanished(str(error))

    def packets(self, timeout_s: float) -> list[dict[str, Any]]:
        """What the launcher reports within the time, as soon as it reports anything; nothing is nothing.

        Raises:
            JudgeFault: the launcher is gone.
        """
        if not select.select([self._control], [], [], max(0.0, timeout_s))[0]:
            return []
        try:
            data = self._control.recv(PACKET)
        except OSError as error:
            self._vanished(str(error))
        if not data:
            self._vanished("it closed its socket")
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def _start(self, theirs: socket.socket) -> subprocess.Popen[bytes]:
        number = theirs.fileno()
        code = f"import sys; sys.path.insert(0, {self._places.root!r}); import judge.runner.launcher as l; l.main({number})"
        line = [str(self.settings.python), "-I", "-B", "-c", code]
        if self._boxed is None:
            line = [*bubblewrap.arguments(self._places), *line]
        return subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._stderr,
            pass_fds=(number,),
            env=ENVIRONMENT,
            cwd="/",
            # Ctrl-C in a terminal goes to the judge, which ends its sessions in order.
            start_new_session=True,
        )

    def _greet(self) -> Confinement:
        key = (str(self.settings.python), self.settings.flags)
        with executables.handed_over(self.settings.executables) as descriptors:
            self.send(self._config(key), descriptors)
        hello = self._hello()
        _known_flags[key] = tuple(hello["flags"])
        why, remedy = self._boxed or ("", "")
        confinement = Confinement(
            bubblewrap=self._boxed is None,
            no_bubblewrap=why,
            bubblewrap_remedy=remedy,
            landlock_abi=hello["landlock"],
            no_seccomp=hello["no_seccomp"],
            uid=hello["uid"],
            keep_read=self._keep_read,
            flags=tuple(hello["flags"]),
        )
        if not confinement.safe and not self.settings.unsafe:
            raise UsageError(refusal(confinement))
        return confinement

    def _config(self, key: tuple[str, tuple[str, ...]]) -> dict[str, Any]:
        settings, where = self.settings, self._places
        return {
            "trees": [*where.trees, *where.runner],
            "packages": where.packages,
            "written": ["/dev/null"],
            "paths": where.paths,
            "uid": self._uid,
            "keep_read": self._keep_read,
            "rlimits": settings.rlimits,
            "limit_processes": self._uid is not None or self._boxed is None,
            "landlock": settings.landlock,
            "seccomp": settings.seccomp,
            "flags": _known_flags.get(key, settings.flags),
            "flags_known": key in _known_flags,
            "handlers": dict(settings.handlers),
        }

    def _hello(self) -> dict[str, Any]:
        if not select.select([self._control], [], [], self.settings.start_s)[0]:
            self._fail(f"it was not ready after {self.settings.start_s:g} s")
        data, ancillary, _, _ = self._control.recvmsg(PACKET, socket.CMSG_SPACE(_CREDENTIALS.size))
        if not data:
            self._fail("it ended before it was ready")
        self.pid = credentials(ancillary) or self._process.pid
        *lines, self._rest = data.split(b"\n")
        assert lines, "a packet is a whole line"
        hello: dict[str, Any] = json.loads(lines[0])
        if "failed" in hello:
            self._fail(str(hello["failed"]))
        return hello

    def _fail(self, why: str) -> NoReturn:
        self.alive = False
        self._stderr.seek(0)
        said = self._stderr.read()[-2000:].decode("utf-8", "replace").strip()
        text = f"the launcher cannot start: {why}" + (f"\n{said}" if said else "")
        raise JudgeFault(f"{text}\nrun: judge doctor")

    def _vanished(self, why: str) -> NoReturn:
        self.alive = False
        raise JudgeFault(
            f"the launcher of the sandbox is gone ({why}); was it killed for want of memory? grade again with fewer --jobs"
        )


_CREDENTIALS = struct.Struct("3i")


def credentials(ancillary: Sequence[tuple[int, int, bytes]]) -> int:
    """The pid, as this process sees it, of whoever sent a message; 0 where the system does not tell."""
    for level, kind, data in ancillary:
        if sys.platform == "linux" and level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            return int(_CREDENTIALS.unpack(data[: _CREDENTIALS.size])[0])
    return 0


def ask_credentials(end: socket.socket) -> None:
    if sys.platform == "linux":
        end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)


def _socket_pair() -> tuple[socket.socket, socket.socket]:
    kind = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_STREAM
    ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
    ask_credentials(ours)
    return ours, theirs


def _choose_bubblewrap(settings: SandboxSettings, where: Places) -> tuple[str, str] | None:
    """None to use it; else why not, and the remedy."""
    if settings.bubblewrap is False or sys.platform != "linux":
        return ("it is switched off" if sys.platform == "linux" else f"{sys.platform} has no bubblewrap"), ""
    broken = bubblewrap.fails(where, (str(settings.python), "-I", "-S", "-c", "pass"))
    if broken is not None and settings.bubblewrap:
        raise UsageError(f"{broken[0]}; {broken[1]}")
    return broken


def _choose_user(settings: SandboxSettings, where: Places, number: int, *, boxed: bool) -> tuple[int | None, bool]:
    """The uid to drop to (None: stay), and whether it must read past the permissions of files."""
    if sys.platform != "linux" or os.geteuid() != 0 or not settings.drop_root:
        return None, False
    if not _may_change_user():
        raise UsageError(
            "root without the capabilities KILL, SETGID and SETUID cannot run submissions as another user; start the "
            "container with --user UID:GID, or with --cap-add KILL --cap-add SETGID --cap-add SETUID"
        )
    shut = [part for path in where.everything() if (part := closed(path, whole_way=not boxed))]
    if shut and not settings.landlock and not boxed:
        raise UsageError(
            f"{shut[0]} is closed to other users, and Python is behind it; install bubblewrap (apt-get install bubblewrap), "
            f"run: chmod o+rx {shut[0]}, or use a Python outside of it"
        )
    return _unused_uid(number), bool(shut)


def _may_change_user() -> bool:
    """Whether this process may take another group and user, and end what runs so; root without capabilities may not."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        (effective,) = (int(line.split()[1], 16) for line in status if line.startswith("CapEff:"))
    return all(effective >> capability & 1 for capability in (CAP_KILL, CAP_SETGID, CAP_SETUID))


def _unused_uid(number: int) -> int:
    """A user who does not exist and owns no process: limits of threads, and signals where no filter is, count by user."""
    import pwd  # not on Windows

    busy = _users_of_processes()
    for offset in range(UIDS):
        # Two judges that start at once must not choose alike.
        uid = FIRST_UID + (os.getpid() + number + offset) % UIDS
        try:
            pwd.getpwuid(uid)
        except KeyError:
            if uid not in busy:
                return uid
    raise UsageError(
        f"all users from {FIRST_UID} to {FIRST_UID + UIDS - 1} exist or run something; the sandbox needs one that does not"
    )


def _users_of_processes() -> set[int]:
    found: set[int] = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                found.add(entry.stat().st_uid)
    return found


def refusal(confinement: Confinement) -> str:
    """Why children of such a launcher may not run submissions, and what to do about it."""
    accept = "or accept that with --unsafe"
    if sys.platform != "linux":
        return f"submissions would not be confined: {sys.platform} has none of the layers; use the container, {accept}"
    if confinement.no_seccomp:
        remedy = "install it: apt-get install libseccomp2"
        return f"submissions would not be confined: no seccomp ({confinement.no_seccomp}); {remedy}; {accept}"
    return (
        "submissions would not be confined: no Landlock (Linux 5.13 or newer has it), and no bubblewrap "
        f"({confinement.no_bubblewrap}); {confinement.bubblewrap_remedy or 'turn one of them on'}; {accept}"
    )
