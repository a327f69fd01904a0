"""The files of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import store
from judge.reports.files import files, folder
from tests.support.records import ACCEPTED, UNGRADED, WRONG

CLASS = [ACCEPTED, WRONG, UNGRADED]
WHEN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def made() -> dict[str, bytes]:
    return dict(files(store.results(1, {}, CLASS), CLASS, when=WHEN))


def test_every_report_and_a_page_for_everyone_is_made() -> None:
    assert {"results.json", "grades.csv", "report.html", "junit.xml"} <= set(made())
    for student in ("ada", "bob", "cy"):
        assert f"feedback/{student}/row-means.md" in made()


def test_the_results_are_the_records() -> None:
    content = json.loads(made()["results.json"])
    assert content["version"] == 1
    assert [store.from_json(one) for one in content["results"]] == CLASS


def test_the_same_records_make_the_same_files() -> None:
    assert made() == made()


@pytest.mark.parametrize("student", ["ada", "s01", "a.b-c_d"])
def test_a_plain_name_is_its_own_folder(student: str) -> None:
    assert folder(student) == student


@given(st.text(st.characters(exclude_categories=())))
def test_any_name_is_one_visible_folder_below_feedback(student: str) -> None:
    name = folder(student)
    assert PurePosixPath(name).name == name
    assert name not in {"", ".", ".."} and not name.startswith(".")
    assert len(name) <= 100
    name.encode("ascii")


@given(st.text(max_size=4), st.text(max_size=4))
def test_two_students_never_share_a_folder(one: str, other: str) -> None:
    assert (folder(one) == folder(other)) == (one == other)


def test_students_that_differ_in_what_is_replaced_have_two_pages() -> None:
    two = [replace(ACCEPTED, student="a/b"), replace(ACCEPTED, student="a:b")]
    pages = [name for name, _ in files(store.results(1, {}, two), two, when=WHEN) if name.startswith("feedback/")]
    assert len(set(pages)) == 2
