"""`values`: within the tolerance of each element, the edge included; never where a value is not finite."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from judge.checks.values import errors_in_tolerances, values
from judge.model.verdict import Verdict
from tests.support.answers import OUTPUTS, W, answer, case, output, spec

finite = st.floats(-1e30, 1e30)


def test_the_expected_values_are_right() -> None:
    assert values(spec(), case(), answer(), "program") == []


def test_the_first_wrong_element_is_told_with_the_worst_error() -> None:
    wrong = W.copy()
    wrong[0, 1], wrong[3, 1] = 2.0, 107.0
    (found,) = values(spec(), case(tolerance=0.5), answer(w=output(wrong)), "program")
    assert found.verdict is Verdict.WRONG_ANSWER
    assert found.sentence == "`w` is 2 at [0, 1], expected 1, 2e+02 times the tolerance."
    assert found.size == 200
    assert "expected" not in found.discreet


def test_every_wrong_output_has_a_finding_of_its_own() -> None:
    found = values(spec(), case(), answer(w=output(W + 1), loss=output(np.float32(9))), "program")
    assert [one.output for one in found] == ["w", "loss"]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_wrong_and_said_to_be(bad: float) -> None:
    (found,) = values(spec(), case(tolerance=1e300), answer(loss=output(np.float32(bad))), "program")
    assert found.discreet == "`loss` is not finite."
    assert found.size == float("inf")


def test_a_part_that_no_device_holds_is_no_value() -> None:
    one = output(W, split=0)
    (found,) = values(spec(), case(), answer(w=replace(one, shards=one.shards[:1])), "live")
    assert found.sentence == "no value of `w` came back."


def test_an_array_in_parts_is_put_together() -> None:
    assert values(spec(), case(), answer(w=output(W, split=1)), "live") == []


def test_an_array_without_elements_is_right() -> None:
    empty = spec(outputs={"w": OUTPUTS["w"]})
    nothing = case(expected={"w": np.zeros((0, 2))})
    assert values(empty, nothing, answer(w=output(np.zeros((0, 2), np.float32))), "live") == []


@pytest.mark.parametrize(
    ("actual", "expected", "right"),
    [
        (np.array([1, 2], np.int32), np.array([1, 2]), True),
        (np.array([1, 3], np.int32), np.array([1, 2]), False),
        (np.array([True, False]), np.array([True, False]), True),
        (np.array([True, True]), np.array([True, False]), False),
        (np.array([1j, 2j]), np.array([1.0, 2.0]), False),
    ],
)
def test_ints_and_bools_are_equal_or_wrong(actual: ArrayLike, expected: ArrayLike, right: bool) -> None:
    errors = errors_in_tolerances(np.asarray(actual), np.asarray(expected), np.full(2, 1e9))
    assert bool((errors <= 1).all()) == right


@given(finite, st.floats(0, 1e30))
def test_an_element_is_right_exactly_up_to_its_tolerance(expected: float, tolerance: float) -> None:
    wanted, allowed = np.array([expected]), np.array([tolerance])
    for actual in (expected - tolerance, expected + tolerance, expected + 2 * tolerance, expected + 1.0):
        off = abs(actual - expected)
        (error,) = errors_in_tolerances(np.array([actual]), wanted, allowed)
        assert (error <= 1) == (off <= tolerance)


@given(st.floats(), finite, st.floats(0, 1e30))
def test_the_error_of_any_float_is_a_number_and_never_nan(actual: float, expected: float, tolerance: float) -> None:
    (error,) = errors_in_tolerances(np.array([actual]), np.array([expected]), np.array([tolerance]))
    assert error >= 0
    assert np.isfinite(actual) or error == np.inf
