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


def render(records: Sequence[Record], *, when: datetime) -> str:
    """The document as text; `when` is the time of grading, written without its zone."""
    root = ET.Element("testsuites")
    for place, problem in enumerate(sorted({record.problem for record in records})):
        ordered = sorted((one for one in records if one.problem == problem), key=lambda one: one.student)
        root.append(_suite(place, problem, ordered, when))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(place: int, problem: str, records: Sequence[Record], when: datetime) -> ET.Element:
    ungraded = sum(one.verdict is Verdict.UNGRADED for one in records)
    accepted = sum(one.verdict is Verdict.ACCEPTED for one in records)
    attributes = {
        "name": problem,
        "package": "judge",
        "id": str(place),
        "timestamp": when.strftime("%Y-%m-%dT%H:%M:%S"),
        "hostname": "localhost",
        "tests": str(len(records)),
        "failures": str(len(records) - accepted - ungraded),
        "errors": str(ungraded),
        "skipped": "0",
        "time": _seconds(records),
    }
    suite = ET.Element("testsuite", attributes)
    properties = ET.SubElement(suite, "properties")
    if not all(record.confined for record in records):
        ET.SubElement(properties, "property", {"name": "sandbox", "value": "off (--unsafe): not confined"})
    suite.extend(_case(record) for record in records)
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
    score = "not graded" if record.score is None else f"{record.score:g} of {record.max_score:g} points"
    told.text = f"{plain(record.file)}: {score}\n{reason}"
    return case


def _token(text: str) -> str:
    """XML collapses the blanks of a token; names that differ only there would become one."""
    return plain(text).replace("  ", " \\x20").strip(" ") or "-"


def _seconds(records: Iterable[Record]) -> str:
    return f"{sum(one.usage.get('wall_s', 0.0) for one in records):.3f}"
