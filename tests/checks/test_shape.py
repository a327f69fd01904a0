"""`shape`: exactly what the dims give; nothing is broadcast."""

from __future__ import annotations

import numpy as np
import pytest

from judge.checks.shape import shape
from judge.model.verdict import Verdict
from tests.support.answers import W, answer, case, output, spec


def test_the_shape_of_the_dims_is_right() -> None:
    assert shape(spec(), case(), answer(), "live") == []


@pytest.mark.parametrize("wrong", [(2, 4), (8,), (1, 4, 2), (4, 1), (4, 2, 1), ()])
def test_a_shape_that_holds_or_broadcasts_to_the_same_values_is_wrong(wrong: tuple[int, ...]) -> None:
    (found,) = shape(spec(), case(), answer(w=output(np.zeros(wrong, np.float32))), "live")
    assert found.verdict is Verdict.WRONG_SHAPE
    assert str(wrong) in found.sentence and "(4, 2)" in found.sentence and "N=4, D=2" in found.sentence


def test_a_scalar_of_shape_one_is_wrong() -> None:
    (found,) = shape(spec(), case(), answer(loss=output(np.ones(1, np.float32))), "live")
    assert found.output == "loss"
    assert "it must be () for" in found.sentence


def test_a_hidden_case_is_told_by_the_names_of_its_dims_alone() -> None:
    (found,) = shape(spec(), case(dims=(("N", 4), ("D", 2))), answer(w=output(W.T)), "program")
    assert "(N, D)" in found.discreet
    assert not any(digit in found.discreet for digit in "48")
