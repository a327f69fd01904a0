"""All checks of one answer, in their order."""

from __future__ import annotations

import numpy as np

from judge.checks import check_answer
from judge.model.outcome import Answer
from judge.model.verdict import Verdict
from tests.support.answers import W, answer, case, output, spec, without


def verdicts(given: Answer, source: str = "live") -> set[Verdict]:
    return {found.verdict for found in check_answer(spec(), case(), given, source)}


def test_a_right_answer_has_no_finding() -> None:
    assert verdicts(answer()) == set()


def test_a_wrong_type_hides_everything_after_it() -> None:
    assert verdicts(Answer("list", {})) == {Verdict.WRONG_TYPE}


def test_wrong_keys_hide_everything_after_them() -> None:
    assert verdicts(Answer("dict", {"w": output(np.zeros(3))})) == {Verdict.WRONG_KEYS}
    assert verdicts(without("loss"), "program") == {Verdict.WRONG_KEYS}


def test_a_wrong_shape_hides_values_that_cannot_be_compared() -> None:
    assert verdicts(answer(w=output(W.T + 1))) == {Verdict.WRONG_SHAPE}


def test_dtype_placement_and_values_are_all_told() -> None:
    wrong = output(W.astype(np.float64) + 1, devices=1)
    assert verdicts(answer(w=wrong)) == {Verdict.WRONG_DTYPE, Verdict.WRONG_PLACEMENT, Verdict.WRONG_ANSWER}


def test_right_values_on_device_0_alone_are_not_enough() -> None:
    right, other = output(W).shards
    broken = type(output(W))("jax", "float32", (4, 2), (right, type(other)(1, other.index, W + 1)))
    assert verdicts(answer(w=broken)) == {Verdict.REPLICAS_DIFFER}
