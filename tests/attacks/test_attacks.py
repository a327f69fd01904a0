"""Attack programs against the whole judge: each gets a right verdict, finds nothing, and leaves nothing behind.

With bubblewrap and without it; `test_ordinary_user.py` runs this file as a user who is not root.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge import store
from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports.files import files
from judge.sandbox.settings import SandboxSettings
from tests.attacks.labels import LABELLED, OWN, expected, preambles, programs
from tests.attacks.range import (
    CONTROL,
    Range,
    as_terminal,
    droppings,
    opened_range,
    peak_bytes,
    processes,
    reset_peak,
    survivors,
)
from tests.support.reports import unfenced

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux'"),
    pytest.mark.long("attacks the judge with some ninety programs, twice as root and twice as an ordinary user"),
]
LATE_S = 2.0
ROOM_BYTES = 300 << 20
MOST_BYTES = 100_000


@pytest.fixture(scope="module", params=[None, False], ids=["bubblewrap", "no bubblewrap"])
def firing_range(request: pytest.FixtureRequest) -> Iterator[Range]:
    with opened_range(SandboxSettings(bubblewrap=request.param)) as opened:
        # What the first submission of a session loads counts as idle.
        assert opened.judge(CONTROL).record.verdict is Verdict.ACCEPTED
        yield opened


@pytest.mark.parametrize("program", [*programs(LABELLED), *programs(OWN)], ids=lambda path: path.stem)
def test_an_attack_gets_its_verdict_and_leaves_the_judge_as_it_was(firing_range: Range, program: Path) -> None:
    before = droppings(firing_range.folder)
    reset_peak()
    idle = peak_bytes()
    shot = firing_range.judge(program)
    assert shot.record.verdict in expected(program), shot.record.reason
    assert b"BREACH" not in shot.output
    assert shot.late_s < LATE_S
    assert peak_bytes() < idle + ROOM_BYTES
    assert droppings(firing_range.folder) <= before
    assert survivors(firing_range.session) == []
    _harmless(shot.record)
    if "forge" in preambles(program):
        # Else the forgery was not made, or it was believed.
        assert (shot.record.verdict, shot.record.evidence) != (Verdict.ACCEPTED, "program")
    if program != CONTROL:
        assert firing_range.judge(CONTROL).record.verdict is Verdict.ACCEPTED


def _harmless(record: Record) -> None:
    """No report of the record can act on who looks at it, or grow with what a student wrote."""
    written = dict(files(store.results(1, {}, [record]), [record]))
    for name, content in written.items():
        text = content.decode()
        _inert(text.replace("\r\n", "\n"))
        assert len(content) < MOST_BYTES, name
        assert ".." not in Path(name).parts
    (entry,) = json.loads(written["results.json"])["results"]
    assert entry["verdict"] == record.verdict.value
    rows = list(csv.reader(io.StringIO(written["grades.csv"].decode(), newline="")))
    assert len(rows) == 2
    (page,) = [content.decode() for name, content in written.items() if name.endswith(".md")]
    assert [line for line in unfenced(page) if line.startswith("# ")] == [page.partition("\n")[0]]
    shown = as_terminal(record)
    _inert(shown)
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())


def _inert(text: str) -> None:
    acting = {one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Cs") and one != "\n"}
    assert not acting, f"{acting!r} reached a report"


def test_the_plants_can_be_found_by_whoever_is_not_confined(firing_range: Range) -> None:
    """Else no attack could ever succeed, and their failure would say nothing."""
    found = [path for path in firing_range.folder.rglob("*") if path.is_file() and b"JUDGE-CANARY" in path.read_bytes()]
    assert len(found) == 3
    assert os.environ["JUDGE_CANARY"] == "1"
    assert (os.getuid(), "pytest") in processes().values() or os.getpid() in processes()
