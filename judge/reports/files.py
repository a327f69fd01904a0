"""Which files a run leaves, and where a student's page goes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from judge.model.record import Record
from judge.reports import feedback, grades, html, junit

#: What a student may be given; everything else that a run leaves is for the staff.
FOR_STUDENTS = "feedback/"
#: Files of a class, beside those of each student.
NAMES = ("results.json", "grades.csv", "report.html", "junit.xml")
SAFE = re.compile(r"[^A-Za-z0-9._-]")


def files(
    content: Mapping[str, Any], records: Sequence[Record], *, when: datetime | None = None
) -> Iterator[tuple[str, bytes]]:
    """(path below the results folder, bytes) of every report; `content` is that of `results.json`, `when` the time of
    grading, which is now unless it is given."""
    yield "results.json", results_file(content)
    yield "grades.csv", grades.render(records, content.get("course", {})).encode()
    for record in records:
        yield f"{FOR_STUDENTS}{folder(record.student)}/{record.problem}.md", feedback.render(record).encode()
    # Names may hold lone surrogates, where a file system's are not UTF-8; `plain` has spelled them out by now.
    yield "report.html", html.render(content, records).encode()
    yield "junit.xml", junit.render(records, when=when or datetime.now(UTC)).encode()


def results_file(content: Mapping[str, Any]) -> bytes:
    """`results.json` as it is written: a line a submission, so that two of them can be compared line by line."""
    # `indent` would take the encoder that is written in Python, which needs seconds for a thousand records.
    dump = partial(json.dumps, ensure_ascii=True, allow_nan=False)
    head = [f"{dump(name)}: {dump(value)}" for name, value in content.items() if name != "results"]
    body = ",\n".join(dump(one) for one in content["results"])
    return ("{" + ",\n".join([*head, f'"results": [\n{body}\n]']) + "}\n").encode()


def folder(student: str) -> str:
    """A student's id as a file name: itself where it is plain, else made so, with a digest that keeps two apart."""
    name = SAFE.sub("_", student)
    if name == student and not name.startswith(".") and 0 < len(name) <= 100:
        return name
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name.lstrip('.')[:80]}-{digest}"
