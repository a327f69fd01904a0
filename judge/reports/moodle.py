"""A CSV file for the import of grades into Moodle: a row a student, a grade and a feedback column a problem."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from judge.model.record import Record
from judge.reports.redact import cell
from judge.reports.student import explanation, headline


def render(records: Sequence[Record]) -> str:
    """The columns are named as Moodle's own export names them. What is ungraded is an empty cell."""
    problems = sorted({record.problem for record in records})
    students: dict[str, dict[str, Record]] = {}
    for record in sorted(records, key=lambda one: one.student):
        students.setdefault(record.student, {})[record.problem] = record
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(
        ["Username", *(f"Assignment: {cell(one)} ({kind})" for one in problems for kind in ("Real", "Feedback"))]
    )
    for student, own in students.items():
        row = [cell(student)]
        for problem in problems:
            row.extend(_cells(own.get(problem)))
        writer.writerow(row)
    return file.getvalue()


def _cells(record: Record | None) -> tuple[str, str]:
    if record is None:
        return "", ""
    first, *_ = explanation(record).split("\n\n")
    return "" if record.score is None else f"{record.score:g}", cell(f"{headline(record)}. {first}")
