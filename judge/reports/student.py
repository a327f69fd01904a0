"""What course systems show a student: the groups of a record as tests, and the words beside them.

All of it comes out of `redact.for_student`; hidden and fuzzed cases are counted and never named one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports.feedback import as_lines
from judge.reports.redact import for_student, plain

TITLES = {
    "examples": "Examples of the statement",
    "hidden": "Hidden cases",
    "fuzzed": "Cases drawn at random",
    "placement": "Placement on the devices",
    "structure": "Structure of the program",
}
#: Said instead of a reason where the judge failed: its own words are for the staff.
NOT_GRADED = (
    "The judge failed, or the machine under it. That says nothing about your work and costs you no points: "
    "it will be graded again."
)


@dataclass(frozen=True, slots=True)
class Test:
    """One group. `words` is empty where it passed."""

    group: str
    title: str
    passed: bool
    points: float
    max_points: float
    words: str


def tests(record: Record) -> tuple[Test, ...]:
    """The groups in their order; the first that failed carries the reason and the counterexample."""
    found, told = [], False
    for group in for_student(record)["groups"]:
        passed = group.total > 0 and group.passed == group.total
        words = ""
        if not passed:
            words = f"{group.passed} of {group.total} passed."
            words = words if told else f"{words}\n\n{explanation(record)}"
            told = True
        title = TITLES.get(group.name, plain(group.name))
        found.append(Test(group.name, title, passed, group.points, group.max_points, words))
    return tuple(found)


def headline(record: Record) -> str:
    """One line: the problem, its verdict, the points."""
    seen = for_student(record)
    score = "not graded" if seen["score"] is None else f"{seen['score']:g} of {seen['max_score']:g} points"
    return f"{plain(seen['problem'])}: {seen['verdict'].replace('_', ' ')}, {score}"


def explanation(record: Record) -> str:
    """The reason, and the smallest input that shows the fault, as plain lines."""
    seen = for_student(record)
    credit = [plain(why) for why in seen["credit"]]
    if record.verdict is Verdict.UNGRADED:
        return "\n".join(credit) if seen["score"] is not None else NOT_GRADED
    parts = ["\n".join([*credit, plain(seen["reason"], lines=True)])]
    if seen["counterexample"] is not None and record.verdict is not Verdict.ACCEPTED:
        parts.append(f"An input that shows it:\n{plain(as_lines(seen['counterexample']), lines=True)}")
    return "\n\n".join(parts)
