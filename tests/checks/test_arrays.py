"""Arrays from shards, and numbers as students read them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judge.checks.arrays import place, spelled, whole
from judge.model.outcome import OutputArray, Shard
from tests.support.answers import W, output


@pytest.mark.parametrize("split", [None, 0, 1])
def test_shards_make_the_whole_again(split: int | None) -> None:
    made = whole(output(W, split=split))
    assert made is not None and np.array_equal(made, W)


def test_of_copies_the_first_counts_and_reading_changes_none() -> None:
    one = output(W, split=0)
    other = replace(one.shards[0], device=7, data=W[:2] + 100)
    made = whole(replace(one, shards=(*one.shards, other)))
    assert made is not None and np.array_equal(made, W)


def test_a_missing_part_or_a_part_without_data_makes_no_array() -> None:
    one = output(W, split=0)
    assert whole(replace(one, shards=one.shards[1:])) is None
    assert whole(replace(one, shards=(one.shards[0], replace(one.shards[1], data=None)))) is None
    assert whole(replace(one, shards=())) is None


@pytest.mark.parametrize("shape", [(1 << 20, 1 << 20), (1 << 40,) * 16])
def test_a_shape_that_is_merely_claimed_takes_no_memory(shape: tuple[int, ...]) -> None:
    part = np.zeros((1,) * len(shape), np.float32)
    index = ((0, 1),) * len(shape)
    assert whole(OutputArray("jax", "float32", shape, (Shard(0, index, part),))) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(np.float32(0.1), "0.1"), (1 / 3, "0.333333"), (np.int32(7), "7"), (np.True_, "True"), (1e20, "1e+20")],
)
def test_numbers_are_spelled_as_a_student_reads_them(value: object, text: str) -> None:
    assert spelled(value) == text


def test_a_place_is_spelled_and_a_scalar_has_none() -> None:
    assert (place((0, 1)), place(())) == (" at [0, 1]", "")
