"""The formats of `judge report`, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from judge.errors import UsageError
from judge.model.record import Record
from judge.reports import canvas, check50, gradescope, html, junit, moodle, prairielearn, summary
from judge.reports.files import folder


@dataclass(frozen=True, slots=True)
class Results:
    """What a report is made from.

    Attributes:
        content: that of `results.json`.
        records: the same, as values.
        when: the time of grading.
        previous: the best score before this submission, where a course system told it.
    """

    content: Mapping[str, Any]
    records: Sequence[Record]
    when: datetime
    previous: float | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        suffix: of its files.
        render: the document.
        unavailable: the document that says that there are no results, from (why, the best score before); None where
            the lack of a file says it well enough.
        a_student: whether a document is one student's.
        staff: whether it may hold what no student may see: hidden cases, or the judge's own words about a fault of its.
    """

    suffix: str
    render: Callable[[Results], str]
    unavailable: Callable[[str, float | None], str] | None = None
    a_student: bool = False
    staff: bool = False


FORMATS: Mapping[str, Format] = {
    "gradescope": Format(
        ".json",
        lambda all_: gradescope.render(all_.records, previous=all_.previous),
        lambda why, previous: gradescope.unavailable(why, previous=previous),
        a_student=True,
    ),
    "prairielearn": Format(
        ".json",
        lambda all_: prairielearn.render(all_.records),
        lambda why, previous: prairielearn.unavailable(why),
        a_student=True,
    ),
    "check50": Format(
        ".json",
        lambda all_: check50.render(all_.records),
        lambda why, previous: check50.unavailable(why),
        a_student=True,
    ),
    "moodle": Format(".csv", lambda all_: moodle.render(all_.records, all_.content.get("course", {}))),
    "canvas": Format(".csv", lambda all_: canvas.render(all_.records, all_.content.get("course", {}))),
    "markdown": Format(".md", lambda all_: summary.render(all_.records), lambda why, previous: summary.unavailable()),
    "junit": Format(
        ".xml",
        lambda all_: junit.render(all_.records, when=all_.when),
        lambda why, previous: junit.unavailable(why, when=datetime.now(UTC)),
        staff=True,
    ),
    "html": Format(".html", lambda all_: html.render(all_.content, all_.records), staff=True),
}


def documents(name: str, results: Results, student: str | None) -> Iterator[tuple[str, str]]:
    """(file name, text) of every document: one a student where the format is one student's, else one.

    Raises:
        UsageError: there is no record of `student`.
    """
    form = FORMATS[name]
    students = sorted({record.student for record in results.records})
    if student is not None:
        if student not in students:
            raise UsageError(f"there is no submission of {student!r}; there are: {', '.join(students) or 'none'}")
        students = [student]
    chosen = [record for record in results.records if record.student in set(students)]
    if not form.a_student:
        yield f"report{form.suffix}", form.render(_only(results, chosen))
        return
    for one in students:
        own = [record for record in chosen if record.student == one]
        yield f"{folder(one)}{form.suffix}", form.render(_only(results, own))


def _only(results: Results, records: Sequence[Record]) -> Results:
    return Results(results.content, records, results.when, results.previous)
