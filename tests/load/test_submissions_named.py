"""Names that downloads and habits give to files: whose they are and what for."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.load.submissions import find_submissions

SLUGS = ["jit-step", "ten-steps"]


def found(root: Path, *files: str, problem: str | None = None, path: str = ".") -> set[tuple[str, str]]:
    for name in files:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("def solve(x):\n    return x\n")
    return {(one.student, one.problem) for one in find_submissions([root / path], SLUGS, problem=problem).submissions}


@pytest.mark.parametrize(
    ("file", "student"),
    [
        ("ada/jit-step.py", "ada"),
        ("jit-step/ada.py", "ada"),
        ("JIT_Step/ada/solution.py", "ada"),
        ("ada/jit-step/solution.py", "ada"),
        ("ada/jit-step-2026-01-02_10-00-00.py", "ada"),
        ("ada/jit_step (1).py", "ada"),
    ],
)
def test_a_layout_tells_the_student_with_and_without_the_problem_being_named(
    tmp_path: Path, file: str, student: str
) -> None:
    assert found(tmp_path, file) == {(student, "jit-step")}
    assert found(tmp_path, problem="jit-step") == {(student, "jit-step")}


def test_a_file_for_another_problem_than_the_named_one_is_passed_over_and_said_to_be(tmp_path: Path) -> None:
    assert found(tmp_path, "ada/jit-step.py", "ada/ten-steps.py", problem="jit-step") == {("ada", "jit-step")}
    notes = find_submissions([tmp_path], SLUGS, problem="jit-step").notes
    assert any("ten-steps.py" in note and "passed over" in note for note in notes)


def test_a_students_own_folder_is_enough(tmp_path: Path) -> None:
    assert found(tmp_path, "ada/jit-step.py", path="ada") == {("ada", "jit-step")}
    assert found(tmp_path, path="ada/jit-step.py") == {("ada", "jit-step")}


def test_files_named_as_nothing_are_the_named_problems_by_their_folder_or_stem(tmp_path: Path) -> None:
    assert found(tmp_path, "ada/work.py", "bob.py", problem="ten-steps") == {("ada", "ten-steps"), ("bob", "ten-steps")}


def test_an_empty_folder_among_full_ones_is_named(tmp_path: Path) -> None:
    found(tmp_path, "ada/jit-step.py")
    (tmp_path / "bob").mkdir()
    assert any("bob" in note and "no .py" in note for note in find_submissions([tmp_path], SLUGS, problem=None).notes)
