"""`dtype`: one of those that the problem lists."""

from __future__ import annotations

import numpy as np
import pytest

from judge.checks.dtype import dtype
from judge.model.verdict import Verdict
from tests.support.answers import OUTPUTS, W, answer, case, output, spec


@pytest.mark.parametrize("wrong", ["float64", "float16", "int32", "bool", "bfloat16"])
def test_another_dtype_is_named_with_the_right_one(wrong: str) -> None:
    (found,) = dtype(spec(), case(), answer(w=output(W, dtype=wrong)), "live")
    assert (found.verdict, found.output) == (Verdict.WRONG_DTYPE, "w")
    assert found.sentence == f"`w` has dtype {wrong}; it must be float32."


def test_every_listed_dtype_is_right() -> None:
    both = spec(outputs={**OUTPUTS, "w": {**OUTPUTS["w"], "dtype": ["float32", "float64"]}})
    for listed in (np.float32, np.float64):
        assert dtype(both, case(), answer(w=output(W.astype(listed))), "live") == []
