"""`junit.xml` against the stricter of the two forms in use."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from judge.model.verdict import Verdict
from judge.reports import junit
from tests.support.results import HOSTILE, accepted, record, ungraded

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


def test_every_suite_has_what_the_schema_requires_in_its_order() -> None:
    root = parsed(junit.render(CLASS, when=WHEN))
    assert root.tag == "testsuites" and root.attrib == {}
    for place, suite in enumerate(root):
        children = [child.tag for child in suite]
        assert children == ["properties", *["testcase"] * int(suite.attrib["tests"]), "system-out", "system-err"]
        assert suite.attrib["id"] == str(place)
        assert suite.attrib["timestamp"] == "2026-11-30T12:00:01"
        assert {"name", "package", "hostname", "time", "errors", "failures"} <= set(suite.attrib)
        for test in suite.iter("testcase"):
            assert set(test.attrib) == {"name", "classname", "time"}
            assert re.fullmatch(r"\d+\.\d{3}", test.attrib["time"])
            assert len(test) <= 1


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
