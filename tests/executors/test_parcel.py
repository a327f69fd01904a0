"""What crosses between a judge and its workers comes out as it went in, or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given

from judge.bank import draw_bank
from judge.errors import JudgeFault
from judge.executors import parcel
from judge.load.problems import load_problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.oracle.client import Oracle
from judge.store import to_json
from tests.support.records import records
from tests.support.tiny_problem import SLUG, write_problem


@given(records)
def test_a_record_comes_back_whole(record: Record) -> None:
    found = parcel.unpack_result(parcel.pack_record(record))
    assert isinstance(found, Record)
    assert to_json(found) == to_json(record)


def test_a_fault_comes_back_as_a_fault_and_a_stranger_as_nobody() -> None:
    fault = parcel.unpack_result(parcel.pack_fault("the disk is full"))
    assert isinstance(fault, JudgeFault)
    assert str(fault) == "the disk is full"
    assert parcel.unpack_result(parcel.pack_stranger()) is None


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}", b'{"record": {}}', b"\x80\x04N."])
def test_what_is_no_result_is_refused(data: bytes) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        parcel.unpack_result(data)


def test_of_a_submission_its_content_alone_crosses() -> None:
    source = b"# caf\xe9\x00"
    digest = hashlib.sha256(source).hexdigest()
    sent = Submission("ada", SLUG, Path("ada/solution.py"), source, digest, fault="It is no text.", notes=("a note",))
    packed = parcel.pack_submission(sent)
    found = parcel.unpack_submission(packed)
    assert (found.problem, found.source, found.sha256, found.fault) == (SLUG, source, digest, sent.fault)
    assert b"ada" not in packed and b"a note" not in packed


def test_a_course_arrives_with_its_problems_and_its_very_cases(tmp_path: Path) -> None:
    problem = load_problem(write_problem(tmp_path / "sent"))
    with Oracle(problem) as oracle:
        bank = draw_bank(problem, 4, oracle)
    packed = parcel.pack_course("token", {SLUG: problem}, {SLUG: bank}, unsafe=False)
    place = tmp_path / "arrived"
    place.mkdir()
    course = parcel.unpack_course(packed, place)
    assert (course.token, course.unsafe, course.folders) == ("token", False, {SLUG: str(problem.folder)})
    assert (course.problems[SLUG].digest, course.cases[SLUG].digest) == (problem.digest, bank.digest)
    assert course.problems[SLUG].folder == place / SLUG
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(JudgeFault, match="did not arrive as it was sent"):
        parcel.unpack_course(packed.replace(b"Scaled means of rows", b"Scaled Means of rows"), other)
