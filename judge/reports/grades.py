"""`grades.csv`: a row a student, a column a problem. What is ungraded is an empty cell, which is not a zero."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from judge.model.record import Record
from judge.reports.gradebook import NO_COURSE, gradebook
from judge.reports.redact import cell


def render(records: Sequence[Record], course: Mapping[str, Any] = NO_COURSE) -> str:
    """The table as CSV text with `\\r\\n` line ends. Who has handed in nothing has a row of empty cells."""
    book = gradebook(course, records)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["student", *map(cell, book.problems)])
    for student in book.students:
        writer.writerow([cell(student), *book.cells(student)])
    return file.getvalue()
