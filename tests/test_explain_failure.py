"""What is kept of how the outputs of a visible case lie over the devices; the search is tested in `test_fuzz`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from judge.assess import Context
from judge.evidence import Evidence
from judge.explain_failure import MOST_OF_A_SHARD, MOST_SHARDS, explain
from judge.model.case import Case
from judge.model.outcome import Answer, OutputArray, Shard
from judge.model.problem import Problem, Spec
from judge.model.record import Finding, Part, Sharding
from judge.model.verdict import Verdict
from tests.support.answers import W, answer, bank, case, finding, output, spec

LARGE = np.zeros((MOST_OF_A_SHARD + 1,), np.float32)


def shards(
    leading: Finding | None, cases: Sequence[Case], answers: dict[str, Answer], form: Spec | None = None
) -> tuple[Sharding, ...]:
    problem = Problem(slug="t", folder=Path("t"), digest="", spec=form or spec(), statement="")
    # Neither the oracle nor the sandbox is asked where there are no programs and no wrong values.
    nothing = cast("Any", None)
    context = Context(problem, bank(*cases), nothing, nothing)
    known = {one.id: one for one in cases}
    return explain(context, (), leading, Evidence(answers=answers), known).shards


def parts(value: OutputArray) -> tuple[Part, ...]:
    found = shards(None, [case()], {"example-1": answer(w=value)})
    return next(one.parts for one in found if one.output == "w")


def test_an_accepted_submission_shows_the_first_example_that_has_an_answer() -> None:
    found = shards(
        None, [case("hidden-1", "hidden"), case(), case("example-2")], {"hidden-1": answer(), "example-2": answer()}
    )
    assert [(one.case, one.output, one.shape) for one in found] == [
        ("example-2", "w", (4, 2)),
        ("example-2", "loss", ()),
    ]


def test_a_wrong_one_shows_the_case_that_it_is_told_of() -> None:
    leading = finding(Verdict.WRONG_PLACEMENT, "example-2")
    answers = {"example-1": answer(), "example-2": answer()}
    assert {one.case for one in shards(leading, [case(), case("example-2")], answers)} == {"example-2"}


def test_a_hidden_case_is_never_shown() -> None:
    leading = finding(Verdict.WRONG_PLACEMENT, "hidden-1")
    hidden = case("hidden-1", "hidden")
    assert shards(leading, [hidden], {"hidden-1": answer()}) == ()
    found = shards(leading, [hidden, case()], {"hidden-1": answer(), "example-1": answer()})
    assert {one.case for one in found} == {"example-1"}


def test_equal_replicas_are_one_part_and_others_a_part_each() -> None:
    whole = ((0, 4), (0, 2))
    assert parts(output(W)) == (Part((0, 1), whole, W.tolist()),)
    differing = OutputArray("jax", "float32", (4, 2), (Shard(1, whole, W + 1), Shard(0, whole, W)))
    assert parts(differing) == (Part((0,), whole, W.tolist()), Part((1,), whole, (W + 1).tolist()))


def test_replicas_that_differ_in_the_sign_of_zero_or_in_nothing_but_nan_are_compared_by_their_bits() -> None:
    zero = np.zeros((), np.float32)
    for first, other, count in ((zero, -zero, 2), (zero * np.nan, zero * np.nan, 1)):
        array = OutputArray("jax", "float32", (), (Shard(0, (), np.asarray(first)), Shard(1, (), np.asarray(other))))
        assert len(parts(array)) == count


def test_a_split_output_has_a_part_a_device() -> None:
    assert [(one.devices, one.index) for one in parts(output(W, split=0))] == [
        ((0,), ((0, 2), (0, 2))),
        ((1,), ((2, 4), (0, 2))),
    ]


@pytest.mark.parametrize("value", [output(LARGE), OutputArray("jax", "S9", (), (Shard(0, (), None),))])
def test_what_is_large_or_may_not_cross_has_no_values(value: OutputArray) -> None:
    assert [one.values for one in parts(value)] == [None]


def test_what_a_live_run_claims_is_bounded() -> None:
    claimed = OutputArray("jax", "float32", (), tuple(Shard(n, (), np.asarray(np.float32(n))) for n in range(4000)))
    assert len(parts(claimed)) == MOST_SHARDS


def test_only_what_the_problem_asks_for_is_shown_and_nothing_of_one_device() -> None:
    odd = Answer("dict", {"<b>": output(W), "w": output(W)})
    assert [one.output for one in shards(None, [case()], {"example-1": odd})] == ["w"]
    alone = spec(devices=1, dims={"N": {}, "D": {}})
    assert shards(None, [case()], {"example-1": answer()}, alone) == ()
