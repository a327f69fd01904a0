"""The gradebook as a spreadsheet reads it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from judge.model.record import Credit, Record
from judge.reports import canvas, gradescope, moodle, prairielearn
from judge.reports.grades import render
from tests.support.records import ACCEPTED, UNGRADED, WRONG, records


def rows(*given_: Record) -> list[list[str]]:
    return list(csv.reader(io.StringIO(render(given_), newline="")))


def test_a_row_a_student_and_a_column_a_problem() -> None:
    other = replace(WRONG, problem="another", score=7.0)
    assert rows(WRONG, ACCEPTED, other) == [
        ["student", "another", "row-means"],
        ["ada", "", "100"],
        ["bob", "7", "12.5"],
    ]


def test_ungraded_is_an_empty_cell_and_zero_is_a_zero() -> None:
    assert rows(UNGRADED, replace(WRONG, score=0.0))[1:] == [["bob", "0"], ["cy", ""]]


def test_a_name_that_is_a_formula_stays_a_name() -> None:
    for name in ("=1+1", "+1", "-1", "@SUM(A1)"):
        assert rows(replace(ACCEPTED, student=name))[1][0] == f"'{name}"


def test_lines_end_as_csv_wants_them() -> None:
    assert render([ACCEPTED]).endswith("\r\n")


@given(st.lists(records, max_size=5, unique_by=lambda one: one.student))
def test_every_student_has_one_row_of_the_right_length(given_: Sequence[Record]) -> None:
    table = rows(*given_)
    assert len(table) == 1 + len(given_)
    assert {len(row) for row in table} == {len(table[0])}


COURSE = {
    "problems": {"later": {"points": 5.0, "due": None}, "row-means": {"points": 20.0, "due": None}},
    "students": {"ada": "Ada Lovelace", "eve": "Eve", "zed": ""},
    "given": [{"student": "eve", "problem": "later", "score": 4.0, "reason": "on paper"}],
}


def test_everybody_on_the_roster_has_a_row_and_every_problem_of_the_course_a_column() -> None:
    credited = replace(WRONG, credit=Credit(2.5, 20.0))
    table = list(csv.reader(io.StringIO(render([credited], COURSE), newline="")))
    assert table == [
        ["student", "later", "row-means"],
        ["ada", "", ""],
        ["bob", "", "2.5"],
        ["eve", "4", ""],
        ["zed", "", ""],
    ]


def test_course_systems_get_the_final_score_and_the_names_of_the_roster() -> None:
    credited = replace(ACCEPTED, credit=Credit(18.0, 20.0, lost=2.0, why=("Two days late.",)))
    rows_ = list(csv.reader(io.StringIO(canvas.render([credited], COURSE), newline="")))
    assert rows_[1][-2:] == ["5", "20"]
    assert rows_[2] == ["Ada Lovelace", "", "", "ada", "", "", "18"]
    (moodle_,) = [row for row in csv.reader(io.StringIO(moodle.render([credited], COURSE))) if row[0] == "ada"]
    assert moodle_[-2] == "18" and "Two days late." in moodle_[-1]
    document = json.loads(gradescope.render([credited]))
    assert document["score"] == 18.0 and "Two days late." in document["output"]
    assert json.loads(prairielearn.render([credited]))["score"] == 0.9
