"""A CSV file for the import of grades into Moodle: a row a student, a grade and a feedback column a problem."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from judge.model.record import Record
from judge.reports.gradebook import NO_COURSE, gradebook
from judge.reports.redact import cell
from judge.reports.student import explanation, headline


def render(records: Sequence[Record], course: Mapping[str, Any] = NO_COURSE) -> str:
    """The columns are named as Moodle's own export names them. What is ungraded is an empty cell."""
    book = gradebook(course, records)
    file = io.StringIO()
    writer = csv.writer(file)
    kinds = ("Real", "Feedback")
    writer.writerow(["Username", *(f"Assignment: {cell(one)} ({kind})" for one in book.problems for kind in kinds)])
    for student in book.students:
        row = [cell(student)]
        for score, problem in zip(book.cells(student), book.problems, strict=True):
            row += [score, _feedback(book.records.get((student, problem)))]
        writer.writerow(row)
    return file.getvalue()


def _feedback(record: Record | None) -> str:
    if record is None:
        return ""
    first, *_ = explanation(record).split("\n\n")
    return cell(f"{headline(record)}. {first}")
