"""Judged scores -> final ones: what a problem is worth in a course, what lateness costs, what a grader decided by hand.

Pure, and applied to every record of every run, kept ones too: a decision by hand survives each regrading because it is
never in a record that the judge made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from judge.model.course import Course, Late
from judge.model.record import Credit, Record
from judge.model.roster import Roster
from judge.model.submission import HandedIn

SECONDS = {"hour": 3600.0, "day": 86400.0}


def credit(record: Record, handed_in: HandedIn, course: Course) -> Credit:
    """The final score of a record: judged, then less for lateness, then what a grader gave."""
    worth = course.points(record.problem) or record.max_score
    submitted, source = submission_time(handed_in, ZoneInfo(course.spec.timezone))
    shown = submitted.isoformat(timespec="seconds") if submitted is not None else ""
    given = course.given(record.student, record.problem)
    if given is not None:
        decided = f"Set by hand to {given.score:g} of {worth:g} points: {given.reason}"
        return Credit(given.score, worth, shown, by_hand=True, why=(decided,))
    share, why = _lateness(record, handed_in, course, submitted, source)
    if record.score is None:
        return Credit(None, worth, shown, why=why)
    earned = record.score * worth / record.max_score if record.max_score else 0.0
    lost = round(earned * share, 2)
    return Credit(round(earned - lost, 2), worth, shown, lost, why=why)


def submission_time(handed_in: HandedIn, zone: ZoneInfo) -> tuple[datetime | None, str]:
    """When something was handed in, in `zone`, and what says so."""
    if handed_in.stamp:
        try:
            return datetime.fromisoformat(handed_in.stamp).replace(tzinfo=zone), "the time in the name of the file"
        except ValueError:
            pass  # such as the 31st of a month of 30 days: then it is no time
    if handed_in.file_s is not None:
        return datetime.fromtimestamp(handed_in.file_s, zone), "the time of the file"
    return None, ""


def _lateness(
    record: Record, handed_in: HandedIn, course: Course, submitted: datetime | None, source: str
) -> tuple[float, tuple[str, ...]]:
    """(the share of the points that is lost, why)."""
    due, moved = course.due(record.student, record.problem)
    rule = course.late(record.problem)
    if due is None:
        return 0.0, ()
    why: tuple[str, ...] = (f"Due at {_told(due)} for this student: {moved}",) if moved else ()
    if submitted is None and handed_in.marked_late is None:
        return 0.0, (*why, "Nothing tells when it was handed in, so it counts as in time.")
    # In UTC: two times of one zone are otherwise subtracted as though no clock had ever been changed.
    late_s = 0.0 if submitted is None else (submitted.astimezone(UTC) - due.astimezone(UTC)).total_seconds()
    if late_s > (rule.grace_minutes * 60 if rule is not None else 0):
        told = f"Handed in at {_told(submitted or due)} ({source}), {_span(late_s)} after it was due"
    elif handed_in.marked_late and not moved:
        late_s = 1.0
        told = "The download marks it as late and nothing tells by how much"
    else:
        return 0.0, why
    share = _share(rule, late_s)
    cost = f"{100 * share:g} % of its points are lost" if share else "no points are lost"
    return share, (*why, f"{told}: {cost}.")


def _share(rule: Late | None, late_s: float) -> float:
    if rule is None:
        return 0.0
    periods = -(-late_s // SECONDS[rule.every])
    return min(periods * rule.percent, rule.at_most) / 100


def _told(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M %Z}".rstrip()


def _span(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    parts = [(hours // 24, "d"), (hours % 24, "h"), (minutes, "min")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def summary(
    course: Course | None, roster: Roster | None, records: Sequence[Record], *, only: str | None
) -> dict[str, Any]:
    """What `results.json` says of the course: its problems, its students, who has handed in nothing for what, and scores that
    were given where nothing was handed in. Empty where there is neither a course nor a roster.

    `only` is the one problem that was asked for, where it was one.
    """
    if course is None and roster is None:
        return {}
    there = {(record.student, record.problem) for record in records}
    slugs = sorted({slug for _, slug in there}) if course is None else list(course.spec.problems)
    slugs = slugs if only is None else [only]
    students = {} if roster is None else dict(roster.students)
    given = [] if course is None else [one for one in course.spec.manual if one.score is not None]
    decided = {(one.student, one.problem) for one in given}
    missing = {student: [slug for slug in slugs if (student, slug) not in there | decided] for student in students}
    return {
        "title": "" if course is None else course.spec.title,
        "problems": {slug: _problem(course, slug) for slug in slugs},
        "students": students,
        "missing": {student: lacking for student, lacking in missing.items() if lacking},
        "given": [
            {"student": one.student, "problem": one.problem, "score": one.score, "reason": one.reason}
            for one in given
            if (one.student, one.problem) not in there and (not students or one.student in students)
        ],
    }


def _problem(course: Course | None, slug: str) -> Mapping[str, Any]:
    problem = None if course is None else course.spec.problems.get(slug)
    due = None if problem is None or problem.due is None else problem.due.isoformat()
    return {"points": None if problem is None else problem.points, "due": due}


def unmatched(course: Course, roster: Roster | None, records: Sequence[Record]) -> list[str]:
    """A sentence about each decision by hand that is about nobody: a typing error there would cost a student points."""
    known = {record.student for record in records} | set(roster.students if roster is not None else ())
    return [
        f"{course.file}:{line}: nobody is called {one.student!r}; the decision about {one.problem} changes nothing"
        for one, line in zip(course.spec.manual, course.lines, strict=True)
        if one.student not in known and (roster is not None or one.score is None)
    ]
