"""The page that a student reads."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from judge.model.record import Record
from judge.reports.feedback import as_lines, render
from tests.support.records import ACCEPTED, COUNTEREXAMPLE, UNGRADED, WRONG, records
from tests.support.results import accepted, record


def test_verdict_points_reason_and_groups_are_on_the_page() -> None:
    page = render(WRONG)
    assert page.startswith("# row\\-means: wrong answer\n")
    assert "12.5 of 100 points" in page
    assert "Use pmean" in page
    assert "| examples | 1 of 2 | 10 of 20 |" in page


def test_the_counterexample_can_be_pasted_into_python() -> None:
    text = as_lines(COUNTEREXAMPLE)
    assert text in render(WRONG)
    names: dict[str, object] = {}
    exec(text, names)
    assert (names["x"], names["lr"]) == ([[1.0, 2.0]], 0.5)
    assert "# expected w = [1.0]" in text and "# yours    w = [8.0]" in text


def test_an_accepted_page_has_no_counterexample() -> None:
    assert "An input that shows it" not in render(replace(ACCEPTED, counterexample=COUNTEREXAMPLE))


def test_what_is_ungraded_has_no_points() -> None:
    page = render(UNGRADED)
    assert "not graded" in page
    assert "of 100 points" not in page


def test_collectives_output_and_notes_have_their_sections() -> None:
    page = render(WRONG)
    assert "## Collectives in the exported program" in page and "| 14 | 0 1 |" in page
    assert "```text\nhello\n```" in page
    assert "## Notes" in page


def test_what_each_device_holds_is_on_the_page_of_what_is_wrong_alone() -> None:
    page = render(record())
    assert "## Shards by device, on the input above" in page
    assert "| w | 7 | all of it | \\[\\[1\\.11\\]\\] |" in page
    assert "Shards by device" not in render(accepted())


def test_structure_of_a_live_run_is_said_to_be_claimed() -> None:
    assert "modules that the live run compiled" in render(replace(WRONG, structure_evidence="claimed"))


@given(records)
def test_no_case_is_named_and_any_record_has_a_page(record: Record) -> None:
    secret = {"id": "hidden-secret-17", "group": "hidden", "category": "qqqq", "passed": False, "error": 123.456}
    page = render(replace(record, cases=(secret,), collectives=()))
    assert not any(word in page for word in ("hidden-secret-17", "qqqq", "123.456"))
    page.encode()
