"""Ask one child of a session as the trusted side does, and look at the bare answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from judge.runner.wire import Buffer, Message
from judge.sandbox.session import Child, Session
from judge.sandbox.settings import ChildLimits, SandboxSettings

LIMITS = ChildLimits(memory_bytes=2 << 30, output_bytes=1 << 18, wall_factor=3.0, load_s=30.0)
#: Tests of what a child computes run where nothing confines, too; those of the confinement are elsewhere.
SETTINGS = SandboxSettings(unsafe=True)


class Asked:
    """A child, and short ways to ask it."""

    def __init__(self, child: Child) -> None:
        self.child = child

    def load(self, source: str | bytes, parameters: Sequence[str], filename: str = "student.py") -> Message:
        content = source.encode() if isinstance(source, str) else source
        header = {"request": "load", "filename": filename, "entry": "solve", "parameters": list(parameters)}
        return self.ask(header, [content])

    def ask(self, header: Mapping[str, Any], buffers: Sequence[Buffer] = ()) -> Message:
        return self.child.request(header, buffers, stage="test", cpu_s=60.0)

    def call(self, *inputs: Mapping[str, Any], arrays: Sequence[Buffer] = ()) -> Message:
        return self.ask({"request": "call", "inputs": list(inputs)}, arrays)


@contextmanager
def child(session: Session, kind: str, devices: int) -> Iterator[Asked]:
    with session.open(kind, devices=devices, limits=LIMITS) as opened:
        yield Asked(opened)
