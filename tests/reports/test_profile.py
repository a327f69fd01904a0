"""The table of `judge grade --profile`."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from judge.model.record import Record
from judge.reports.profile import show
from tests.support.records import ACCEPTED, WRONG

SECONDS = {
    "live": 2.0,
    "load": 0.5,
    "first_call": 1.0,
    "calls": 0.25,
    "export": 0.5,
    "program": 1.0,
    "compile": 0.5,
    "cases": 0.25,
    "compare": 0.25,
    "explain": 0.25,
}


def shown(*records: Record) -> list[list[str]]:
    file = io.StringIO()
    show(Console(file=file, width=120), records, judging_s=3.0, reporting_s=0.5)
    return [line.rsplit(maxsplit=3) for line in file.getvalue().splitlines()]


def test_each_part_is_told_in_seconds_by_submission_and_as_a_share_the_greatest_first() -> None:
    rows = shown(replace(ACCEPTED, seconds=SECONDS), replace(WRONG, seconds=SECONDS))
    parts = {name: figures for name, *figures in rows[1:11]}
    assert rows[1][0] == "first live call"
    assert parts["first live call"] == ["2.00", "1.000", "25%"]
    assert parts["export"] == ["1.00", "0.500", "12%"]


def test_what_no_part_of_a_process_took_is_its_start_and_end() -> None:
    parts = {name: figures for name, *figures in shown(replace(ACCEPTED, seconds=SECONDS))[1:11]}
    # 2 s live less 1.75, and 1 s of the program less 0.75.
    assert parts["start and end processes"][0] == "0.50"


def test_a_run_that_judged_nothing_says_so() -> None:
    assert " ".join(shown()[0]).startswith("nothing was judged")
