"""`type`: a dict of arrays of the kinds that the problem allows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from judge.checks.type import type_
from judge.model.outcome import Answer
from judge.model.verdict import Verdict
from tests.support.answers import OUTPUTS, W, answer, case, output, spec, without


@pytest.mark.parametrize(("name", "spelled"), [("NoneType", "None"), ("tuple", "an object of type tuple")])
def test_what_is_no_dict_is_named_with_the_keys_that_were_wanted(name: str, spelled: str) -> None:
    (found,) = type_(spec(), case(), Answer(name, {}), "live")
    assert found.verdict is Verdict.WRONG_TYPE
    assert found.sentence == f"solve returned {spelled}; return a dict with the keys w, loss."


@pytest.mark.parametrize(
    ("allowed", "kind", "fine"),
    [
        (["jax"], "jax", True),
        (["jax"], "numpy", False),
        (["jax"], "float", False),
        (["jax", "numpy"], "numpy", True),
        (["jax", "numpy"], "list", False),
    ],
)
def test_an_output_has_a_kind_that_the_problem_allows(allowed: Sequence[str], kind: str, fine: bool) -> None:
    outputs = {**OUTPUTS, "w": {**OUTPUTS["w"], "arrays": list(allowed)}}
    found = type_(spec(outputs=outputs), case(), answer(w=output(W, kind=kind)), "live")
    assert [one.output for one in found] == ([] if fine else ["w"])


def test_a_program_is_not_asked_what_kind_of_array_it_returns() -> None:
    assert type_(spec(), case(), answer(w=output(W, kind="numpy")), "program") == []


def test_a_missing_key_is_not_a_matter_of_type() -> None:
    assert type_(spec(), case(), without("w"), "live") == []
