"""The trusted side of the boundary: a session owns a launcher and opens children.

One thread serves a session and its children; several sessions may live in as many threads of one process. What a submission
does is an outcome (`ChildEnded`); what fails on our side is a `JudgeFault`, and the session then starts a new launcher.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from judge.errors import JudgeError, JudgeFault
from judge.sandbox.child import Child, ChildEnded, Exit
from judge.sandbox.launch import Confinement, Launcher, ask_credentials
from judge.sandbox.settings import ChildLimits, Kind, SandboxSettings

__all__ = ["Child", "ChildEnded", "ChildLimits", "Session"]

_numbers = itertools.count()


class Session:
    """Opens children. Not shared between threads; several sessions may live in as many threads of one process."""

    def __init__(self, settings: SandboxSettings | None = None) -> None:
        self.settings = settings or SandboxSettings()
        self._number = next(_numbers)
        self._launcher: Launcher | None = None
        self._coming: Future[Launcher] | None = None
        self._ids = itertools.count(1)
        self._children: dict[int, Child] = {}
        self._exits: dict[int, Exit] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def prepare(self) -> None:
        """Start the launcher beside what the caller does next: it takes a second, most of it to import JAX.

        Whatever goes wrong is raised by the first call that needs the launcher.
        """
        if self._launcher is None and self._coming is None:
            beside = ThreadPoolExecutor(1)
            self._coming = beside.submit(Launcher, self.settings, self._number)
            beside.shutdown(wait=False)

    def confinement(self) -> Confinement:
        """What holds for the children of this session; starts the launcher.

        Raises:
            UsageError: too little confines here, and the settings do not say `unsafe`.
            JudgeFault: no launcher can be started.
        """
        return self._running().confinement

    def open(self, kind: Kind | str, *, devices: int, limits: ChildLimits) -> Child:
        """A child of a kind, confined and with its devices up; a launcher that has died is started anew.

        Raises:
            UsageError: too little confines here, and the settings do not say `unsafe`.
            JudgeFault: it does not get that far. Nothing of a submission has run by then.
        """
        launcher = self._running()
        identity = next(self._ids)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        out, err = os.pipe(), os.pipe()
        ask_credentials(ours)
        child = Child(self, identity, kind, limits, ours, (out[0], err[0]))
        self._children[identity] = child
        try:
            order = {"open": True, "id": identity, "kind": kind, "devices": devices}
            order |= {"memory_bytes": limits.memory_bytes, "lifetime_cpu_s": self.settings.lifetime_cpu_s}
            try:
                launcher.send(order, (theirs.fileno(), out[1], err[1]))
            finally:
                theirs.close()
                os.close(out[1])
                os.close(err[1])
            child.meet(devices)
        except BaseException:
            child.close()
            raise
        return child

    def close(self) -> None:
        """End every child and the launcher. No process is left; a second call does nothing."""
        for child in list(self._children.values()):
            child.close()
        if self._coming is not None:
            with contextlib.suppress(JudgeError):
                self._launcher = self._arrived(self._coming)
        launcher, self._launcher = self._launcher, None
        if launcher is not None:
            launcher.close()

    def _running(self) -> Launcher:
        if self._launcher is not None and not self._launcher.alive:
            self.close()
        if self._launcher is None:
            coming = self._coming
            self._launcher = Launcher(self.settings, self._number) if coming is None else self._arrived(coming)
        return self._launcher

    def _arrived(self, coming: Future[Launcher]) -> Launcher:
        self._coming = None
        return coming.result()

    def pump(self, timeout_s: float) -> None:
        """Take in what the launcher reports.

        Raises:
            JudgeFault: it is gone, or it could not fork.
        """
        if self._launcher is None or not self._launcher.alive:
            raise JudgeFault("the launcher of the sandbox is gone; grade again")
        for packet in self._launcher.packets(timeout_s):
            child = self._children.get(packet.get("id", 0))
            if "ended" in packet:
                self._exits[packet["id"]] = Exit(packet["status"], packet["cpu_s"], packet["peak_bytes"])
            elif "forked" in packet and child is not None:
                child.inner_pid = packet["pid"]
            elif "refused" in packet:
                raise JudgeFault(f"the launcher cannot fork: {packet['why']}; run: judge doctor")
            elif "failed" in packet:
                raise JudgeFault(f"the launcher failed: {packet['failed']}; grade again")

    def exit_of(self, identity: int, timeout_s: float) -> Exit | None:
        """The report on a child, waiting for it that long; None if it does not come."""
        limit = time.monotonic() + timeout_s
        while identity not in self._exits:
            left = limit - time.monotonic()
            if left <= 0:
                return None
            self.pump(left)
        return self._exits.pop(identity)

    def forget(self, identity: int) -> None:
        self._children.pop(identity, None)
        self._exits.pop(identity, None)
