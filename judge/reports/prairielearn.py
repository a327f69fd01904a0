"""PrairieLearn's `results.json` of an external grader.

What is ungraded is not gradable, which takes no attempt from the student.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from judge.model.record import Record
from judge.reports.redact import plain
from judge.reports.student import NOT_GRADED, explanation, headline, tests

#: PrairieLearn takes a megabyte. A student's text is cut long before by `redact.plain`.
MOST_BYTES = 1_000_000


def render(records: Sequence[Record]) -> str:
    """The document of one student."""
    most = sum(record.final_max for record in records)
    if most <= 0 or any(record.final_score is None for record in records):
        return unavailable("")
    content = {
        "gradable": True,
        "score": min(max(sum(record.final_score or 0.0 for record in records) / most, 0.0), 1.0),
        "message": "\n".join(headline(record) for record in records),
        "output": "\n\n".join(explanation(record) for record in records),
        "tests": [one for record in records for one in _tests(record)],
    }
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    assert len(text) <= MOST_BYTES, "every text of a record is cut"
    return text


def unavailable(why: str) -> str:
    """The document of what was not graded. `why` is not told: students read all of it."""
    del why
    return json.dumps({"gradable": False, "message": NOT_GRADED, "format_errors": [NOT_GRADED]}, indent=1) + "\n"


def _tests(record: Record) -> list[dict[str, Any]]:
    # Every test has points: one without them would take the points of all from view.
    return [
        {
            "name": f"{plain(record.problem)}: {test.title}",
            "points": test.points,
            "max_points": test.max_points,
            "output": test.words,
        }
        for test in tests(record)
    ]
