"""Names as Canvas, Moodle and GitHub Classroom write them: whose a file is, and what for."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.load.submissions import find_submissions

SLUGS = ["jit-step", "ten-steps"]
SOURCE = "def solve(x):\n    return x\n"


def put(root: Path, *files: str, content: str = SOURCE) -> Path:
    for name in files:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return root


def who(path: Path, problem: str | None = None) -> set[tuple[str, str]]:
    return {(one.student, one.problem) for one in find_submissions([path], SLUGS, problem=problem).submissions}


CANVAS = [
    ("lovelaceada_12345_678901_jit-step.py", "lovelaceada_12345"),
    ("lovelaceada_LATE_12345_678901_jit_step.py", "lovelaceada_12345"),
    # Handed in again under the same name.
    ("lovelaceada_12345_678901_jit-step-1.py", "lovelaceada_12345"),
    ("lovelaceada_12345_678901_Jit Step.py".replace(" ", "_"), "lovelaceada_12345"),
    # Names keep their letters, and a group has a number in its name.
    ("łukasiewiczjan_7_8_jit-step.py", "łukasiewiczjan_7"),
    ("group3_12345_678901_jit-step.py", "group3_12345"),
    ("anon_Ab1Cd_678901_jit-step.py", "anon_Ab1Cd"),
    ("LATE_anon_Ab1Cd_678901_jit-step.py", "anon_Ab1Cd"),
]


@pytest.mark.parametrize(("file", "student"), CANVAS)
def test_canvas_puts_all_into_one_folder_and_names_into_the_files(tmp_path: Path, file: str, student: str) -> None:
    assert who(put(tmp_path, file)) == {(student, "jit-step")}
    assert who(tmp_path, "jit-step") == {(student, "jit-step")}


def test_what_canvas_marks_as_late_is_marked_in_the_submission_and_its_notes(tmp_path: Path) -> None:
    put(tmp_path, "a_LATE_1_2_jit-step.py", "b_3_4_jit-step.py")
    late, timely = sorted(find_submissions([tmp_path], SLUGS, problem=None).submissions, key=lambda one: one.student)
    assert late.handed_in.marked_late and "late" in late.notes[0]
    assert timely.handed_in.marked_late is False and not timely.notes


def test_a_canvas_file_of_any_name_is_for_the_problem_that_its_folder_or_the_command_names(tmp_path: Path) -> None:
    put(tmp_path / "jit-step", "lovelaceada_12345_678901_final version.py")
    assert who(tmp_path) == who(tmp_path / "jit-step") == {("lovelaceada_12345", "jit-step")}
    put(tmp_path / "all", "lovelaceada_12345_678901_work.py")
    assert who(tmp_path / "all", "ten-steps") == {("lovelaceada_12345", "ten-steps")}
    assert who(tmp_path / "all") == set()


@pytest.mark.parametrize(
    "file",
    [
        "lovelaceada_12345_678901_jit-step-2020-01-01_00-00-00.py",
        "Ada Lovelace_1234567_assignsubmission_file/jit-step-2020-01-01_00-00-00.py",
        "jit-step-submissions/jit-step-ada/jit-step-2020-01-01_00-00-00.py",
    ],
)
def test_in_a_download_neither_the_students_own_name_nor_the_time_of_the_file_is_when_it_was_handed_in(
    tmp_path: Path, file: str
) -> None:
    (found,) = find_submissions([put(tmp_path, file)], SLUGS, problem=None).submissions
    assert found.handed_in.stamp == "" and found.handed_in.file_s is None


MOODLE = [
    "Ada Lovelace_1234567_assignsubmission_file/jit-step.py",
    # Before 4.1 with a dash at the end; with `download in folders` off before the name of the file.
    "Ada Lovelace_1234567_assignsubmission_file_/jit-step.py",
    "Ada Lovelace_1234567_assignsubmission_file_jit-step.py",
    "Ada Lovelace_1234567_assignsubmission_file/src/jit-step.py",
]


@pytest.mark.parametrize("file", MOODLE)
def test_moodle_has_a_folder_or_a_prefix_a_student(tmp_path: Path, file: str) -> None:
    assert who(put(tmp_path, file)) == {("Ada Lovelace_1234567", "jit-step")}


def test_moodle_groups_and_blind_marking_have_names_too(tmp_path: Path) -> None:
    put(tmp_path, "Participant_77_assignsubmission_file/jit-step.py", "Team 4_5_assignsubmission_file/jit-step.py")
    put(tmp_path, "Default group_assignsubmission_file/jit-step.py")
    assert {student for student, _ in who(tmp_path)} == {"Participant_77", "Team 4_5", "Default group"}


CLASSROOM = [
    ("jit-step-submissions/jit-step-ada-l/jit-step.py", "jit-step"),
    ("jit-step-submissions/jit-step-ada-l/solution.py", "jit-step"),
    ("hw3-submissions/hw3-ada-l/ten_steps.py", "ten-steps"),
    ("hw3-submissions/hw3-ada-l/src/ten-steps.py", "ten-steps"),
    # A checkout on its own.
    ("jit-step-ada-l/solution.py", "jit-step"),
]


@pytest.mark.parametrize(("file", "slug"), CLASSROOM)
def test_github_classroom_has_a_checkout_a_student(tmp_path: Path, file: str, slug: str) -> None:
    assert who(put(tmp_path, file)) == {("ada-l", slug)}
    outer = tmp_path / Path(file).parts[0]
    if outer.name.endswith("-submissions"):
        assert who(outer) == {("ada-l", slug)}


def test_what_else_is_in_a_checkout_is_named_and_not_taken_for_the_solution(tmp_path: Path) -> None:
    checkout = put(
        tmp_path / "jit-step-submissions" / "jit-step-ada", "solution.py", "tests/test_step.py", "helpers.py"
    )
    (checkout / ".git").mkdir()
    (found,) = find_submissions([tmp_path], SLUGS, problem=None).submissions
    assert found.file.name == "solution.py"
    assert "is named for it and counts" in found.notes[0] and "helpers.py" in found.notes[0]


def test_the_files_of_any_checkout_are_as_old_as_the_checkout_and_tell_no_time(tmp_path: Path) -> None:
    put(tmp_path, "ada/jit-step.py", "bob/jit-step.py")
    (tmp_path / "ada" / ".git").mkdir()
    times = {one.student: one.handed_in.file_s for one in find_submissions([tmp_path], SLUGS, problem=None).submissions}
    assert times["ada"] is None and times["bob"] is not None


def test_with_a_problem_a_file_that_is_named_for_it_counts_and_not_a_newer_one_beside_it(tmp_path: Path) -> None:
    put(tmp_path, "ada/jit-step.py", "ada/zz_helpers.py")
    (found,) = find_submissions([tmp_path], SLUGS, problem="jit-step").submissions
    assert found.file.name == "jit-step.py"


def test_text_typed_into_a_form_and_archives_in_a_folder_are_named(tmp_path: Path) -> None:
    put(tmp_path, "a_1_2_jit-step.py", "b_3_text.html", "c_4_5_hw.zip")
    notes = find_submissions([tmp_path], SLUGS, problem=None).notes
    assert [note.split(": ")[0].split("/")[-1] for note in notes] == ["b_3_text.html", "c_4_5_hw.zip"]
    assert all("hand in a .py or .ipynb file" in note for note in notes)
