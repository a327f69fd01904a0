"""A child: confine yourself, ask for the devices, then answer requests one at a time until the judge hangs up.

What it reads and writes with is bound here before any submission is imported, and it leaves by `os._exit`: no exit handler
of a submission runs, and no exception of an unfinished computation is printed.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from judge.runner import confine
from judge.runner.wire import Buffer, Caps, WireError, encode, read_frame

#: The kinds of child, and what serves each.
HANDLERS = {
    "live": "judge.runner.live:Live",
    "export": "judge.runner.export:Export",
    "program": "judge.runner.program:Program",
    "inspection": "judge.runner.inspection:Inspection",
    "probe": "judge.runner.probe:Probe",
}
#: The judge is trusted by the child, so what it sends is bounded by memory only.
ANY = Caps(1 << 30, 1 << 34, 1 << 20)
MAX_NAME = 100


class Handler(Protocol):
    """Serves the requests of one kind of child; made without arguments once the devices are up."""

    def handle(self, header: Mapping[str, Any], buffers: tuple[Buffer, ...]) -> tuple[dict[str, Any], list[Buffer]]: ...


@dataclass(frozen=True, slots=True)
class Order:
    """What the judge asked the launcher to open, and which layers the session has. `ruleset` -1: no Landlock."""

    kind: str
    devices: int
    memory_bytes: int
    lifetime_cpu_s: float
    rlimits: bool
    processes: bool
    ruleset: int
    seccomp: bool


def run(order: Order, handlers: Mapping[str, str], parent: int, channel: int) -> NoReturn:
    """Be the child, in a process just forked. Descriptors 0, 1, 2 and `channel` are its own; all others are closed."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        confine.die_with_parent(parent)
        os.setsid()
        # The judge learns from the credentials of this byte which process of the host this is.
        os.write(channel, b".")
        _confine(order)
        _devices(order.devices)
        module, _, name = handlers[order.kind].partition(":")
        handler: Handler = getattr(importlib.import_module(module), name)()
        _line_by_line()
        _send(channel, encode({"id": 0, "ready": True, "devices": order.devices}))
    except BaseException as error:
        _give_up(channel, error)
    _serve(channel, handler)


def _confine(order: Order) -> None:
    if sys.platform == "linux" and not confine.single_thread():
        raise confine.Unconfined("there is more than one thread before the confinement")
    if order.rlimits:
        confine.limit(order.memory_bytes, order.lifetime_cpu_s, processes=order.processes)
    if sys.platform == "linux":
        confine.no_new_privileges()
    if order.ruleset >= 0:
        confine.landlock(order.ruleset)
        os.close(order.ruleset)
    if order.seccomp:
        confine.seccomp()


def _devices(count: int) -> None:
    if not count:
        return
    import jax

    # The option and not XLA_FLAGS: a submission can change the flag, and once a backend is up it cannot change the option.
    os.environ["JAX_NUM_CPU_DEVICES"] = str(count)
    jax.config.update("jax_num_cpu_devices", count)
    found = jax.devices()
    if len(found) != count or any(device.platform != "cpu" for device in found):
        raise RuntimeError(f"asked for {count} CPU devices and got {found}")


def _line_by_line() -> None:
    # What was printed before a kill should have left the process: a pipe would be buffered in blocks. New streams, because
    # those of the launcher remember that theirs could seek.
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _give_up(channel: int, error: BaseException) -> NoReturn:
    message = f"{type(error).__name__}: {error}"[:2000]
    try:
        _send(channel, encode({"id": 0, "error": {"type": type(error).__name__, "message": message}}))
    finally:
        os._exit(70)


def _serve(channel: int, handler: Handler) -> NoReturn:
    read, leave, flush = _reader(channel), os._exit, (sys.stdout.flush, sys.stderr.flush)
    while (request := read_frame(read, ANY)) is not None:
        identity = request.header.get("id")
        try:
            header, buffers = handler.handle(request.header, request.buffers)
            frame = encode({**header, "id": identity}, buffers)
        except SystemExit as error:
            # The submission asked to end the process; so be it.
            for each in flush:
                _quietly(each)
            leave(error.code & 0xFF if type(error.code) is int else 1 if error.code else 0)
        except BaseException as error:
            frame = encode({"id": identity, "error": _bounded(error)})
        for each in flush:
            _quietly(each)
        _send(channel, frame)
    leave(0)


def _quietly(flush: Any) -> None:
    # The streams belong to the submission too: it may have closed them.
    try:
        flush()
    except BaseException:
        return


def _bounded(error: BaseException) -> dict[str, Any]:
    # The type only: str(error) may run code of the submission, and may never return.
    name = type.__dict__["__name__"].__get__(type(error))
    return {"type": str(name)[:MAX_NAME], "message": "", "line": 0, "text": ""}


def _reader(channel: int) -> Any:
    take = os.read

    def read(count: int) -> bytes:
        parts, missing = [], count
        while missing:
            part = take(channel, min(missing, 1 << 20))
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    return read


def _send(channel: int, frame: bytes, *, put: Any = os.write) -> None:
    # write and not send: the seccomp list has no calls of sockets.
    rest = memoryview(frame)
    while rest:
        written = put(channel, rest)
        if written <= 0:
            # A filter of the submission's own can make every write return 0; do not turn in circles.
            raise WireError("the channel takes nothing")
        rest = rest[written:]
