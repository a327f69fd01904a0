"""Inputs that a person wrote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.load.values import parse_inputs
from judge.model.problem import Spec
from tests.support.authored import MASKED_SPEC

SPEC = Spec.model_validate(MASKED_SPEC)
RIGHT: dict[str, Any] = {"x": [1, 2.5, -3, 4], "mask": [True, False, True, True], "times": 2, "counts": [1, 3]}


def told(**changed: Any) -> str:
    _, unfit = parse_inputs(SPEC, {**RIGHT, **changed})
    return "; ".join(f"{one.message}, {one.remedy}" for one in unfit)


def test_inputs_become_what_solve_is_called_with() -> None:
    values, unfit = parse_inputs(SPEC, dict(reversed(RIGHT.items())))
    assert not unfit
    assert list(values) == ["x", "mask", "times", "counts"]
    x = values["x"]
    assert isinstance(x, np.ndarray) and x.dtype == np.float32 and not x.flags.writeable
    assert (values["times"], values["counts"]) == (2, (1, 3))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": [[1, 2]]}, "`x` has 2 axes and not 1"),
        ({"x": 1}, "`x` has 0 axes"),
        ({"x": ["a", "b", "c", "d"]}, "`x` holds text"),
        ({"x": None}, "`x` holds null or an object"),
        ({"x": [1e39, 1, 1, 1]}, "float32 has no room for"),
        ({"x": [float("nan"), 1, 1, 1]}, "`x` holds nan or inf"),
        ({"x": [1, 2, 3]}, "where N is 3, make the shapes agree"),
        ({"x": [1] * 5, "mask": [True] * 5}, "N is 5, choose a multiple of 4"),
        ({"mask": [1, 0, 1, 1]}, "`mask` holds int64 values, give a bool array of shape [N]"),
        ({"mask": [False] * 4}, "`mask` has no true element"),
        ({"times": 0}, "`times` is 0, not an int of at least 1"),
        ({"times": True}, "`times` is True"),
        ({"times": 1.0}, "`times` is 1.0"),
        ({"counts": 4}, "`counts` is 4, not a list of ints"),
        ({"counts": []}, "not a list of ints"),
        ({"counts": [0, 4]}, "each must be at least 1"),
        ({"counts": [1, 2]}, "`counts` adds up to 3, and N is 4, make it add up to N"),
        ({"other": 1}, "`other` is not an input, the inputs are x, mask, times, counts"),
    ],
)
def test_what_does_not_fit_is_told_with_its_remedy(changed: dict[str, Any], message: str) -> None:
    assert message in told(**changed)


def test_everything_that_is_missing_is_told() -> None:
    _, unfit = parse_inputs(SPEC, {})
    assert [one.message for one in unfit] == [f"`{name}` is missing" for name in RIGHT]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*RIGHT, "z"]), anything))
def test_any_inputs_fit_or_are_told_why_they_do_not(given_: dict[str, Any]) -> None:
    values, unfit = parse_inputs(SPEC, {**RIGHT, **given_})
    assert unfit or list(values) == list(RIGHT)
    assert all(one.message and one.remedy for one in unfit)
