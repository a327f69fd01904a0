"""Where the oracle is private nothing but the examples is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from judge import bank as banks
from judge.bank.examples import Examples
from judge.errors import FaultyFile
from judge.model.problem import Problem, Spec
from judge.oracle.client import Oracle
from tests.support.authored import STEP_SPEC, step_problem


def private(folder: Path) -> Problem:
    case = {**STEP_SPEC["cases"][0], "within": {"w": [1e-5], "loss": 1e-4}}
    points = {"hidden": 0, "fuzzed": 0}
    spec = Spec.model_validate(
        {**STEP_SPEC, "cases": [case], "points": points, "oracle": "private", "bundle": "student"}
    )
    return Problem(slug="step", folder=folder, digest="0" * 64, spec=spec, statement="")


def test_a_private_oracle_leaves_the_examples_with_their_tolerances_and_nothing_else(tmp_path: Path) -> None:
    problem = private(tmp_path)
    with banks.reference(problem) as known:
        assert isinstance(known, Examples)
        bank = banks.draw_bank(problem, 3, known)
        assert [case.id for case in bank.cases] == ["example-1"] and bank.throwaways == ()
        assert len(bank.unanswered) == 2 * 4, "two of each of two shapes with two rates"
        assert all(case.expected == {} and case.stratum == "unit" for case in bank.unanswered)
        np.testing.assert_array_equal(bank.cases[0].expected["w"], [1.5])
        np.testing.assert_array_equal(bank.cases[0].tolerance["w"], [1e-5])
        assert known.mistakes() == [] and known.mistakes_with_tolerance(bank.cases[0].inputs, []) == {}
        assert banks.stand_in(problem, bank, known, bank.cases[0].signature, 0) is bank.cases[0]
        other = {**bank.cases[0].inputs, "lr": 0.2}
        with pytest.raises(FaultyFile, match="oracle of this problem is private"):
            known.with_tolerances([bank.cases[0].inputs, other])


def test_a_whole_problem_is_asked_of_its_oracle(tmp_path: Path) -> None:
    with banks.reference(step_problem(tmp_path)) as known:
        assert isinstance(known, Oracle)
