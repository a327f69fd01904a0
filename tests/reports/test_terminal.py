"""What the terminal shows."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from judge.doctor import Diagnosis, Warned
from judge.model.record import Record
from judge.model.verdict import Verdict
from judge.reports import diagnosis, progress, terminal
from judge.sandbox.layers import Layers
from tests.support.records import ACCEPTED, UNGRADED, WRONG, records


def console(width: int = 120) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=width), file


def shown(*given_: Record, width: int = 120) -> str:
    to, file = console(width)
    terminal.show_class(to, given_)
    return file.getvalue()


def test_a_class_has_a_row_each_and_a_count_of_verdicts() -> None:
    lines = shown(WRONG, UNGRADED, ACCEPTED).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["ada", "bob", "cy"]
    assert "100" in lines[1] and "12.5" in lines[2] and " - " in lines[3]
    assert lines[-1].strip() == "3 submissions: 1 wrong_answer, 1 accepted, 1 ungraded"


def test_a_long_reason_keeps_to_one_line() -> None:
    assert len(shown(replace(WRONG, reason="word " * 200)).splitlines()) == 3


def test_an_empty_class_is_shown() -> None:
    assert "0 submissions" in shown()


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(records, max_size=3))
def test_any_class_can_be_shown_without_control_characters(given_: Sequence[Record]) -> None:
    text = shown(*given_)
    assert "\x1b" not in text and "\r" not in text
    text.encode()


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_a_style(verdict: Verdict) -> None:
    expected = {
        Verdict.ACCEPTED: "green",
        Verdict.UNGRADED: "magenta",
        Verdict.LOAD_ERROR: "red",
        Verdict.WRONG_ANSWER: "yellow",
    }
    assert terminal.style(verdict) == expected.get(verdict, terminal.style(verdict))
    assert terminal.style(verdict) in {"green", "magenta", "red", "yellow"}


def test_without_a_terminal_progress_is_a_line_a_submission() -> None:
    written = io.StringIO()
    with progress.lines(written) as watch:
        watch(1, 3, None)
        watch(2, 3, WRONG)
        watch(3, 3, replace(ACCEPTED, student="a\x1b[2Jb"))
    told = written.getvalue().splitlines()
    assert told[0] == "[2/3] bob row-means wrong_answer"
    assert len(told) == 2 and "\x1b" not in told[1]


def test_quiet_progress_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with progress.nothing() as watch:
        watch(1, 1, WRONG)
    assert capfd.readouterr() == ("", "")


def test_the_bar_counts_what_is_graded_now() -> None:
    file = io.StringIO()
    with progress.bar(Console(file=file, force_terminal=True, width=100)) as watch:
        watch(2, 5, None)
        for done in (3, 4, 5):
            watch(done, 5, WRONG)
    assert "3/3" in file.getvalue()


@pytest.mark.parametrize("safe", [True, False])
def test_a_diagnosis_names_what_is_off_and_its_cure(safe: bool) -> None:
    found = Diagnosis(
        layers=Layers(()),
        devices=8,
        versions={"python": "3.11", "jax": ""},
        memory_bytes=(1 << 30, 4 << 30),
        disk_bytes=1 << 30,
        warnings=() if safe else (Warned("seccomp is off", "[apt] install it"),),
        safe=safe,
    )
    to, file = console()
    diagnosis.show(to, found)
    text = file.getvalue()
    assert ("grading is safe here" in text) == safe
    assert ("cure: [apt] install it" in text) != safe
    assert "jax missing" in text and "1.0 of 4.0 GiB" in text


COURSE: Mapping[str, Any] = {
    "problems": {"jit-step": {"points": 10.0, "due": None}, "ten-steps": {"points": None, "due": None}},
    "students": {"ada": "Ada", "bob": "", "cy": ""},
    "missing": {"bob": ["jit-step"], "cy": ["jit-step", "ten-steps"]},
}


def missing(course: Mapping[str, Any]) -> list[str]:
    to, file = console()
    terminal.show_missing(to, course)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_who_has_handed_in_nothing_is_named_with_what_is_lacking_where_it_is_not_all() -> None:
    assert missing(COURSE) == ["not handed in by 2 of 3 students: bob (jit-step), cy"]


def test_a_problem_that_nobody_has_handed_in_is_named_once_and_not_for_everybody() -> None:
    lacking = {student: ["ten-steps"] for student in COURSE["students"]}
    assert missing({**COURSE, "missing": lacking}) == ["nobody on the roster has handed in ten-steps"]
    assert missing({**COURSE, "missing": {}}) == [] == missing({})


@pytest.mark.parametrize(
    ("done", "total", "elapsed_s", "told"),
    [
        (0, 10, 5.0, ""),
        (10, 10, 50.0, ""),
        (1, 10, 1.0, "about 10 s left"),
        (5, 10, 31.0, "about 30 s left"),
        (10, 100, 60.0, "about 9 min left"),
    ],
)
def test_an_estimate_is_that_of_the_pace_so_far_and_no_more_exact_than_it_can_be(
    done: int, total: int, elapsed_s: float, told: str
) -> None:
    assert progress.remaining(done, total, elapsed_s) == told
