"""The launcher: imports JAX once, touches no device, and forks a child for every `open` on its control socket.

Control socket, one JSON object a packet (SOCK_SEQPACKET; where there is none, a line of a stream). First the judge sends the
configuration, with the descriptor of compiled executables if it has any, and the launcher answers `hello`, or `failed` and
ends. Then

    judge -> launcher    open: id, kind, devices, memory_bytes, lifetime_cpu_s   [descriptors: channel, stdout, stderr]
    launcher -> judge    forked: id, pid          (in the launcher's own PID namespace)
                         refused: id, why         (no fork; the id is free again)
                         ended: id, status, cpu_s, peak_bytes                    (wait status; reaped)

It ends when the control socket does, and its children with it: the kernel kills them (die_with_parent), and where it cannot,
the launcher does before it leaves. It has one thread for all its life, or forking would not be safe.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from judge.runner import child, confine

PACKET = 1 << 17
#: Imported before the first fork, so that no child pays for them. None of them starts a backend. The second line is what JAX
#: imports at its first lowering, 0.15 s of it SciPy's.
PRELOADED = (
    *("jax", "jax.numpy", "jax.export", "jax.experimental", "jax.experimental.shard_map", "numpy"),
    *(
        "scipy.linalg",
        "jaxlib.lapack",
        "jaxlib.mlir.dialects.mhlo",
        "jaxlib.mlir.dialects.builtin",
        "concurrent.futures",
    ),
)


class Launcher:
    """Serves one control socket until it closes."""

    def __init__(self, control: socket.socket, config: dict[str, Any]) -> None:
        self.control = control
        self.config = config
        self.handlers = {**child.HANDLERS, **config["handlers"]}
        self.children: dict[int, int] = {}
        self.ruleset = -1

    def prepare(self, descriptors: Sequence[int]) -> dict[str, Any]:
        """Give up root, import, build the rules; what is on and what is not goes into `hello`.

        `descriptors` holds at most one: the executables that children need not compile.
        """
        config = self.config
        if config["uid"] is not None:
            confine.drop_root(config["uid"], keep_read=config["keep_read"])
        sys.path.extend(path for path in config["paths"] if path not in sys.path)
        if sys.platform == "linux":
            confine.no_new_privileges()
        no_seccomp = confine.seccomp_missing() if config["seccomp"] else "switched off"
        _preload(self.handlers.values())
        for descriptor in descriptors:
            _take_executables(descriptor)
        if sys.platform == "linux" and not confine.single_thread():
            raise RuntimeError("an import started a thread; a fork would not be safe")
        flags = _accepted_flags(config["flags"], config["flags_known"])
        os.environ["XLA_FLAGS"] = " ".join(flags)
        abi = confine.landlock_abi() if config["landlock"] else 0
        if abi:
            packages = [os.path.join(folder, name) for folder in config["packages"] for name in _listing(folder)]
            self.ruleset = confine.landlock_ruleset(
                [*config["trees"], *packages], config["packages"], config["written"]
            )
        self.seccomp = not no_seccomp
        return {"hello": True, "landlock": abi, "no_seccomp": no_seccomp, "flags": flags, "uid": os.getuid()}

    def serve(self) -> None:
        wake, waker = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(waker, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if wake in ready:
                os.read(wake, 4096)
                self._reap()
            if self.control.fileno() in ready:
                packet, descriptors = receive(self.control)
                if packet is None:
                    return
                self._open(packet, descriptors)

    def kill_children(self) -> None:
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)

    def _open(self, packet: dict[str, Any], descriptors: Sequence[int]) -> None:
        identity = packet["id"]
        order = child.Order(
            kind=packet["kind"],
            devices=packet["devices"],
            memory_bytes=packet["memory_bytes"],
            lifetime_cpu_s=packet["lifetime_cpu_s"],
            rlimits=self.config["rlimits"],
            processes=self.config["limit_processes"],
            ruleset=self.ruleset,
            seccomp=self.seccomp,
        )
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            send(self.control, {"refused": True, "id": identity, "why": str(error)})
            return
        else:
            if pid == 0:
                _become(order, self.handlers, parent, descriptors, self.ruleset)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self.children[pid] = identity
        send(self.control, {"forked": True, "id": identity, "pid": pid})

    def _reap(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            identity = self.children.pop(pid, None)
            if identity is not None:
                scale = 1 if sys.platform == "darwin" else 1024
                cpu_s = usage.ru_utime + usage.ru_stime
                peak = usage.ru_maxrss * scale
                send(
                    self.control, {"ended": True, "id": identity, "status": status, "cpu_s": cpu_s, "peak_bytes": peak}
                )


def _become(
    order: child.Order, handlers: dict[str, str], parent: int, descriptors: Sequence[int], ruleset: int
) -> NoReturn:
    """In the fork: keep null, stdout, stderr, the channel and the rules, and nothing else that the launcher had open."""
    try:
        signal.set_wakeup_fd(-1)
        channel, out, err = descriptors
        os.dup2(out, 1)
        os.dup2(err, 2)
        kept = sorted({channel, ruleset} - {-1})
        low = 3
        for descriptor in kept:
            os.closerange(low, descriptor)
            low = descriptor + 1
        os.closerange(low, max(low, os.sysconf("SC_OPEN_MAX")))
        child.run(order, handlers, parent, channel)
    finally:
        os._exit(70)


def _listing(folder: str) -> list[str]:
    # The judge may be installed beside JAX. Its own code is not the students' to read, but for the runner.
    try:
        return [name for name in os.listdir(folder) if name != "judge" and not name.startswith("judge-")]
    except OSError:
        return []


def _preload(handlers: Any) -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    for handler in handlers:
        module = handler.partition(":")[0]
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            # A kind that is not installed is refused when somebody opens it.
            if error.name != module:
                raise
    # These import JAX, which waits until root is given up.
    from judge.runner.private import share_ir_context

    share_ir_context()


def _take_executables(descriptor: int) -> None:
    from judge.runner.executables import take

    take(descriptor)


def _accepted_flags(flags: list[str], known: bool) -> list[str]:
    """Those of `flags` with which a backend starts. A jaxlib that does not know a flag aborts the whole process."""
    if known or _starts(flags):
        return flags
    return [flag for flag in flags if _starts([flag])]


def _starts(flags: list[str]) -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            os.environ["XLA_FLAGS"] = " ".join(flags)
            import jax

            jax.config.update("jax_num_cpu_devices", 1)
            jax.devices()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def receive(control: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """The next packet and the descriptors that came with it; None at the end."""
    data, descriptors, _, _ = socket.recv_fds(control, PACKET, 3)
    return (json.loads(data) if data else None), descriptors


def send(control: socket.socket, packet: dict[str, Any]) -> None:
    control.send(json.dumps(packet).encode() + b"\n")


def main(control_fd: int) -> NoReturn:
    """Be the launcher. Every error on the way to `hello` is told to the judge, which knows the remedy."""
    control = socket.socket(fileno=control_fd)
    os.set_inheritable(control_fd, False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    launcher = None
    try:
        config, descriptors = receive(control)
        if config is not None:
            launcher = Launcher(control, config)
            send(control, launcher.prepare(descriptors))
            launcher.serve()
    except BaseException as error:
        try:
            send(control, {"failed": f"{type(error).__name__}: {error}"[:4000]})
        except OSError:
            # The judge is gone; there is nobody to tell.
            os._exit(1)
    finally:
        if launcher is not None:
            launcher.kill_children()
        os._exit(0)
