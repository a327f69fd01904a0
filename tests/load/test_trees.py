"""Archives are read without being unpacked, and nothing in one can harm."""

from __future__ import annotations

import io
import stat
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from judge.load.submissions import Found, find_submissions
from judge.load.trees import MAX_BYTES

SLUGS = ["jit-step"]
SOURCE = b"def solve(x):\n    return x\n"


def packed(place: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return place


def found(place: Path, problem: str | None = None) -> Found:
    return find_submissions([place], SLUGS, problem=problem)


def test_an_archive_is_looked_through_as_a_folder_is(tmp_path: Path) -> None:
    place = packed(
        tmp_path / "submissions.zip",
        ("lovelaceada_1_22_jit-step.py", SOURCE),
        ("bob/jit-step.py", SOURCE + b"# bob\n"),
        ("__MACOSX/bob/._jit-step.py", b"junk"),
    )
    result = found(place)
    assert {one.student: one.source for one in result.submissions} == {
        "lovelaceada_1": SOURCE,
        "bob": SOURCE + b"# bob\n",
    }
    assert str(result.submissions[0].file).startswith(str(place))
    assert not result.notes
    assert sorted(file.name for file in tmp_path.iterdir()) == ["submissions.zip"]


def test_an_archive_of_one_problem_is_named_after_it(tmp_path: Path) -> None:
    place = packed(
        tmp_path / "CS101-jit-step-42.zip",
        ("Ada Lovelace_7_assignsubmission_file/solution.py", SOURCE),
        ("Bob_8_assignsubmission_file/onlinetext.html", b"<p>"),
    )
    result = found(place)
    assert [(one.student, one.problem) for one in result.submissions] == [("Ada Lovelace_7", "jit-step")]
    assert "onlinetext.html" in result.notes[0]


@pytest.mark.parametrize(
    "name", ["../jit-step.py", "a/../../jit-step.py", "/etc/jit-step.py", "..\\jit-step.py", "C:/jit-step.py"]
)
def test_an_entry_that_points_out_of_the_archive_is_named_and_not_read(tmp_path: Path, name: str) -> None:
    result = found(packed(tmp_path / "a.zip", (zipfile.ZipInfo(name), SOURCE), ("ada/jit-step.py", SOURCE)))
    assert [one.student for one in result.submissions] == ["ada"]
    assert "points out of the archive" in result.notes[0]


def test_a_link_in_an_archive_is_a_fault_of_the_submission(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("ada/jit-step.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    (one,) = found(packed(tmp_path / "a.zip", (link, b"/etc/passwd"))).submissions
    assert "is a link" in one.fault and one.source == b""


def test_an_entry_that_inflates_to_a_gigabyte_is_too_large_and_no_more_of_it_is_inflated(tmp_path: Path) -> None:
    place = tmp_path / "a.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("ada/jit-step.py", "w") as entry:
        for _ in range(1024):
            entry.write(bytes(1 << 20))
    (one,) = found(place).submissions
    assert f"larger than {MAX_BYTES // 1024} KiB" in one.fault


def test_the_time_of_an_entry_counts_and_1980_is_no_time(tmp_path: Path) -> None:
    dated, undated = zipfile.ZipInfo("ada/jit-step.py", (2026, 11, 30, 12, 0, 0)), zipfile.ZipInfo("bob/jit-step.py")
    times = {
        one.student: one.handed_in.file_s
        for one in found(packed(tmp_path / "a.zip", (dated, SOURCE), (undated, SOURCE))).submissions
    }
    assert times == {"ada": time.mktime((2026, 11, 30, 12, 0, 0, 0, 0, -1)), "bob": None}


def _locked(content: bytes) -> bytes:
    """The bit that says that an entry is encrypted, set in both of its headers."""
    changed = bytearray(content)
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.index(magic) + offset] |= 1
    return bytes(changed)


def _damaged(content: bytes) -> bytes:
    changed = bytearray(content)
    middle = changed.index(b"jit-step.py") + len(b"jit-step.py") + 4
    changed[middle] ^= 0xFF
    return bytes(changed)


@pytest.mark.parametrize(("change", "why"), [(_locked, "password"), (_damaged, "damaged")])
def test_an_entry_that_cannot_be_read_is_no_fault_of_the_student(
    tmp_path: Path, change: Callable[[bytes], bytes], why: str
) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/jit-step.py", SOURCE)
    (tmp_path / "a.zip").write_bytes(change(content.getvalue()))
    (one,) = found(tmp_path / "a.zip").submissions
    assert why in one.unreadable and not one.fault


@pytest.mark.parametrize("content", [b"", b"PK", b"not an archive at all", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_or_an_empty_one_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    (note,) = found(tmp_path / "a.zip").notes
    assert "a.zip: " in note and ("no ZIP file" in note or "no .py or .ipynb file in this archive" in note)
