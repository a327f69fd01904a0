"""From judged scores to final ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.credit import credit, summary, unmatched
from judge.model.course import Course, CourseSpec
from judge.model.roster import Roster
from judge.model.submission import HandedIn
from tests.support.records import ACCEPTED, UNGRADED, WRONG

SLUG = "row-means"
DUE = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
LATE = {"percent": 10, "at_most": 50, "grace_minutes": 15}


def course(late: dict[str, Any] | None = None, *manual: dict[str, Any], **problem: Any) -> Course:
    content = {"problems": {SLUG: {"due": DUE, **problem}}, "late": late, "manual": manual}
    return Course(Path("course.yaml"), CourseSpec.model_validate(content), tuple(range(3, 3 + len(manual))))


def at(after: timedelta) -> HandedIn:
    return HandedIn(file_s=(DUE + after).timestamp())


@pytest.mark.parametrize(
    ("after", "score"),
    [
        (timedelta(days=-1), 100),
        (timedelta(0), 100),
        (timedelta(minutes=15), 100),
        (timedelta(minutes=16), 90),
        (timedelta(days=1), 90),
        (timedelta(days=1, seconds=1), 80),
        (timedelta(days=90), 50),
    ],
)
def test_each_started_day_costs_its_share_up_to_a_limit(after: timedelta, score: float) -> None:
    found = credit(ACCEPTED, at(after), course(LATE))
    assert found.score == score and found.lost == 100 - score
    assert bool(found.why) == (score < 100)


def test_the_sentence_says_when_how_late_and_what_it_costs() -> None:
    found = credit(WRONG, HandedIn("2026-12-02T15:30:00"), course(LATE))
    assert found.why == (
        (
            "Handed in at 2026-12-02 15:30 UTC (the time in the name of the file), 1 d 3 h 30 min after it was due: "
            "20 % of its points are lost."
        ),
    )
    assert found.submitted == "2026-12-02T15:30:00+00:00"
    assert found.score == 10 and found.lost == 2.5


def test_hours_can_count_and_without_a_rule_lateness_is_only_told() -> None:
    assert credit(ACCEPTED, at(timedelta(minutes=61)), course({"percent": 5, "every": "hour"})).score == 90
    told = credit(ACCEPTED, at(timedelta(days=2)), course())
    assert told.score == 100 and "no points are lost" in told.why[0]


def test_points_of_the_course_replace_those_of_the_problem() -> None:
    assert credit(WRONG, at(timedelta(0)), course(points=20)) == replace(
        credit(WRONG, at(timedelta(0)), course()), score=2.5, max_score=20
    )


def test_a_mark_of_the_download_counts_as_one_period_where_nothing_tells_more() -> None:
    found = credit(ACCEPTED, HandedIn(file_s=(DUE - timedelta(days=3)).timestamp(), marked_late=True), course(LATE))
    assert found.score == 90 and "marks it as late" in found.why[0]
    dated = HandedIn("2026-12-03T13:00:00", marked_late=True)
    assert credit(ACCEPTED, dated, course(LATE)).score == 70


def test_what_has_no_time_counts_as_in_time_and_says_so() -> None:
    found = credit(ACCEPTED, HandedIn(), course(LATE))
    assert found.score == 100 and "Nothing tells when" in found.why[0] and found.submitted == ""
    # A time in the name that no calendar has is no time.
    assert credit(ACCEPTED, HandedIn("2026-02-31T00:00:00"), course(LATE)).why == found.why


def test_another_due_date_for_one_student_holds_for_that_one_alone() -> None:
    moved = {"student": "ada", "problem": SLUG, "due": DUE + timedelta(days=4), "reason": "ill"}
    found = credit(ACCEPTED, at(timedelta(days=3)), course(LATE, moved))
    assert found.score == 100 and "for this student: ill" in found.why[0]
    assert credit(WRONG, at(timedelta(days=3)), course(LATE, moved)).lost > 0
    # The mark was set by the date of the others.
    assert credit(ACCEPTED, HandedIn(file_s=DUE.timestamp(), marked_late=True), course(LATE, moved)).score == 100


@pytest.mark.parametrize("record", [ACCEPTED, WRONG, UNGRADED])
def test_a_score_given_by_hand_is_final_whatever_was_judged_and_however_late(record: Any) -> None:
    decided = {"student": record.student, "problem": SLUG, "score": 42.5, "reason": "explained it at the board"}
    found = credit(record, at(timedelta(days=30)), course(LATE, decided))
    assert (found.score, found.by_hand, found.lost) == (42.5, True, 0.0)
    assert found.why == ("Set by hand to 42.5 of 100 points: explained it at the board",)


def test_what_is_ungraded_has_no_final_score() -> None:
    assert credit(UNGRADED, at(timedelta(days=2)), course(LATE)).score is None


@given(
    st.floats(0, 100),
    st.floats(0, 100),
    st.sampled_from(["hour", "day"]),
    st.integers(-(10**7), 10**7),
    st.floats(0.1, 1e4),
)
def test_lateness_never_adds_points_and_never_takes_more_than_it_may(
    percent: float, at_most: float, every: str, late_s: int, points: float
) -> None:
    rule = {"percent": percent, "at_most": at_most, "every": every}
    found = credit(ACCEPTED, at(timedelta(seconds=late_s)), course(rule, points=points))
    assert found.score is not None
    assert points * (1 - at_most / 100) - 0.02 <= found.score <= points + 0.01
    assert late_s > 0 or found.lost == 0


ROSTER = Roster(Path("roster.csv"), {"ada": "Ada", "bob": "", "eve": "Eve"}, {})


def test_a_summary_names_who_has_handed_in_nothing_and_what_was_given_all_the_same() -> None:
    decided = {"student": "eve", "problem": SLUG, "score": 7, "reason": "on paper"}
    found = summary(course(LATE, decided), ROSTER, [ACCEPTED], only=None)
    assert found["students"] == {"ada": "Ada", "bob": "", "eve": "Eve"}
    assert found["missing"] == {"bob": [SLUG]}
    assert found["given"] == [{"student": "eve", "problem": SLUG, "score": 7.0, "reason": "on paper"}]
    assert found["problems"][SLUG]["due"] == "2026-12-01T12:00:00+00:00"


def test_without_a_course_the_problems_are_those_that_somebody_handed_in() -> None:
    assert summary(None, ROSTER, [ACCEPTED], only=None)["missing"] == {"bob": [SLUG], "eve": [SLUG]}
    assert summary(None, None, [ACCEPTED], only=None) == {}


def test_a_decision_about_nobody_is_named_with_its_line() -> None:
    decided = {"student": "avd", "problem": SLUG, "score": 7, "reason": "on paper"}
    assert unmatched(course(LATE, decided), ROSTER, [ACCEPTED]) == [
        f"course.yaml:3: nobody is called 'avd'; the decision about {SLUG} changes nothing"
    ]
    assert summary(course(LATE, decided), ROSTER, [ACCEPTED], only=None)["given"] == []
