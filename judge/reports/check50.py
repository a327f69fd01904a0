"""The JSON of check50. What is ungraded is an `error` in place of `results`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from judge import __version__
from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports.redact import UNCONFINED, for_student, plain
from judge.reports.student import NOT_GRADED, Test, tests


def render(records: Sequence[Record]) -> str:
    """The document of one student."""
    slug = "+".join(plain(record.problem) for record in records)
    if any(record.verdict is Verdict.UNGRADED for record in records):
        return _error(slug)
    several = len(records) > 1
    results = [
        _result(record, test, f"{record.problem}-{test.group}" if several else test.group)
        for record in records
        for test in tests(record)
    ]
    return _document({"slug": slug, "results": results, "version": __version__})


def unavailable(why: str) -> str:
    del why  # students read all of it
    return _error("")


def _error(slug: str) -> str:
    error = {"type": "JudgeFault", "value": NOT_GRADED, "traceback": [], "data": {}}
    return _document({"slug": slug, "error": error, "version": __version__})


def _result(record: Record, test: Test, name: str) -> dict[str, Any]:
    cause = None
    if not test.passed:
        hint = for_student(record)["mistake"]
        cause = {"rationale": test.words, "help": f"recognised as {plain(hint)}" if hint else None}
    return {
        "name": plain(name),
        "description": test.title,
        "passed": test.passed,
        "log": [] if record.confined else [UNCONFINED],
        "cause": cause,
        "data": {"points": test.points, "max_points": test.max_points},
        "dependency": None,
    }


def _document(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
