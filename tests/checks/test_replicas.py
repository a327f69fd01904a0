"""`replicas`: copies agree to the bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from judge.checks.replicas import replicas
from judge.model.outcome import OutputArray
from judge.model.verdict import Verdict
from tests.support.answers import W, answer, case, output, spec


def differing(first: NDArray[np.generic], second: NDArray[np.generic]) -> OutputArray:
    one = output(first)
    return replace(one, shards=(one.shards[0], replace(one.shards[1], data=second)))


def test_equal_copies_are_right() -> None:
    assert replicas(spec(), case(), answer(), "live") == []


def test_a_copy_that_differs_is_told_by_device_place_and_value() -> None:
    other = W.copy()
    other[1, 0] = 9
    (found,) = replicas(spec(), case(), answer(w=differing(W, other)), "live")
    assert found.verdict is Verdict.REPLICAS_DIFFER
    assert "at [1, 0]: device 0 holds 2, device 1 holds 9" in found.sentence
    assert "9" not in found.discreet


def test_a_scalar_that_differs_is_found() -> None:
    (found,) = replicas(spec(), case(), answer(loss=differing(np.array(1.0), np.array(2.0))), "live")
    assert "the copies of `loss` differ: device 0 holds 1, device 1 holds 2" in found.sentence


def test_the_last_bit_counts() -> None:
    other = W.copy()
    other[3, 1] = np.nextafter(W[3, 1], np.float32(np.inf))
    assert replicas(spec(), case(), answer(w=differing(W, other)), "live")


def test_zeros_of_different_sign_differ_and_equal_nans_agree() -> None:
    zeros = np.zeros((4, 2), np.float32)
    assert replicas(spec(), case(), answer(w=differing(zeros, -zeros)), "live")
    nans = np.full((4, 2), np.nan, np.float32)
    assert replicas(spec(), case(), answer(w=differing(nans, nans.copy())), "live") == []


def test_different_parts_are_no_copies_of_each_other() -> None:
    assert replicas(spec(), case(), answer(w=output(W, split=0)), "live") == []


def test_what_may_not_cross_is_not_compared() -> None:
    one = output(W, dtype="complex64")
    unseen = replace(one, shards=tuple(replace(shard, data=None) for shard in one.shards))
    assert replicas(spec(), case(), answer(w=unseen), "live") == []


@given(arrays(np.float32, array_shapes(max_dims=3, max_side=3)), st.data())
def test_any_single_changed_bit_is_found_where_it_is(value: NDArray[np.float32], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, value.size - 1))
    other = value.copy()
    other.view(np.uint32).reshape(-1)[place] ^= np.uint32(1 << data.draw(st.integers(0, 31)))
    (found,) = replicas(spec(), case(), answer(w=differing(value, other)), "live")
    assert f"at {list(map(int, np.unravel_index(place, value.shape)))}" in found.sentence
