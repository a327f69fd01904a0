from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from judge.model.case import Signature
from judge.model.problem import Spec
from judge.oracle.extents import concrete, extents, signature
from tests.support.authored import MASKED_SPEC, STEP_SPEC

STEP = Spec.model_validate(STEP_SPEC)


def inputs(**changed: Any) -> dict[str, Any]:
    return {"w": np.zeros(2), "x": np.zeros((4, 2)), "y": np.zeros(4), "lr": 0.1, **changed}


def test_the_dims_of_a_case_are_those_of_its_arrays_in_the_order_of_the_yaml() -> None:
    assert signature(STEP, inputs()) == Signature((("N", 4), ("D", 2)))


def test_whole_numbers_are_part_of_a_signature_and_rates_are_not() -> None:
    given: dict[str, Any] = {"x": np.zeros(4), "mask": np.ones(4, bool), "times": 3, "counts": (1, 3)}
    found = signature(Spec.model_validate(MASKED_SPEC), given)
    assert found.static == (("times", 3), ("counts", (1, 3)))
    assert signature(STEP, inputs(lr=0.5)) == signature(STEP, inputs())


def test_arrays_that_disagree_about_a_dim_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="`y` has 5 where N is 4"):
        extents(STEP, inputs(y=np.zeros(5)))


def test_an_array_of_another_rank_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="`w` has 2 axes; its shape has 1"):
        extents(STEP, inputs(w=np.zeros((2, 1))))


def test_a_shape_becomes_numbers() -> None:
    assert concrete(("N", 3, "steps"), {"N": 8, "steps": 5}) == (8, 3, 5)
