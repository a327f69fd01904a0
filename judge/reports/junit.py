"""`junit.xml`: a suite a problem, a test a submission, as CI servers read it.

Not accepted is a `failure`: the submission's. Ungraded is an `error`: the judge's. The form is the stricter one of the two
in use (Ant's), in which a suite has a time stamp without zone, properties, and both outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from xml.etree import ElementTree as ET

from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports.redact import plain
from judge.reports.student import NOT_GRADED


def render(records: Sequence[Record], *, when: datetime) -> str:
    """The document as text; `when` is the time of grading, written without its zone."""
    suites = []
    for place, problem in enumerate(sorted({record.problem for record in records})):
        ordered = sorted((one for one in records if one.problem == problem), key=lambda one: one.student)
        suites.append(_suite(place, problem, [_case(record) for record in ordered], when, _seconds(ordered)))
    return _document(suites)


def unavailable(why: str, *, when: datetime) -> str:
    """The document where the judge left no results: one test, which is an error of the judge."""
    case = ET.Element("testcase", {"name": "results", "classname": "judge", "time": "0.000"})
    ET.SubElement(case, "error", {"type": "ungraded", "message": plain(why)}).text = NOT_GRADED
    return _document([_suite(0, "judge", [case], when, "0.000")])


def _document(suites: Sequence[ET.Element]) -> str:
    root = ET.Element("testsuites")
    root.extend(suites)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(place: int, problem: str, cases: Sequence[ET.Element], when: datetime, seconds: str) -> ET.Element:
    attributes = {
        "name": problem,
        "package": "judge",
        "id": str(place),
        "timestamp": when.strftime("%Y-%m-%dT%H:%M:%S"),
        "hostname": "localhost",
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
        "skipped": "0",
        "time": seconds,
    }
    suite = ET.Element("testsuite", attributes)
    ET.SubElement(suite, "properties")
    suite.extend(cases)
    ET.SubElement(suite, "system-out")
    ET.SubElement(suite, "system-err")
    return suite


def _case(record: Record) -> ET.Element:
    """`plain` spells every control as an escape, and so every character that XML 1.0 forbids."""
    case = ET.Element(
        "testcase", {"name": _token(record.student), "classname": record.problem, "time": _seconds([record])}
    )
    if record.verdict is Verdict.ACCEPTED:
        return case
    kind = "error" if record.verdict is Verdict.UNGRADED else "failure"
    reason = plain(record.reason, lines=True)
    told = ET.SubElement(case, kind, {"type": record.verdict.value, "message": plain(record.reason)})
    score = "not graded" if record.final_score is None else f"{record.final_score:g} of {record.final_max:g} points"
    told.text = f"{plain(record.file)}: {score}\n{reason}"
    return case


def _token(text: str) -> str:
    """XML collapses the blanks of a token; names that differ only there would become one."""
    return plain(text).replace("  ", " \\x20").strip(" ") or "-"


def _seconds(records: Iterable[Record]) -> str:
    return f"{sum(one.usage.get('wall_s', 0.0) for one in records):.3f}"
