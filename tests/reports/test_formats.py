"""The formats of course systems, each against its specification, and what none of them may tell."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from judge.commands import graders
from judge.errors import UsageError
from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports import canvas, check50, gradescope, moodle, prairielearn, summary
from judge.reports.formats import FORMATS, Results, documents
from tests.reports.schemas import SCHEMAS
from tests.support.results import HOSTILE, PLANTED, accepted, record, ungraded

WHEN = datetime(2026, 11, 30, tzinfo=UTC)
FOR_STUDENTS = sorted(name for name, form in FORMATS.items() if not form.staff)


def results(*records: Record) -> Results:
    return Results({"version": 1, "seed": "5eed5eed", "environment": {}}, records, WHEN)


def made(name: str, *records: Record) -> str:
    return "".join(text for _, text in documents(name, results(*records), None))


def loaded(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_command_line_offers_the_formats_that_there_are() -> None:
    assert set(graders.FORMATS) == set(FORMATS)


def test_what_may_name_hidden_cases_is_for_the_staff() -> None:
    assert {name for name, form in FORMATS.items() if form.staff} == {"html", "junit"}


@pytest.mark.parametrize("name", FOR_STUDENTS)
@pytest.mark.parametrize("secret", PLANTED)
def test_no_number_of_a_hidden_case_is_in_what_a_student_reads(name: str, secret: str) -> None:
    shown = made(name, record(), ungraded(student="eve"), accepted(student="bob"))
    if name == "gradescope" and secret == "5eed5eed":
        # The judge's own words stand in a test that Gradescope keeps from students.
        shown = json.dumps([visible(loaded(text)) for _, text in documents(name, results(ungraded()), None)])
    assert secret not in shown


def test_the_grader_does_see_the_category_and_the_error_of_a_hidden_case() -> None:
    shown = made("html", record())
    assert "secret-category" in shown and f"{737373.0:.2g}" in shown


@pytest.mark.parametrize("name", FOR_STUDENTS)
def test_controls_that_act_are_spelled_out_in_every_format(name: str) -> None:
    shown = made(name, record(reason=HOSTILE), accepted(student="bob"))
    assert not {"\x1b", "\u202e", "\x00", "\ud800"} & set(shown)
    if FORMATS[name].suffix == ".json":
        # JSON escapes a second time what is spelled out; a control that went in raw would be escaped once.
        assert "\\u001b" not in shown and "\\u202e" not in shown.replace("\\\\u202e", "")


def test_an_unknown_student_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="there are: ada"):
        list(documents("moodle", results(record()), "zoe"))


def test_a_format_of_one_student_gives_a_document_each() -> None:
    names = [name for name, _ in documents("gradescope", results(record(), accepted(student="bob")), None)]
    assert names == ["ada.json", "bob.json"]


# JSON

#: One of every kind: wrong, accepted, ungraded alone and among others, hostile, and of a judge that left nothing.
STUDENTS: Mapping[str, tuple[Record, ...]] = {
    "wrong and accepted": (record(), accepted(problem="jit-step")),
    "accepted": (accepted(),),
    "ungraded": (ungraded(),),
    "ungraded among others": (record(), ungraded(problem="jit-step")),
    "hostile": (record(student=HOSTILE, reason=HOSTILE, mistake=HOSTILE, stdout=HOSTILE),),
    "did not come to an end": (record(verdict=Verdict.TIME_LIMIT, counterexample=None, mistake=None),),
}


def refused(name: str, content: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMAS[name]).iter_errors(content)]


def test_every_format_in_json_has_a_schema() -> None:
    assert set(SCHEMAS) == {name for name, form in FORMATS.items() if form.suffix == ".json"}
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("kind", STUDENTS)
def test_a_file_is_as_its_specification_says(name: str, kind: str) -> None:
    content = loaded(FORMATS[name].render(results(*STUDENTS[kind])))
    assert refused(name, content) == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_file_of_a_judge_that_left_no_results_is_as_its_specification_says(name: str) -> None:
    unavailable = FORMATS[name].unavailable
    assert unavailable is not None
    content = loaded(unavailable(f"no disk {HOSTILE}", None))
    assert refused(name, content) == []
    assert "costs you no points" in json.dumps(content)


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("gradescope", {"tests": []}),
        ("gradescope", {"score": 1, "grade": 1}),
        ("gradescope", {"score": 1, "tests": [{"name": "without a status"}]}),
        ("gradescope", {"score": 1, "visibility": "shown"}),
        ("prairielearn", {"gradable": True}),
        ("prairielearn", {"score": 30.5}),
        ("prairielearn", {"score": 1, "tests": [{"name": "without points"}]}),
        ("check50", {"slug": "a", "version": "1.0.0"}),
        ("check50", {"slug": "a", "version": "1.0.0", "results": [{"name": "a", "passed": True}]}),
    ],
)
def test_the_schemas_refuse_what_the_systems_refuse(name: str, broken: dict[str, Any]) -> None:
    assert refused(name, broken)


# Gradescope


def visible(content: dict[str, Any]) -> dict[str, Any]:
    return content | {"tests": [one for one in content["tests"] if one["visibility"] == "visible"]}


def test_no_two_tests_of_a_gradescope_file_have_one_number() -> None:
    tests = loaded(gradescope.render([record(), accepted(problem="jit-step"), ungraded(problem="pmap-step")]))["tests"]
    assert len({test["number"] for test in tests}) == len(tests)


def test_gradescope_gets_the_score_that_its_tests_add_up_to() -> None:
    content = loaded(gradescope.render([record()]))
    assert content["score"] == sum(test["score"] for test in content["tests"]) == 30.5
    assert {test["visibility"] for test in content["tests"]} == {"visible"}


def test_what_is_ungraded_hides_the_total_and_keeps_the_best_score_before() -> None:
    content = loaded(gradescope.render([ungraded()], previous=80.0))
    assert content["score"] == 80.0
    assert [test["visibility"] for test in content["tests"]] == ["visible", "hidden"]
    assert "costs you no points" in content["output"]
    assert "disk full" not in json.dumps(visible(content))


def test_a_graded_submission_does_not_keep_an_older_score() -> None:
    assert loaded(gradescope.render([record()], previous=80.0))["score"] == 30.5


@pytest.mark.parametrize(
    ("metadata", "best"),
    [
        ({"previous_submissions": [{"score": "12.5"}, {"score": 30}, {"score": None}, {}]}, 30.0),
        ({"previous_submissions": []}, None),
        ({"previous_submissions": "none"}, None),
        ({}, None),
    ],
)
def test_the_best_score_before_is_read_whatever_else_the_file_holds(
    metadata: dict[str, Any], best: float | None
) -> None:
    assert gradescope.best_before(metadata) == best


# PrairieLearn


def test_a_prairielearn_file_has_a_share_and_points_in_every_test() -> None:
    content = loaded(prairielearn.render([record()]))
    assert content["gradable"] is True and content["score"] == pytest.approx(0.305)
    assert sum(test["points"] for test in content["tests"]) == 30.5


@pytest.mark.parametrize(
    "text", [prairielearn.render([record(), ungraded(problem="x")]), prairielearn.unavailable("why")]
)
def test_what_is_ungraded_takes_no_attempt_in_prairielearn(text: str) -> None:
    content = loaded(text)
    assert content["gradable"] is False and "score" not in content
    assert content["format_errors"]


def test_a_prairielearn_file_of_the_longest_texts_stays_below_its_limit() -> None:
    long = record(reason="x" * 10**6, counterexample=None)
    assert len(prairielearn.render([long] * 6)) < prairielearn.MOST_BYTES


# check50


def test_a_check50_file_has_results_in_the_order_of_the_groups() -> None:
    content = loaded(check50.render([record()]))
    assert content["slug"] == "shard-map-step"
    assert [one["name"] for one in content["results"]] == ["examples", "hidden", "fuzzed", "placement", "structure"]
    assert [one["passed"] for one in content["results"]] == [False] * 5


def test_a_passed_check_has_no_cause() -> None:
    assert [one["cause"] for one in loaded(check50.render([accepted()]))["results"]] == [None, None]


@pytest.mark.parametrize("text", [check50.render([ungraded()]), check50.unavailable("why")])
def test_what_is_ungraded_is_an_error_in_place_of_results(text: str) -> None:
    assert "results" not in loaded(text)


# Moodle, Canvas, Markdown

COURSE = [record(student="=1+1"), accepted(student="12345"), ungraded(student="eve")]


def rows(text: str) -> list[list[str]]:
    found = list(csv.reader(io.StringIO(text)))
    assert len({len(row) for row in found}) == 1
    return found


def test_moodle_gets_a_grade_and_feedback_a_problem_and_no_grade_for_what_is_ungraded() -> None:
    head, *body = rows(moodle.render(COURSE))
    assert head == ["Username", "Assignment: shard-map-step (Real)", "Assignment: shard-map-step (Feedback)"]
    assert [row[:2] for row in body] == [["12345", "100"], ["'=1+1", "30.5"], ["eve", ""]]
    assert "costs you no points" in body[2][2]


def test_canvas_gets_the_points_possible_and_an_empty_cell_for_what_is_ungraded() -> None:
    head, possible, *body = rows(canvas.render(COURSE))
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "shard-map-step"]
    assert possible == ["    Points Possible", "", "", "", "", "100"]
    assert body[0] == ["12345", "12345", "", "12345", "", "100"]
    assert [row[-1] for row in body] == ["100", "30.5", ""]
    assert body[1][0] == "'=1+1"


def test_the_markdown_summary_has_a_row_a_submission_that_a_name_cannot_break() -> None:
    lines = summary.render([record(student="a|b\n# c"), ungraded()]).splitlines()
    assert lines[0] == "# 2 submissions: 1 wrong answer, 1 ungraded"
    assert len(lines) == 6
    assert "a\\|b" in lines[4] or "a\\|b" in lines[5]
