"""The class in `submissions/`, graded as the README says."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT, run

EXPECTED = {
    "shard-map-step": {
        "s01": "accepted",
        "s02": "accepted",
        "s03": "accepted",
        "s04": "wrong_answer",
        "s05": "wrong_answer",
        "s06": "wrong_answer",
        "s07": "wrong_placement",
        "s08": "replicas_differ",
        "s09": "load_error",
        "s10": "wrong_structure",
        "s11": "wrong_type",
        "s12": "runtime_error",
        "s13": "not_reproducible",
        "s14": "accepted",
    },
    "jit-step": {"s01": "accepted", "s06": "wrong_structure"},
    "masked-step": {"s02": "wrong_answer", "s14": "accepted"},
    "pmap-step": {"s03": "accepted", "s12": "wrong_answer"},
    "ten-steps": {"s04": "wrong_answer", "s10": "accepted"},
    "local-means": {"s05": "accepted", "s07": "wrong_answer"},
}


def test_every_file_of_the_class_has_an_expected_verdict() -> None:
    files = {(path.stem, path.parent.name) for path in (ROOT / "submissions").glob("*/*.py")}
    assert files == {(slug, student) for slug, students in EXPECTED.items() for student in students}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("class") / "results"
    judge = [sys.executable, "-c", "from judge.cli import main; main()"]
    result = run([*judge, "grade", "submissions/", "--out", out, "--seed", "1"], cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    return out


@pytest.fixture(scope="module")
def results(graded: Path) -> dict[tuple[str, str], dict[str, Any]]:
    found = json.loads((graded / "results.json").read_text())["results"]
    return {(entry["problem"], entry["student"]): entry for entry in found}


@pytest.mark.long("grades a class of 24 submissions")
@pytest.mark.parametrize(
    ("slug", "student"), [(slug, student) for slug, students in EXPECTED.items() for student in students]
)
def test_a_submission_of_the_class_gets_its_verdict(
    results: dict[tuple[str, str], dict[str, Any]], slug: str, student: str
) -> None:
    entry = results[slug, student]
    assert entry["verdict"] == EXPECTED[slug][student], entry["reason"]
    assert (entry["score"] == entry["max_score"]) == (entry["verdict"] == "accepted")
    assert entry["reason"]


@pytest.mark.long("grades a class of 24 submissions")
def test_the_gradebook_has_a_row_for_every_student_and_a_column_for_every_problem(graded: Path) -> None:
    with (graded / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["student"] for row in rows} == {student for students in EXPECTED.values() for student in students}
    assert set(EXPECTED) <= set(rows[0])


@pytest.mark.long("grades a class of 24 submissions")
def test_everyone_gets_feedback_on_everything_handed_in(graded: Path) -> None:
    files = {(path.stem, path.parent.name) for path in (graded / "feedback").glob("*/*.md")}
    assert files == {(slug, student) for slug, students in EXPECTED.items() for student in students}
