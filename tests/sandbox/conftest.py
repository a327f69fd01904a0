"""A session whose children do what a test asks for, and a census of processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from judge.sandbox.session import ChildLimits, Session
from judge.sandbox.settings import SandboxSettings

HANDLERS = Path(__file__).parent / "handlers"
MIB = 1 << 20
LIMITS = ChildLimits(memory_bytes=1024 * MIB, output_bytes=64 << 10, wall_factor=3.0, load_s=20.0)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux'")


def behaving(settings: SandboxSettings) -> SandboxSettings:
    kinds = (("behave", "behaviours:Behaviours"), ("exits", "behaviours:ExitsWhenMade"))
    return replace(settings, handlers=kinds, paths=(HANDLERS,))


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def descendants(pid: int | None = None) -> set[int]:
    """Every process below this one that is no zombie."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] not in ("Z", "X"):
                below.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    todo = [os.getpid() if pid is None else pid]
    while todo:
        children = below.get(todo.pop(), [])
        found.update(children)
        todo += children
    return found


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(behaving(SandboxSettings())) as opened:
        yield opened


@pytest.fixture
def open_session() -> Iterator[Callable[[SandboxSettings], Session]]:
    opened: list[Session] = []

    def make(settings: SandboxSettings) -> Session:
        opened.append(Session(behaving(settings)))
        return opened[-1]

    yield make
    for each in opened:
        each.close()
