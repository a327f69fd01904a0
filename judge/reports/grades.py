"""`grades.csv`: a row a student, a column a problem. What is ungraded is an empty cell, which is not a zero."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from judge.model.record import Record
from judge.reports.redact import cell


def render(records: Sequence[Record]) -> str:
    """The table as CSV text with `\\r\\n` line ends, students and problems in alphabetical order."""
    problems = sorted({record.problem for record in records})
    students: dict[str, dict[str, float | None]] = {}
    for record in sorted(records, key=lambda one: (one.student, one.problem)):
        students.setdefault(record.student, {})[record.problem] = record.score
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["student", *map(cell, problems)])
    for student, scores in students.items():
        row = [scores.get(problem) for problem in problems]
        writer.writerow([cell(student), *("" if score is None else f"{score:g}" for score in row)])
    return file.getvalue()
