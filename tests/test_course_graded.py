"""`judge grade` with a roster and a course, run by run, as a grader starts it."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any, Self

import pytest

from tests.support import tiny_problem as tiny
from tests.support.command import command

ROSTER = "student,name\nada,Ada Lovelace\nbob,Bob\ncy,Cy\neve,Eve\n"
COURSE = """\
timezone: UTC
late: {percent: 10}
problems:
  row-means: {points: 20, due: 2999-01-01 00:00}
manual:
  - {student: bob, problem: row-means, score: 15, reason: explained it at the board}
"""


class Class:
    """A course in a folder, graded by running the command."""

    def __init__(self, root: Path) -> None:
        self.root, self.results, self.course = root, root / "results", root / "course.yaml"
        self.problem = root / "problems" / tiny.SLUG / "problem.yaml"

    @classmethod
    def new(cls, root: Path) -> Self:
        tiny.write_problem(root / "problems")
        tiny.write_submissions(root / "class", {"ada": tiny.RIGHT, "bob": tiny.NONE, "cy": tiny.SUMMED})
        (root / "roster.csv").write_text(ROSTER)
        (root / "course.yaml").write_text(COURSE)
        return cls(root)

    def grade(self, *more: str, status: int = 0) -> tuple[str, str]:
        """(standard output, standard error)"""
        ran = command("grade", "class", "--roster", "roster.csv", *more, cwd=self.root)
        assert ran.returncode == status, ran.stderr
        return ran.stdout, ran.stderr

    def grades(self) -> dict[str, str]:
        with (self.results / "grades.csv").open(newline="") as file:
            return {row["student"]: row["row-means"] for row in csv.DictReader(file)}

    def entries(self) -> dict[str, dict[str, Any]]:
        return {one["student"]: one for one in json.loads((self.results / "results.json").read_text())["results"]}

    def files(self) -> dict[str, tuple[int, bytes]]:
        return {
            str(file): (file.stat().st_mtime_ns, file.read_bytes())
            for file in sorted(self.results.rglob("*"))
            if file.is_file()
        }


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Class, str]:
    made = Class.new(tmp_path_factory.mktemp("course"))
    return made, made.grade("--seed", "5")[0]


@pytest.fixture
def copy(graded: tuple[Class, str], tmp_path: Path) -> Class:
    """The class as it was graded, to be changed."""
    return Class(shutil.copytree(graded[0].root, tmp_path / "copy"))


def test_grades_are_those_of_the_course_and_who_has_handed_in_nothing_has_an_empty_row(
    graded: tuple[Class, str],
) -> None:
    course, told = graded
    assert course.grades() == {"ada": "20", "bob": "15", "cy": course.grades()["cy"], "eve": ""}
    assert 0 < float(course.grades()["cy"]) < 20
    assert "not handed in by 1 of 4 students: eve" in told


def test_results_keep_the_judged_score_beside_the_final_one(graded: tuple[Class, str]) -> None:
    entries = graded[0].entries()
    assert entries["ada"]["score"] == 100 and entries["ada"]["credit"]["score"] == 20
    assert entries["bob"]["score"] == 0 and entries["bob"]["credit"]["by_hand"]


def test_feedback_and_report_say_why_and_who_is_missing(graded: tuple[Class, str]) -> None:
    results = graded[0].results
    page = (results / "feedback" / "bob" / "row-means.md").read_text()
    assert "15 of 20 points" in page and "explained it at the board" in page
    report = (results / "report.html").read_text()
    assert "Handed in nothing" in report and "Eve" in report


def test_a_second_run_starts_no_sandbox_writes_nothing_and_says_what_was_found_before(
    graded: tuple[Class, str],
) -> None:
    course, _ = graded
    before = course.files()
    told, noticed = course.grade()
    assert "3 of them unchanged" in told and "[" not in noticed
    assert course.files() == before


def test_a_changed_course_changes_points_without_grading_again_and_a_decision_survives(copy: Class) -> None:
    course = copy
    course.course.write_text(COURSE.replace("points: 20", "points: 40"))
    told, _ = course.grade()
    assert "3 of them unchanged" in told
    assert course.grades()["ada"] == "40" and course.grades()["bob"] == "15"
    tiny.write_submissions(course.root / "class", {"bob": tiny.RIGHT})
    course.problem.write_text(course.problem.read_text().replace("cases: 24", "cases: 20"))
    course.grade()
    assert course.grades()["bob"] == "15"
    assert course.entries()["bob"]["score"] == 100


def test_comparing_says_what_would_change_and_why_and_touches_nothing(copy: Class) -> None:
    course = copy
    before = course.files()
    tiny.write_submissions(course.root / "class", {"cy": tiny.NONE})
    # Another problem: what was asked for is forbidden now.
    course.problem.write_text(
        course.problem.read_text().replace("structure:\n", "structure:\n  forbid: [collective]\n")
    )
    told, _ = course.grade("--compare", "results")
    lines = told.splitlines()
    (ada,) = (line for line in lines if line.startswith("ada"))
    assert "accepted 20 -> wrong_structure" in ada and ada.endswith("the problem or its cases changed")
    (cy,) = (line for line in lines if line.startswith("cy"))
    assert "wrong_answer" in cy and "-> wrong_type 0" in cy and cy.endswith("another file was handed in")
    assert any(line.startswith("  before On example 1, `mean`") and "(recognised: summed)" in line for line in lines)
    assert any(line.startswith("  now    On example 1, solve returned None") for line in lines)
    assert not any(line.startswith("bob") for line in lines), "what was given by hand stays"
    assert "2 of 3 submissions would change" in lines
    assert lines[-1].endswith("to accept, run again with --out results and without --compare")
    assert course.files() == before


def test_a_comparison_is_kept_where_out_says_and_never_in_the_results_it_compares_with(copy: Class) -> None:
    course = copy
    before = course.files()
    told, noticed = course.grade("--compare", "results", "--out", "trial")
    assert "none of 3 submissions would change" in told
    assert "[" not in noticed, "everything is reused"
    assert (course.root / "trial" / "grades.csv").read_bytes() == (course.results / "grades.csv").read_bytes()
    assert course.files() == before
    assert "is what --compare protects" in course.grade("--compare", "results", "--out", "results", status=2)[1]


def test_a_seed_of_the_course_lies_where_the_course_says(tmp_path: Path) -> None:
    course = Class.new(tmp_path)
    course.course.write_text(COURSE + "seed_file: private/seed\n")
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "seed").write_text("77\n")
    tiny.write_submissions(tmp_path / "class", {"ada": ""})
    command("grade", "class/ada", cwd=tmp_path)
    assert json.loads((course.results / "results.json").read_text())["seed"] == 77
    assert not (course.results / ".judge" / "seed").exists()


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("roster.csv", "student,colour\n", "roster.csv:1: 'colour' is not a known column"),
        (
            "course.yaml",
            "problems: {row-mean: {}}\n",
            "course.yaml:1: there is no problem 'row-mean'; did you mean `row-means`?",
        ),
    ],
)
def test_a_fault_in_a_file_of_the_course_is_a_usage_error_before_anything_is_graded(
    tmp_path: Path, file: str, text: str, told: str
) -> None:
    course = Class.new(tmp_path)
    (tmp_path / file).write_text(text)
    assert told in course.grade(status=2)[1]
    assert not course.results.exists()
