"""A run that is killed again and again comes to the same results, grades nothing twice and leaves no process behind."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import tiny_problem as tiny
from tests.support.command import command, descendants, started

KILLS = 20
#: Cheap ones, most of which end at the first call; no two are the same file.
SOURCES = (tiny.NONE, tiny.BROKEN, tiny.RAISES, tiny.EXITS, tiny.NONE, tiny.LOCAL)
CLASS = {f"s{number:02}": f"{SOURCES[number % len(SOURCES)]}# {number}\n" for number in range(29)} | {"s29": tiny.RIGHT}
#: What differs from run to run and decides nothing.
MEASURED = ("seconds", "usage", "file")


@pytest.mark.long("a class of thirty is graded once undisturbed and once in twenty-one parts")
def test_twenty_kills_at_random_moments_change_no_record_and_grade_nothing_twice(tmp_path: Path) -> None:
    undisturbed = _course(tmp_path / "undisturbed")
    assert command(*_arguments(undisturbed), cwd=undisturbed).returncode == 0
    disturbed, moments = _course(tmp_path / "disturbed"), random.Random(7)
    kept: Mapping[str, tuple[int, bytes]] = {}
    for kills_left in range(KILLS, 0, -1):
        # So few at a time that there is something left to interrupt at the last kill.
        room = len(CLASS) - len(kept) - 2 * kills_left
        records = moments.randint(0, 2) if room > 0 else 0
        _killed(disturbed, records=records, ticks=moments.randint(0, 3 if records else 60))
        now = _kept(disturbed)
        assert {name: now[name] for name in kept} == kept, "what was finished is never graded again"
        kept = now
    assert len(kept) < len(CLASS), "the last kill came too late to interrupt anything"
    again = command(*_arguments(disturbed), cwd=disturbed)
    assert again.returncode == 0, again.stderr
    assert f"{len(kept)} of them unchanged" in again.stdout
    assert {name: _kept(disturbed)[name] for name in kept} == kept
    assert _results(disturbed) == _results(undisturbed)
    assert not list(disturbed.rglob("*.part")), "files that were half written are cleared away"


def _course(root: Path) -> Path:
    tiny.write_problem(root / "problems")
    tiny.write_submissions(root / "class", CLASS)
    return root


def _arguments(root: Path) -> list[str | Path]:
    return ["--problems", root / "problems", "grade", root / "class", "--out", root / "results", "--seed", "9"]


def _kept(root: Path) -> Mapping[str, tuple[int, bytes]]:
    """Time and content of each record on disk."""
    folder = root / "results" / ".judge" / "records"
    return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.glob("*.json")}


def _results(root: Path) -> list[dict[str, Any]]:
    content = json.loads((root / "results" / "results.json").read_text())
    return [{name: one[name] for name in one if name not in MEASURED} for one in content["results"]]


def _killed(root: Path, *, records: int, ticks: int) -> None:
    """Start a run, and kill it once that many records are told and the judge has then used that much CPU time."""
    process = started(*_arguments(root), "--jobs", "1", cwd=root)
    assert process.stderr is not None
    for _ in range(records):
        assert process.stderr.readline().startswith("["), "a line a record"
    used = _ticks(process)
    while process.poll() is None and _ticks(process) < used + ticks:
        pass
    # Stopped first, so that nothing is born between the look and the kill.
    process.send_signal(signal.SIGSTOP)
    below = [handle for pid in descendants(process.pid) if (handle := _handle(pid)) is not None]
    process.kill()
    process.wait()
    process.stderr.close()
    assert process.returncode == -signal.SIGKILL
    for handle in below:
        ended, _, _ = select.select([handle], [], [], 60)
        os.close(handle)
        assert ended, "a process of the sandbox outlives the judge"


def _ticks(process: subprocess.Popen[str]) -> int:
    """CPU time of the judge's own process, in ticks of the kernel."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def _handle(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where it has ended."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None
