"""What ran with `--unsafe` and without confinement is told by every report that has words."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from judge import store
from judge.model.record import Record
from judge.reports import terminal
from judge.reports.files import files
from judge.reports.formats import FORMATS, Results
from tests.support.records import ACCEPTED, WRONG

#: They hold scores for a grade book, and no words.
BOOKS = {"canvas", "grades.csv"}
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def reports(record: Record) -> dict[str, str]:
    """Every file of a run, every format of `judge report`, and both views of the terminal."""
    content = store.results(1, {}, [record])
    found = {name: data.decode() for name, data in files(content, [record], when=WHEN)}
    found |= {name: form.render(Results(content, [record], WHEN)) for name, form in FORMATS.items()}
    views: dict[str, Callable[[Console], None]] = {
        "one": lambda to: terminal.show_one(to, record),
        "class": lambda to: terminal.show_class(to, [record]),
    }
    for name, view in views.items():
        file = io.StringIO()
        view(Console(file=file, width=200))
        found[name] = file.getvalue()
    return found


def says_so(name: str, text: str) -> bool:
    shown = text.replace("\\", "")
    return (
        '"confined": false' in shown
        if name == "results.json"
        else "not confined" in shown or "othing confined" in shown
    )


@pytest.mark.parametrize("record", [ACCEPTED, WRONG], ids=["accepted", "wrong"])
def test_every_report_with_words_says_that_nothing_confined_a_submission(record: Record) -> None:
    told = {name: says_so(name, text) for name, text in reports(replace(record, confined=False)).items()}
    assert {name for name, said in told.items() if not said} == BOOKS


def test_no_report_says_so_of_a_submission_that_was_confined() -> None:
    assert not any(says_so(name, text) for name, text in reports(ACCEPTED).items())


def test_a_kept_record_of_an_older_judge_counts_as_confined() -> None:
    kept = store.to_json(ACCEPTED)
    del kept["confined"]
    assert store.from_json(kept).confined
