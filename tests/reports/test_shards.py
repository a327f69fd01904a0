"""Shards by device, in words."""

from __future__ import annotations

from judge.model.record import Part, Sharding
from judge.reports.shards import rows, told_of

WHOLE = ((0, 4), (0, 2))


def told(*parts: Part, shape: tuple[int, ...] = (4, 2)) -> list[tuple[str, str, str, bool]]:
    return [
        (row.devices, row.where, row.values, row.differs) for row in rows([Sharding("example-1", "w", shape, 8, parts)])
    ]


def test_replicas_are_one_row_with_their_devices_as_ranges() -> None:
    assert told(Part((0, 1, 2, 5, 7), WHOLE, [[1.0, 2.0]] * 4)) == [
        ("0-2, 5, 7", "all of it", "[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]", False)
    ]


def test_the_parts_of_an_array_are_the_slices_of_an_index() -> None:
    split = told(Part((0,), ((0, 2), (0, 2))), Part((1,), ((2, 4), (0, 2))))
    assert split == [("0", "[0:2, :]", "", False), ("1", "[2:4, :]", "", False)]


def test_the_same_part_with_other_bits_differs_and_another_part_does_not() -> None:
    found = told(Part((0, 1), WHOLE), Part((2,), WHOLE), Part((3,), ((0, 2), (0, 2))))
    assert [differs for *_, differs in found] == [True, True, False]


def test_a_scalar_is_held_whole() -> None:
    assert told(Part((0,), (), 0.125), shape=()) == [("0", "all of it", "0.125", False)]


def test_the_case_is_named_as_a_student_knows_it() -> None:
    assert told_of([Sharding("counterexample", "w", (), 8, ())]) == "the input above"
    assert told_of([Sharding("example-2", "w", (), 8, ())]) == "example 2"
