"""`judge` as a user starts it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import judge
from tests.support import run

#: The package under test, the checkout's or the installed one, wherever the process is started.
WHERE = {"PYTHONPATH": str(Path(judge.__file__).resolve().parents[1])}
COMMAND = (sys.executable, "-m", "judge")


def command(
    *arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `judge` to its end."""
    return run([*COMMAND, *arguments], cwd=cwd, env={**WHERE, **(env or {})})


def started(*arguments: str | Path, cwd: Path) -> subprocess.Popen[str]:
    """`judge` while it runs, in a process group of its own; standard error is a pipe, standard output is dropped."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **WHERE},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def when(process: subprocess.Popen[str], line: str, act: Callable[[], object]) -> str:
    """Call `act` once a line of standard error holds `line`; everything written there, up to the end of the process."""
    assert process.stderr is not None
    seen = []
    acted = False
    for one in process.stderr:
        seen.append(one)
        if line in one and not acted:
            act()
            acted = True
    process.wait()
    process.stderr.close()
    assert acted, f"{line!r} never came: {''.join(seen)}"
    return "".join(seen)


def descendants(pid: int) -> list[int]:
    """Processes below `pid` that are running, its children first."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] not in ("Z", "X"):
                below.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    todo = [pid]
    while todo:
        children = below.get(todo.pop(0), [])
        found += children
        todo += children
    return found
