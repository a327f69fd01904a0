"""A CSV file for the import of grades into Canvas: a row a student, a column an assignment, the points possible above."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from judge.model.record import Record
from judge.reports.redact import cell


def render(records: Sequence[Record]) -> str:
    """Students are found by `ID` where theirs is a number, and by `SIS Login ID`. What is ungraded is an empty cell."""
    problems = {record.problem: record.max_score for record in sorted(records, key=lambda one: one.max_score)}
    slugs = sorted(problems)
    students: dict[str, dict[str, float | None]] = {}
    for record in sorted(records, key=lambda one: one.student):
        students.setdefault(record.student, {})[record.problem] = record.score
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *map(cell, slugs)])
    writer.writerow(["    Points Possible", "", "", "", "", *(f"{problems[slug]:g}" for slug in slugs)])
    for student, scores in students.items():
        name = cell(student)
        number = student if student.isascii() and student.isdigit() else ""
        row = [scores.get(slug) for slug in slugs]
        writer.writerow([name, number, "", name, "", *("" if score is None else f"{score:g}" for score in row)])
    return file.getvalue()
