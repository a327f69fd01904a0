"""Gradescope's `results.json`.

What is ungraded has neither points nor a total: a hidden test among the others makes Gradescope keep the total from the
student, and the best score of the submissions before stands where the caller knows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports.redact import plain
from judge.reports.student import NOT_GRADED, explanation, headline, tests


def render(records: Sequence[Record], *, previous: float | None = None) -> str:
    """The document of one student; `previous` is the best score that they had before."""
    graded = [record.final_score for record in records if record.final_score is not None]
    listed: list[dict[str, Any]] = []
    for place, record in enumerate(records, start=1):
        listed.extend(_tests(record, place))
    score = round(sum(graded, 0.0), 2)
    if len(graded) < len(records):
        score = max(score, previous or 0.0)
    return _document(
        score=score,
        output="\n\n".join(f"{headline(record)}\n{explanation(record)}" for record in records),
        listed=listed,
        seconds=sum(record.usage.get("wall_s", 0.0) for record in records),
        verdicts={plain(record.problem): record.verdict.value for record in records},
    )


def unavailable(why: str, *, previous: float | None = None) -> str:
    """The document where the judge left no results: valid, without points, and `why` for the staff alone."""
    return _document(score=previous or 0.0, output=NOT_GRADED, listed=_ungraded("1", why), seconds=0.0, verdicts={})


def best_before(metadata: Mapping[str, Any]) -> float | None:
    """The best score in `submission_metadata.json`; None where there is none, or it is not as documented."""
    before = metadata.get("previous_submissions")
    scores = []
    for one in before if isinstance(before, list) else ():
        try:
            scores.append(float(one["score"]))
        except (KeyError, TypeError, ValueError):
            continue
    return max(scores, default=None)


def _tests(record: Record, place: int) -> list[dict[str, Any]]:
    if record.verdict is Verdict.UNGRADED:
        return _ungraded(f"{place}", f"{record.student}, {record.problem}: {record.reason}")
    return [
        {
            "name": f"{plain(record.problem)}: {test.title}",
            "number": f"{place}.{number}",
            "score": test.points,
            "max_score": test.max_points,
            # Without a status, a test of 0 of 0 points would be shown as passed.
            "status": "passed" if test.passed else "failed",
            "output": test.words,
            "visibility": "visible",
        }
        for number, test in enumerate(tests(record), start=1)
    ]


def _ungraded(number: str, why: str) -> list[dict[str, Any]]:
    shared = {"score": 0.0, "max_score": 0.0, "status": "failed"}
    return [
        {"name": "Not graded", "number": f"{number}.1", **shared, "output": NOT_GRADED, "visibility": "visible"},
        {
            "name": "For the staff: run the autograder again",
            "number": f"{number}.2",
            **shared,
            "output": plain(why, lines=True),
            "tags": ["ungraded"],
            "visibility": "hidden",
        },
    ]


def _document(
    *, score: float, output: str, listed: Sequence[Mapping[str, Any]], seconds: float, verdicts: Mapping[str, str]
) -> str:
    content = {
        "score": score,
        "execution_time": round(seconds, 3),
        "output": output,
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"verdicts": dict(verdicts)},
        "tests": list(listed),
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
