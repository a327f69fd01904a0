"""`course.yaml`: what it may say, and what is said of its faults."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from judge.errors import FaultyFile, UsageError
from judge.load.course import find_course, read_course
from judge.model.course import Course

SLUGS = ["jit-step", "ten-steps"]
WHOLE = """\
title: Distributed JAX
timezone: Europe/Berlin
seed_file: private/seed
late: {percent: 10, at_most: 50, grace_minutes: 15}
problems:
  jit-step: {points: 20, due: 2026-12-01 23:59}
  ten-steps:
    due: 2026-12-08T23:59:00+00:00
    late: {percent: 2, every: hour}
manual:
  - {student: s02, problem: jit-step, score: 15, reason: explained it at the board}
  - {student: s01, problem: jit-step, due: 2026-12-05 12:00, reason: ill}
"""


def course(place: Path, text: str) -> Course:
    file = place / "course.yaml"
    file.write_text(text, encoding="utf-8")
    return read_course(file, SLUGS)


def test_a_course_says_what_counts_until_when_and_what_was_decided(tmp_path: Path) -> None:
    found = course(tmp_path, WHOLE)
    assert found.points("jit-step") == 20 and found.points("ten-steps") is None
    assert found.seed_file == tmp_path / "private" / "seed"
    assert found.lines == (11, 12)
    late, own = found.late("jit-step"), found.late("ten-steps")
    assert late is not None and (late.percent, late.every, late.at_most) == (10, "day", 50)
    assert own is not None and (own.percent, own.every, own.at_most) == (2, "hour", 100)
    given = found.given("s02", "jit-step")
    assert given is not None and given.score == 15
    assert found.given("s01", "jit-step") is None


def test_times_without_an_offset_are_those_of_the_zone(tmp_path: Path) -> None:
    found = course(tmp_path, WHOLE)
    due, why = found.due("s02", "jit-step")
    assert due is not None and due.astimezone(UTC) == datetime(2026, 12, 1, 22, 59, tzinfo=UTC) and why == ""
    due, why = found.due("s01", "jit-step")
    assert due is not None and due.astimezone(UTC) == datetime(2026, 12, 5, 11, 0, tzinfo=UTC) and why == "ill"
    due, _ = found.due("s01", "ten-steps")
    assert due is not None and due.astimezone(UTC) == datetime(2026, 12, 8, 23, 59, tzinfo=UTC)


def test_problems_are_enough(tmp_path: Path) -> None:
    found = course(tmp_path, "problems: {jit-step: {}}\n")
    assert found.due("s01", "jit-step") == (None, "")
    assert found.late("jit-step") is None and found.seed_file is None


FAULTS = [
    ("problems: {jit-stp: {}}\n", "course.yaml:1: there is no problem 'jit-stp'; did you mean `jit-step`?"),
    (
        "problems:\n  jit-step: {point: 3}\n",
        "course.yaml:2: `problems.jit-step.point` is not a known key; did you mean `points`?",
    ),
    ("titel: x\nproblems: {jit-step: {}}\n", "course.yaml:1: `titel` is not a known key; did you mean `title`?"),
    ("title: x\n", "`problems` is missing"),
    ("problems: {}\n", "course.yaml:1: `problems` is '{}'"),
    (
        "timezone: Berlin\nproblems: {jit-step: {}}\n",
        "course.yaml:1: `timezone` is 'Berlin', which this machine does not know",
    ),
    ("problems:\n  jit-step: {points: -1}\n", "course.yaml:2: `problems.jit-step.points` is '-1'"),
    ("problems:\n  jit-step: {due: soon}\n", "course.yaml:2: `problems.jit-step.due` is 'soon'"),
    ("problems:\n  jit-step: {due: 2026-12-01}\n", "give the time too, such as 2026-12-01 23:59"),
    ("problems:\n  jit-step: {due: 20261201}\n", "give the time too, such as 2026-12-01 23:59"),
    ("late: {percent: 10, every: week}\nproblems: {jit-step: {}}\n", "course.yaml:1: `late.every` is 'week'"),
    (
        "problems: {jit-step: {}}\nmanual:\n  - {student: a, problem: jit-step, score: 1}\n",
        "course.yaml:3: `manual[0].reason` is missing; add it",
    ),
    (
        "problems: {jit-step: {}}\nmanual:\n  - {student: a, problem: ten-steps, score: 1, reason: r}\n",
        "course.yaml:3: 'ten-steps' is not under `problems`",
    ),
    (
        "problems: {jit-step: {}}\nmanual:\n  - {student: a, problem: jit-step, reason: r}\n",
        "course.yaml:3: it has neither `score` nor `due`; give one of the two",
    ),
    (
        (
            "problems: {jit-step: {}}\nmanual:\n"
            "  - {student: a, problem: jit-step, score: 1, reason: r}\n  - {student: a, problem: jit-step, score: 2, reason: r}\n"
        ),
        "course.yaml:4: a and jit-step are decided twice, first on line 3; keep one of the two",
    ),
    (
        "problems: {jit-step: {}}\nmanual:\n  - {student: 007, problem: jit-step, score: 1, reason: r}\n",
        "course.yaml:3: `manual[0].student` is '7'; input should be a valid string",
    ),
]


@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_a_fault_has_its_line_and_a_remedy(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(FaultyFile) as error:
        course(tmp_path, text)
    assert fault in str(error.value)


def test_every_fault_is_found_at_once(tmp_path: Path) -> None:
    with pytest.raises(FaultyFile, match="has 3 faults"):
        course(
            tmp_path,
            "problems: {jit-step: {point: 1}}\nlate: {percent: 200}\nmanual: [{student: a}]\n".replace(
                "[{student: a}]", "[{student: a, problem: jit-step, score: 1}]"
            ),
        )


def test_the_file_is_the_one_named_else_the_one_here_else_the_one_beside_the_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, here = tmp_path / "course" / "problems", tmp_path / "here"
    root.mkdir(parents=True)
    here.mkdir()
    monkeypatch.chdir(here)
    assert find_course(None, root) is None
    beside = root.parent / "course.yaml"
    beside.write_text("")
    assert find_course(None, root) == beside
    (here / "course.yaml").write_text("")
    assert find_course(None, root) == Path("course.yaml")
    assert find_course(beside, root) == beside
    with pytest.raises(UsageError, match="--course"):
        find_course(tmp_path / "nowhere.yaml", root)
