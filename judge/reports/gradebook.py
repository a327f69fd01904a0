"""Who has which points for what: the table behind `grades.csv` and the imports of course systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from judge.model.record import Record

#: What `results.json` says of the course where there is none.
NO_COURSE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Gradebook:
    """Students and problems in alphabetical order.

    Attributes:
        problems: what each is worth, by slug.
        students: full names by id, "" where none is known; those who have handed in nothing are among them.
        scores: final ones by student and slug; None, or no entry, is an empty cell, which is not a zero.
        records: by student and slug.
    """

    problems: Mapping[str, float]
    students: Mapping[str, str]
    scores: Mapping[tuple[str, str], float | None]
    records: Mapping[tuple[str, str], Record]

    def cells(self, student: str) -> list[str]:
        """The scores of a student, in the order of `problems`."""
        found = [self.scores.get((student, slug)) for slug in self.problems]
        return ["" if score is None else f"{score:g}" for score in found]


def gradebook(course: Mapping[str, Any], records: Sequence[Record]) -> Gradebook:
    """The table of a class; `course` is what `results.json` says of it."""
    worth = {slug: one["points"] or 0.0 for slug, one in course.get("problems", {}).items()}
    scores: dict[tuple[str, str], float | None] = {
        (one["student"], one["problem"]): one["score"] for one in course.get("given", ())
    }
    for record in records:
        worth[record.problem] = max(worth.get(record.problem, 0.0), record.final_max)
        scores[record.student, record.problem] = record.final_score
    names = course.get("students", {})
    students = {student: names.get(student, "") for student in sorted({*names, *(student for student, _ in scores)})}
    return Gradebook(
        problems=dict(sorted(worth.items())),
        students=students,
        scores=scores,
        records={(record.student, record.problem): record for record in records},
    )
