"""`keys`: the keys of the problem, all of them and no others."""

from __future__ import annotations

from judge.checks.keys import keys
from judge.model.outcome import Answer
from judge.model.verdict import Verdict
from tests.support.answers import W, answer, case, output, spec, without


def test_exactly_the_keys_are_right_in_whatever_order() -> None:
    right = answer()
    turned = Answer("dict", {key: right.outputs[key] for key in reversed(list(right.outputs))})
    assert keys(spec(), case(), right, "live") == []
    assert keys(spec(), case(), turned, "live") == []


def test_a_missing_key_is_named() -> None:
    (found,) = keys(spec(), case(), without("loss"), "live")
    assert (found.verdict, found.output) == (Verdict.WRONG_KEYS, "loss")
    assert "`loss` is missing" in found.sentence


def test_an_extra_key_is_named() -> None:
    (found,) = keys(spec(), case(), answer(extra=output(W)), "live")
    assert (found.verdict, found.output) == (Verdict.WRONG_KEYS, "extra")
    assert "`extra` should not be there" in found.sentence


def test_a_key_in_capitals_is_recognised_as_the_missing_one() -> None:
    outputs = {**without("loss").outputs, "Loss": output(3.0)}
    (found,) = keys(spec(), case(), Answer("dict", outputs), "live")
    assert "`loss` is missing (there is `Loss`)" in found.sentence
