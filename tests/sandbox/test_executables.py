"""`judge.sandbox.executables`: a child uses what was compiled before, and only what can be trusted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from judge.model.outcome import Answer
from judge.sandbox import executables, runs
from judge.sandbox.session import Session
from tests.support import exercises
from tests.support.inside import SETTINGS

PROBLEM = exercises.problem("shard-map-step")
CASE = exercises.case("shard-map-step")
ADDS = """
import jax

@jax.jit
def add(x):
    return x + {}

def solve(w, b, x, y, lr):
    # {}
    return {{"w": add(w)}}
"""


def adding(number: int, remark: str = "") -> bytes:
    return ADDS.format(float(number), remark).encode()


def recorded(source: bytes) -> dict[bytes, bytes]:
    with Session(SETTINGS) as session:
        return runs.run_recorded(session, PROBLEM, exercises.submission("shard-map-step", source, "a.py"), [CASE])


def answered(source: bytes, place: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    with Session(replace(SETTINGS, executables=(place,))) as session:
        submission = exercises.submission("shard-map-step", source, "a.py")
        live = runs.run_live(session, PROBLEM, submission, [("first", CASE)], want_modules=False)
    ((_, answer),) = live.answers
    assert isinstance(answer, Answer), answer
    data = answer.outputs["w"].shards[0].data
    assert data is not None
    return data


def added(number: int) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    w = CASE.inputs["w"]
    assert isinstance(w, np.ndarray)
    return w.astype(np.float32) + np.float32(number)


@pytest.fixture(scope="module")
def compiled() -> Mapping[int, dict[bytes, bytes]]:
    return {number: recorded(adding(number)) for number in (1, 2)}


def test_a_module_that_was_compiled_before_is_not_compiled_again(
    compiled: Mapping[int, dict[bytes, bytes]], tmp_path: Path
) -> None:
    (one,), (two,) = compiled[1], compiled[2].values()
    # What adds 2 under the key of what adds 1: only who looks it up adds 2.
    executables.write(tmp_path / "swapped", {one: two})
    np.testing.assert_array_equal(answered(adding(1), tmp_path / "swapped"), added(2))


def test_where_in_the_file_a_step_stands_makes_no_difference(compiled: Mapping[int, dict[bytes, bytes]]) -> None:
    assert set(recorded(b"# a remark\n\n" + adding(1, "another"))) == set(compiled[1])
    assert not set(compiled[1]) & set(compiled[2])


def test_what_does_not_load_is_compiled(compiled: Mapping[int, dict[bytes, bytes]], tmp_path: Path) -> None:
    (one,) = compiled[1]
    executables.write(tmp_path / "broken", {one: b"no executable"})
    np.testing.assert_array_equal(answered(adding(1), tmp_path / "broken"), added(1))


def test_a_file_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    executables.write(tmp_path / "a" / "kept", {b"k" * 32: b"content"})
    assert b"content" in executables.read(tmp_path / "a" / "kept")
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["kept"]


@pytest.mark.parametrize("spoil", ["damaged", "cut short", "writable by others", "a folder", "missing", "empty"])
def test_nothing_is_read_from_a_file_that_is(spoil: str, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    executables.write(place, {b"k" * 32: b"content"})
    content = place.read_bytes()
    match spoil:
        case "damaged":
            place.write_bytes(content[:-1] + b"X")
        case "cut short":
            place.write_bytes(content[:-1])
        case "writable by others":
            place.chmod(0o666)
        case "a folder":
            place.unlink()
            place.mkdir()
        case "missing":
            place.unlink()
        case _:
            place.write_bytes(b"")
    assert executables.read(place) == b""


def test_a_file_holds_no_more_than_its_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executables, "CAP", 4096)
    executables.write(tmp_path / "kept", {b"a" * 32: b"x" * 4000, b"b" * 32: b"small"})
    kept = executables.read(tmp_path / "kept")
    assert b"small" in kept and b"xxx" not in kept


def test_what_was_written_longest_ago_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, name in enumerate(("old", "older", "new")):
        executables.write(tmp_path / f"{name}.executables", {b"k" * 32: b"x" * 1000})
        os.utime(tmp_path / f"{name}.executables", ns=((5, 3, 9)[number],) * 2)
    monkeypatch.setattr(executables, "TOTAL", 4000)
    executables.write(tmp_path / "newest.executables", {b"k" * 32: b"x" * 1000})
    assert {file.stem for file in tmp_path.iterdir()} == {"newest", "new", "old"}


def test_an_empty_JUDGE_CACHE_keeps_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUDGE_CACHE", "")
    assert executables.folder() is None
    monkeypatch.setenv("JUDGE_CACHE", str(tmp_path))
    assert executables.folder() == tmp_path
