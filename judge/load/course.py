"""`course.yaml` -> `Course`. Every fault is reported at once, each with its line and remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from judge.errors import Fault, FaultyFile, UsageError
from judge.load.document import Document, read_document
from judge.load.validation import validated
from judge.model.course import Course, CourseProblem, CourseSpec, Manual

NAME = "course.yaml"


def find_course(given: Path | None, root: Path) -> Path | None:
    """The course file: `given`, else `course.yaml` in the current folder, else beside the problems in `root`.

    Raises:
        UsageError: `given` is not there.
    """
    if given is not None:
        if not given.is_file():
            raise UsageError(f"{given} is not a file; name a {NAME} with --course")
        return given
    return next((place for place in (Path(NAME), root / NAME, root.parent / NAME) if place.is_file()), None)


def read_course(file: Path, slugs: Sequence[str]) -> Course:
    """The course in a file; `slugs` are the problems that exist.

    Raises:
        FaultyFile: with every fault that was found.
    """
    document, faults = read_document(file)
    spec = None
    if document is not None and not faults:
        spec, faults = validated(document, document.data, CourseSpec, CourseSpec.model_json_schema)
    if spec is not None and document is not None:
        faults = list(_inconsistencies(document, spec, slugs))
    if faults or spec is None or document is None:
        raise FaultyFile(f"the course {file}", faults)
    lines = tuple(document.lines[("manual", place)] for place in range(len(spec.manual)))
    return Course(file, _zoned(spec), lines)


def _inconsistencies(document: Document, spec: CourseSpec, slugs: Sequence[str]) -> Iterator[Fault]:
    try:
        ZoneInfo(spec.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"`timezone` is {spec.timezone!r}, which this machine does not know"
        yield document.fault(("timezone",), message, "write one like Europe/Berlin or America/New_York")
    for slug in spec.problems:
        if slug not in slugs:
            yield document.fault(("problems", slug), f"there is no problem {slug!r}", _near(slug, slugs))
    seen: dict[tuple[str, str, bool], int] = {}
    for place, one in enumerate(spec.manual):
        path = ("manual", place)
        if one.problem not in spec.problems:
            message = f"{one.problem!r} is not under `problems`"
            yield document.fault((*path, "problem"), message, _near(one.problem, list(spec.problems)))
        if (one.score is None) == (one.due is None):
            message = "it has both `score` and `due`" if one.due else "it has neither `score` nor `due`"
            yield document.fault(path, message, "give one of the two")
        first = seen.setdefault((one.student, one.problem, one.score is None), place)
        if first != place:
            message = (
                f"{one.student} and {one.problem} are decided twice, first on line {document.lines['manual', first]}"
            )
            yield document.fault(path, message, "keep one of the two")


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(sorted(known)) or 'none'}"


def _zoned(spec: CourseSpec) -> CourseSpec:
    zone = ZoneInfo(spec.timezone)

    def moved(one: CourseProblem | Manual) -> dict[str, Any]:
        due = one.due
        return {"due": due.replace(tzinfo=zone) if isinstance(due, datetime) and due.tzinfo is None else due}

    problems = {slug: one.model_copy(update=moved(one)) for slug, one in spec.problems.items()}
    manual = tuple(one.model_copy(update=moved(one)) for one in spec.manual)
    return spec.model_copy(update={"problems": problems, "manual": manual})
