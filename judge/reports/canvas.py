"""A CSV file for the import of grades into Canvas: a row a student, a column an assignment, the points possible above."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from judge.model.record import Record
from judge.reports.gradebook import NO_COURSE, gradebook
from judge.reports.redact import cell


def render(records: Sequence[Record], course: Mapping[str, Any] = NO_COURSE) -> str:
    """Students are found by `ID` where theirs is a number, and by `SIS Login ID`. What is ungraded is an empty cell."""
    book = gradebook(course, records)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *map(cell, book.problems)])
    writer.writerow(["    Points Possible", "", "", "", "", *(f"{worth:g}" for worth in book.problems.values())])
    for student, name in book.students.items():
        number = student if student.isascii() and student.isdigit() else ""
        writer.writerow([cell(name or student), number, "", cell(student), "", *book.cells(student)])
    return file.getvalue()
