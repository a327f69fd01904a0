"""Which files a run leaves, and where a student's page goes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from judge.model.record import Record
from judge.reports import feedback, grades, html, junit
from judge.reports.gradebook import gradebook

#: Reports of a class, beside those of each student.
NAMES = ("grades.csv", "report.html", "junit.xml")
SAFE = re.compile(r"[^A-Za-z0-9._-]")


def files(
    content: Mapping[str, Any], records: Sequence[Record], *, when: datetime | None = None
) -> Iterator[tuple[str, bytes]]:
    """(path below the results folder, bytes) of every report but `results.json`; `content` is that of it, `when` the time of
    grading, which is now unless it is given."""
    yield "grades.csv", grades.render(gradebook(content.get("course", {}), records)).encode()
    for record in records:
        yield f"feedback/{folder(record.student)}/{record.problem}.md", feedback.render(record).encode()
    # Names may hold lone surrogates, where a file system's are not UTF-8; `plain` has spelled them out by now.
    yield "report.html", html.render(content, records).encode()
    yield "junit.xml", junit.render(records, when=when or datetime.now(UTC)).encode()


def folder(student: str) -> str:
    """A student's id as a file name: itself where it is plain, else made so, with a digest that keeps two apart."""
    name = SAFE.sub("_", student)
    if name == student and not name.startswith(".") and 0 < len(name) <= 100:
        return name
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name.lstrip('.')[:80]}-{digest}"
