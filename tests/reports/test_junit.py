"""`junit.xml` against `junit.xsd`, the stricter of the forms in use."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xmlschema import XMLSchema

from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports import junit
from tests.support.records import records
from tests.support.results import HOSTILE, accepted, record, ungraded

SCHEMA = XMLSchema(Path(__file__).with_name("junit.xsd"))
WHEN = datetime(2026, 11, 30, 12, 0, 1, tzinfo=UTC)
CLASS = [
    record(),
    accepted(student="bob"),
    ungraded(student="eve"),
    record(student="dan", verdict=Verdict.TIME_LIMIT),
    accepted(problem="jit-step"),
]


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text.encode())


def valid(text: str) -> bool:
    """Whether the schema takes the document; the first fault is printed."""
    faults = list(SCHEMA.iter_errors(text))
    print(*faults[:1])
    return not faults


def test_a_report_of_every_kind_of_verdict_is_as_the_schema_says() -> None:
    every = [record(student=one.value, verdict=one) for one in Verdict]
    for some in ([], CLASS, every, [record(student=HOSTILE, reason=HOSTILE, file=HOSTILE)], [record(student="")]):
        assert valid(junit.render(some, when=WHEN))


@given(st.lists(records, max_size=4))
def test_any_record_makes_a_report_that_the_schema_takes(some: list[Record]) -> None:
    assert valid(junit.render(some, when=WHEN))


def test_the_report_of_a_judge_that_left_no_results_is_an_error_and_as_the_schema_says() -> None:
    text = junit.unavailable(f"no disk {HOSTILE}", when=WHEN)
    assert valid(text)
    (suite,) = parsed(text)
    assert (suite.attrib["tests"], suite.attrib["errors"], suite.attrib["failures"]) == ("1", "1", "0")
    assert "no disk" in suite[1][0].attrib["message"]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (' timestamp="2026-11-30T12:00:01"', ' timestamp="2026-11-30T12:00:01Z"'),
        (' hostname="localhost"', ""),
        ("<system-err />", ""),
        ("<properties />", ""),
        (' type="wrong_answer"', ""),
        (' time="', ' time="1e-'),
        ("<failure", "<error></error><failure"),
    ],
)
def test_the_schema_refuses_what_readers_refuse(right: str, wrong: str) -> None:
    text = junit.render([record()], when=WHEN)
    assert right in text
    assert not valid(text.replace(right, wrong))


def test_the_counters_agree_with_what_the_suite_holds() -> None:
    for suite in parsed(junit.render(CLASS, when=WHEN)):
        assert int(suite.attrib["tests"]) == len(list(suite.iter("testcase")))
        assert int(suite.attrib["failures"]) == len(list(suite.iter("failure")))
        assert int(suite.attrib["errors"]) == len(list(suite.iter("error")))
        times = [float(test.attrib["time"]) for test in suite.iter("testcase")]
        assert abs(float(suite.attrib["time"]) - sum(times)) < 0.01


def test_what_a_submission_did_is_a_failure_and_what_the_judge_did_is_an_error() -> None:
    tests = {test.attrib["name"]: test for test in parsed(junit.render(CLASS[:4], when=WHEN)).iter("testcase")}
    assert {name: [child.tag for child in test] for name, test in tests.items()} == {
        "ada": ["failure"],
        "bob": [],
        "dan": ["failure"],
        "eve": ["error"],
    }
    assert tests["dan"][0].attrib["type"] == "time_limit"
    assert tests["ada"][0].attrib["message"].startswith("On example 1")


def test_characters_that_xml_forbids_are_spelled_out() -> None:
    hostile = record(student=HOSTILE, reason=f"{HOSTILE}\ufffe\x0b", file=HOSTILE)
    test = next(parsed(junit.render([hostile], when=WHEN)).iter("testcase"))
    assert test.attrib["name"].startswith("<img src=x onerror=alert(1)>\\x1b[31m\\u202e")
    assert "\\x00\\ud800\\ufffe\\x0b" in test[0].attrib["message"]


def test_names_that_differ_in_blanks_alone_stay_two() -> None:
    root = parsed(junit.render([record(student="a b"), record(student="a  b")], when=WHEN))
    assert len({" ".join(test.attrib["name"].split()) for test in root.iter("testcase")}) == 2
