"""Nothing of a hidden case is in what a student gets: a class is graded, and every file of it searched.

The hidden case of the problem is made of numbers that occur nowhere else. The submissions are those that could carry one out:
wrong on that case alone, raising with what they were given, printing it, and returning it under a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from judge import bank as banks
from judge.grade import Request, grade, write
from judge.model.case import Case
from judge.report import convert
from judge.reports.files import FOR_STUDENTS
from judge.reports.formats import FORMATS
from judge.sandbox.settings import SandboxSettings
from judge.store import read_results
from tests.support import tiny_problem as tiny

SEED = 7_700_331_144_559
SCALE = -1.40625
PLANTED = f"""\
  - name: planted
    category: a negative scale
    inputs: {{x: [[60211.5, 20407.25], [60233.5, 20411.75]], scale: {SCALE}}}
    outputs:
      mean: [{60222.5 * SCALE}, {20409.5 * SCALE}]
      rows: [{80618.75 * SCALE}, {80645.25 * SCALE}]
"""
CARRIERS = {
    "wrong-there": tiny.RIGHT.replace("scale *", "abs(scale) *"),
    "raises-there": tiny.RIGHT.replace(
        "    n = x", "    if scale < 0:\n        raise ValueError(f'{scale} {x}')\n    n = x"
    ),
    "raises": "def solve(x, scale):\n    raise ValueError(f'{scale} {x}')\n",
    "prints": tiny.SUMMED.replace("    n = x", "    print(scale, x)\n    n = x"),
    "keys": "def solve(x, scale):\n    return {f'{scale} {x}': x}\n",
    "right": tiny.RIGHT,
}
#: Of a run, beside `feedback/`.
STAFF = {".judge", "grades.csv", "junit.xml", "report.html", "results.json"}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of the class in `out`, and every other format in `formats`."""
    root = tmp_path_factory.mktemp("secrets")
    file = tiny.write_problem(root / "problems") / "problem.yaml"
    file.write_text(tiny.PROBLEM.replace("\nfuzz:", f"{PLANTED}\nfuzz:"))
    submissions = tiny.write_submissions(root / "submissions", CARRIERS)
    request = Request((submissions,), root / "problems", None, root / "out", 2, SEED, True, SandboxSettings())
    graded = grade(request, lambda done, total, record: None)
    write(graded, root / "out")
    for name in FORMATS:
        (root / "formats" / name).mkdir(parents=True)
        convert(root / "out", name, to=root / "formats" / name, student=None, metadata=None, echo=print)
    return root


def files(folder: Path) -> dict[str, str]:
    return {
        str(place.relative_to(folder)): place.read_text(encoding="utf-8")
        for place in folder.rglob("*")
        if place.is_file() and ".judge" not in place.parts
    }


def of_students(course: Path) -> dict[str, str]:
    found = {name: text for name, text in files(course / "out").items() if name.startswith(FOR_STUDENTS)}
    for name, form in FORMATS.items():
        if not form.staff:
            found |= {f"{name}/{file}": text for file, text in files(course / "formats" / name).items()}
    return found


def secret_cases(course: Path) -> list[Case]:
    bank = banks.load_bank(next((course / "out" / ".judge" / "banks").iterdir()))
    assert bank is not None
    found = [case for case in bank.cases if not case.shareable]
    assert {case.group for case in found} == {"hidden", "fuzzed"}
    return found


def numbers(case: Case) -> Iterator[float]:
    """Those of the case and those that its wrong answers differ from by a sign alone."""
    for value in (*case.inputs.values(), *case.expected.values()):
        yield from np.abs(np.asarray(value, np.float64)).ravel().tolist()


def spellings(value: float) -> set[str]:
    """A number as it might be printed, where it has digits enough to be told from a chance."""
    found = {repr(value), str(np.float32(value)), *(f"{value:.{digits}g}" for digits in (6, 7, 8, 9))}
    return {text for text in found if len(text.partition("e")[0].replace(".", "").strip("0")) >= 6}


def found_in(shown: dict[str, str], secret: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, text) for name, content in shown.items() for text in secret if text in content]


def test_a_run_leaves_feedback_for_students_and_these_files_for_the_staff(course: Path) -> None:
    assert {place.name for place in (course / "out").iterdir()} == STAFF | {FOR_STUDENTS.rstrip("/")}
    assert (course / "out" / ".judge").stat().st_mode & 0o077 == 0


def test_every_number_of_every_hidden_and_fuzzed_case_is_in_no_file_of_a_student(course: Path) -> None:
    secret = {text for case in secret_cases(course) for value in numbers(case) for text in spellings(value)}
    assert {"60211.5", "20407.25", str(60222.5 * -SCALE), str(-SCALE)} <= secret
    assert len(secret) > 500
    shown = of_students(course)
    assert len(shown) > 4 * len(CARRIERS)
    assert found_in(shown, secret) == []


def test_what_wrong_submissions_answer_on_the_planted_case_is_in_no_file_of_a_student(course: Path) -> None:
    answers = {text for value in (60222.5, 20409.5) for factor in (1, 2) for text in spellings(factor * value * -SCALE)}
    assert len(answers) >= 4
    assert found_in(of_students(course), answers) == []


def test_no_case_is_named_and_no_seed_is_told(course: Path) -> None:
    secret = {case.id for case in secret_cases(course)} | {str(SEED)}
    assert found_in(of_students(course), secret) == []


def test_grades_and_what_ci_servers_read_hold_no_number_of_a_hidden_case_either(course: Path) -> None:
    secret = {text for case in secret_cases(course) for value in numbers(case) for text in spellings(value)}
    shown = {name: text for name, text in files(course / "out").items() if name in {"grades.csv", "junit.xml"}}
    assert len(shown) == 2
    assert found_in(shown, secret | {str(SEED)}) == []


def test_the_search_would_find_what_the_staff_may_read(course: Path) -> None:
    staff = files(course / "out")
    assert str(SEED) in staff["results.json"] and "hidden-planted" in staff["results.json"]
    assert "a negative scale" in staff["report.html"]


def test_no_file_of_one_student_has_a_word_of_another(course: Path) -> None:
    for student in CARRIERS:
        others = {one for one in CARRIERS if one not in student}
        own = [text for name, text in of_students(course).items() if student in Path(name).with_suffix("").parts]
        assert len(own) == 4, student
        assert [one for one in others for text in own if f"{one}/" in text or f'"{one}"' in text] == []


def test_the_class_met_the_verdicts_that_make_the_search_worth_its_name(course: Path) -> None:
    _, records = read_results(course / "out")
    found = {record.student: record.verdict.value for record in records}
    assert found["right"] == "accepted"
    assert found["wrong-there"] == found["prints"] == "wrong_answer"
    assert found["raises"] == "runtime_error"
    assert found["keys"] == "wrong_keys"
    planted = {record.student: {case["id"]: case["passed"] for case in record.cases} for record in records}
    assert planted["wrong-there"]["hidden-planted"] is False
