"""What ran with `--unsafe` and without confinement is told by every report that has words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judge.model.record import Record
from tests.support.records import ACCEPTED, WRONG
from tests.support.reports import reports

#: They hold scores for a grade book, and no words.
BOOKS = {"canvas.csv", "grades.csv"}


def says_so(name: str, text: str) -> bool:
    shown = text.replace("\\", "")
    if name == "results.json":
        return '"confined": false' in shown
    return "not confined" in shown or "othing confined" in shown


@pytest.mark.parametrize("record", [ACCEPTED, WRONG], ids=["accepted", "wrong"])
def test_every_report_with_words_says_that_nothing_confined_a_submission(record: Record) -> None:
    told = {name: says_so(name, text) for name, text in reports(replace(record, confined=False)).items()}
    assert {name for name, said in told.items() if not said} == BOOKS


def test_no_report_says_so_of_a_submission_that_was_confined() -> None:
    assert not any(says_so(name, text) for name, text in reports(ACCEPTED).items())
