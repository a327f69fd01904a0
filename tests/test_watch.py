"""Waiting until a file has been saved. Time is a list of things that happen, one a look."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judge.watch import saves


class Over(Exception):
    """Everything has happened."""


def looks(file: Path, *happenings: Callable[[], object]) -> list[int]:
    """After how many looks the file was yielded, the first time aside."""
    left: Iterator[Callable[[], object]] = iter(happenings)
    count = 0

    def sleep(_: float) -> None:
        nonlocal count
        act = next(left, None)
        if act is None:
            raise Over
        act()
        count += 1

    found: list[int] = []
    with pytest.raises(Over):
        found.extend(count for _ in saves(file, sleep=sleep))
    assert found[0] == 0, "the first time needs no change"
    return found[1:]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "solution.py"
    place.write_text("one")
    return place


def nothing() -> None:
    return None


def test_a_file_that_nobody_saves_is_yielded_once(file: Path) -> None:
    assert looks(file, *[nothing] * 5) == []


def test_a_saved_file_is_yielded_when_it_holds_still(file: Path) -> None:
    writing = [lambda text=text: file.write_text(text) for text in ("lo", "long", "longer")]
    assert looks(file, nothing, *writing, nothing, nothing, nothing) == [5]


def test_the_same_size_at_another_time_is_a_change(file: Path) -> None:
    assert looks(file, lambda: os.utime(file, ns=(1, 1)), nothing, nothing) == [2]


def test_an_editor_that_puts_another_file_in_its_place_is_survived(file: Path) -> None:
    other = file.with_suffix(".tmp")
    stat = file.stat()

    def written() -> None:
        other.write_text("two")
        os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    assert looks(file, written, lambda: other.replace(file), nothing, nothing) == [3]


def test_a_file_that_is_gone_is_waited_for(file: Path) -> None:
    assert looks(file, file.unlink, nothing, nothing, lambda: file.write_text("again"), nothing, nothing) == [5]
