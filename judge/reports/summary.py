"""A Markdown summary of a class, for a pull request or the page of a CI run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports.redact import for_student, markdown
from judge.reports.student import NOT_GRADED


def render(records: Sequence[Record]) -> str:
    """Counts of verdicts, and a row a submission; nothing that its student may not see."""
    counts = Counter(record.verdict for record in records)
    told = ", ".join(f"{counts[one]} {one.value.replace('_', ' ')}" for one in Verdict if counts[one])
    rows = [_row(record) for record in sorted(records, key=lambda one: (one.student, one.problem))]
    head = "| student | problem | verdict | score | reason |\n|---|---|---|--:|---|"
    count = "1 submission" if len(records) == 1 else f"{len(records)} submissions"
    return "\n".join([f"# {count}: {told}", "", head, *rows, ""])


def unavailable() -> str:
    """The page where the judge left no results. Why is not told: students may read it."""
    return f"# Not graded\n\n{NOT_GRADED}\n"


def _row(record: Record) -> str:
    seen = for_student(record)
    score = "-" if seen["score"] is None else f"{seen['score']:g} of {seen['max_score']:g}"
    reason = NOT_GRADED if record.verdict is Verdict.UNGRADED else markdown(seen["reason"])
    verdict = seen["verdict"].replace("_", " ")
    return f"| {markdown(seen['student'])} | {markdown(seen['problem'])} | {verdict} | {score} | {reason} |"
