from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from judge.authoring import junk
from judge.bank import draw_bank
from judge.checks import check_answer
from judge.load.problems import load_problem, problem_folders
from judge.model.case import Case
from judge.model.problem import Problem, Spec
from judge.oracle.client import Oracle
from tests.support import ROOT
from tests.support.authored import STEP_SPEC, step_problem


def first_case(problem: Problem) -> Case:
    with Oracle(problem) as oracle:
        return draw_bank(problem, 5, oracle).cases[0]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return first_case(step_problem(tmp_path_factory.mktemp("step")))


@pytest.mark.parametrize("folder", problem_folders(ROOT / "problems"), ids=lambda folder: folder.name)
def test_the_checks_of_every_shipped_problem_refuse_junk_and_accept_the_oracle(folder: Path) -> None:
    problem = load_problem(folder)
    shown = first_case(problem)
    assert junk.asleep(problem.spec, shown) == []
    assert junk.control(problem.spec, shown) == []


def test_every_kind_of_junk_is_tried(case: Case) -> None:
    spec = Spec.model_validate(STEP_SPEC)
    right = junk.right_answer(spec, case.expected)
    tried = dict(junk.junk(spec, right))
    verdicts = {one.verdict.value for answer in tried.values() for one in check_answer(spec, case, answer, "live")}
    assert verdicts >= {
        "wrong_type",
        "wrong_keys",
        "wrong_shape",
        "wrong_dtype",
        "wrong_placement",
        "replicas_differ",
        "wrong_answer",
    }


def test_a_tolerance_that_lets_everything_pass_is_found(case: Case) -> None:
    spec = Spec.model_validate(
        {**STEP_SPEC, "outputs": {**STEP_SPEC["outputs"], "n": {"dtype": ["int32"], "shape": []}}}
    )
    wide = replace(
        case,
        expected={**case.expected, "n": np.asarray(3)},
        tolerance={**{key: np.full_like(one, np.inf) for key, one in case.tolerance.items()}, "n": np.asarray(0.0)},
    )
    # NaN is wrong whatever the tolerance; so is another whole number.
    assert junk.asleep(spec, wide) == []


def test_values_that_the_dtype_cannot_hold_are_found(case: Case) -> None:
    spec = Spec.model_validate(STEP_SPEC)
    large = replace(case, expected={**case.expected, "loss": np.asarray(1e39)})
    (said,) = junk.control(spec, large)
    assert "loss" in said and "inf" in said


def test_a_structure_that_is_asked_for_is_missed_in_an_idle_program(case: Case) -> None:
    asks = {"split": {"inputs": ["x"]}, "reduce": {"inputs": ["x"], "outputs": ["w"]}}
    assert junk.asleep(Spec.model_validate({**STEP_SPEC, "structure": asks}), case) == []
    assert junk.asleep(Spec.model_validate({**STEP_SPEC, "structure": {"forbid": ["collective"]}}), case) == []
