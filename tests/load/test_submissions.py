"""Where submissions are found, and what is said of everything that cannot be one."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.load.layouts import place, plain_slug
from judge.load.submissions import Found, find_submissions
from judge.load.trees import MAX_BYTES

SLUGS = ("jit-step", "shard-map-step")
SOURCE = "def solve(x):\n    return x\n"


def put(place: Path, content: bytes | str = SOURCE) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode() if isinstance(content, str) else content)
    return place


def found(*paths: Path, problem: str | None = None) -> Found:
    return find_submissions(paths, SLUGS, problem=problem)


def who(result: Found) -> list[tuple[str, str]]:
    return sorted((one.student, one.problem) for one in result.submissions)


@pytest.mark.parametrize(
    ("file", "student", "slug"),
    [
        ("ada/jit-step.py", "ada", "jit-step"),
        ("ada/JIT_STEP.py", "ada", "jit-step"),
        ("ada/jit_step.ipynb", "ada", "jit-step"),
        ("ada/deeper/jit-step.py", "ada", "jit-step"),
        ("jit-step/ada.py", "ada", "jit-step"),
        ("Jit_Step/ada.PY", "ada", "jit-step"),
        ("week1/shard-map-step/ada.py", "ada", "shard-map-step"),
        ("jit-step/ada/solution.py", "ada", "jit-step"),
    ],
)
def test_folders_and_names_tell_student_and_problem(tmp_path: Path, file: str, student: str, slug: str) -> None:
    content = json.dumps({"cells": [{"cell_type": "code", "source": SOURCE}]}) if file.endswith("b") else SOURCE
    put(tmp_path / file, content)
    result = found(tmp_path)
    assert who(result) == [(student, slug)]
    assert not result.submissions[0].fault
    assert b"def solve(x):" in result.submissions[0].source


def test_a_folder_of_one_problem_may_be_named_itself(tmp_path: Path) -> None:
    put(tmp_path / "jit-step" / "ada.py")
    put(tmp_path / "jit-step" / "bob.py")
    assert who(found(tmp_path / "jit-step")) == [("ada", "jit-step"), ("bob", "jit-step")]


def test_with_a_problem_any_tree_of_files_will_do(tmp_path: Path) -> None:
    for name in ("ada/final version.py", "bob.py", "cy/week 1/solution.py"):
        put(tmp_path / name)
    assert who(found(tmp_path, problem="JIT_step")) == [(name, "jit-step") for name in ("ada", "bob", "cy")]


def test_a_single_file_is_found_by_its_folder_or_its_name(tmp_path: Path) -> None:
    assert who(found(put(tmp_path / "ada" / "jit-step.py"))) == [("ada", "jit-step")]
    assert who(found(put(tmp_path / "jit-step" / "bob.py"))) == [("bob", "jit-step")]
    assert who(found(put(tmp_path / "x" / "cy.py"), problem="jit-step")) == [("cy", "jit-step")]


def test_what_is_no_submission_is_named_with_what_to_do(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "helpers.py")
    (note,) = found(tmp_path).notes
    assert "ada/helpers.py: no problem of that name" in note and "--problem (jit-step, shard-map-step)" in note


def test_a_path_that_is_not_there_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    notes = found(tmp_path / "nowhere", tmp_path / "empty").notes
    assert "there is no such file or folder" in notes[0]
    assert "no .py or .ipynb file" in notes[1]


def test_a_problem_that_does_not_exist_is_named_with_those_that_do(tmp_path: Path) -> None:
    put(tmp_path / "ada.py")
    assert found(tmp_path, problem="jit").notes == ["there is no problem 'jit'; there are: jit-step, shard-map-step"]


def test_caches_and_hidden_files_are_no_submissions(tmp_path: Path) -> None:
    for name in ("ada/__pycache__/jit-step.py", "__MACOSX/ada/jit-step.py", ".git/jit-step.py", "ada/.jit-step.py"):
        put(tmp_path / name)
    put(tmp_path / "bob" / "jit-step.py")
    assert who(found(tmp_path)) == [("bob", "jit-step")]


FAULTS = [
    (b"", "the file is empty"),
    (b" \n\t\n", "the file is empty"),
    (b"x = 1\0\n", "NUL bytes"),
    (b"# ok\nname = '\xe9'\n", "not UTF-8 (line 2, byte 0xe9)"),
    (b"#" * (MAX_BYTES + 1), "larger than 256 KiB"),
]


@pytest.mark.parametrize(("content", "fault"), FAULTS)
def test_content_that_cannot_be_a_submission_is_a_fault_of_the_submission(
    tmp_path: Path, content: bytes, fault: str
) -> None:
    put(tmp_path / "ada" / "jit-step.py", content)
    (one,) = found(tmp_path).submissions
    assert fault in one.fault
    assert not one.source and not one.unreadable


def test_a_file_of_the_greatest_size_and_one_with_a_mark_are_fine(tmp_path: Path) -> None:
    put(tmp_path / "ada" / "jit-step.py", b"#" * MAX_BYTES)
    put(tmp_path / "bob" / "jit-step.py", b"\xef\xbb\xbf" + SOURCE.encode())
    assert [one.fault for one in found(tmp_path).submissions] == ["", ""]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "secret.txt", "the answer")
    (tmp_path / "s" / "ada").mkdir(parents=True)
    (tmp_path / "s" / "ada" / "jit-step.py").symlink_to(tmp_path / "secret.txt")
    (one,) = found(tmp_path / "s").submissions
    assert "is a link" in one.fault and one.source == b""


def test_a_link_to_a_folder_is_not_entered(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere" / "jit-step.py")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "ada").symlink_to(tmp_path / "elsewhere")
    assert not found(tmp_path / "s").submissions


def test_a_pipe_does_not_block_and_a_folder_is_none(tmp_path: Path) -> None:
    for student, make in (("ada", os.mkfifo), ("bob", os.mkdir)):
        place = tmp_path / student / "jit-step.py"
        place.parent.mkdir()
        make(place)
    faults = {one.student: one.fault for one in found(tmp_path).submissions}
    assert "no ordinary file" in faults["ada"]
    assert "a folder" in faults["bob"]


def test_a_file_that_the_machine_will_not_read_is_no_fault_of_the_student(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "ada" / "jit-step.py")

    def failing(*arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", failing)
    (one,) = found(tmp_path).submissions
    assert one.fault == ""
    assert "cannot be read (Permission denied)" in one.unreadable


def test_of_two_files_the_one_with_the_later_time_in_its_name_counts_and_it_is_said(tmp_path: Path) -> None:
    old = put(tmp_path / "ada" / "2026-11-01_10-00-00" / "jit-step.py", "old = 1\n")
    early = put(tmp_path / "jit-step" / "ada" / "sub_2026-11-01_10-00-00.py", "early = 1\n")
    late = put(tmp_path / "jit-step" / "ada" / "sub_20261102T090000.py", "late = 1\n")
    os.utime(late, (1, 1))
    old.unlink()
    result = found(tmp_path)
    (one,) = result.submissions
    assert one.source == b"late = 1\n"
    assert str(early) in one.notes[0] and "is the newest and counts" in one.notes[0]
    assert any("ada" in note for note in result.notes)


def test_without_a_time_in_the_name_that_of_the_file_counts_and_then_the_name(tmp_path: Path) -> None:
    first = put(tmp_path / "jit-step" / "ada" / "a.py", "a = 1\n")
    second = put(tmp_path / "jit-step" / "ada" / "b.py", "b = 1\n")
    os.utime(first, (200, 200))
    os.utime(second, (100, 100))
    assert found(tmp_path).submissions[0].source == b"a = 1\n"
    os.utime(second, (200, 200))
    assert found(tmp_path).submissions[0].source == b"b = 1\n"


def test_a_file_named_twice_is_one_submission(tmp_path: Path) -> None:
    file = put(tmp_path / "ada" / "jit-step.py")
    result = found(tmp_path, file, tmp_path / "ada" / "jit-step.py")
    assert who(result) == [("ada", "jit-step")]
    assert not result.notes


@given(
    st.lists(st.text(min_size=1, max_size=8) | st.sampled_from(["jit-step", "JIT_STEP", "x"]), min_size=1, max_size=4)
)
def test_any_path_is_placed_at_a_problem_that_exists_or_nowhere(parts: Sequence[str]) -> None:
    known = {plain_slug(slug): slug for slug in SLUGS}
    for own in ("class", "jit-step", parts[0]):
        placed = place(own, parts, known, None)
        assert placed is None or (placed.slug in SLUGS and placed.student)
        assert place(own, parts, known, "jit-step") is not None
