"""A bank that is still being drawn, and one where nothing but the examples is known."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from judge import bank as banks
from judge.bank.examples import Examples
from judge.errors import FaultyFile
from judge.model.problem import Problem, Spec
from judge.oracle.client import Oracle
from tests.support.authored import STEP_SPEC, step_problem


@pytest.fixture
def oracle(tmp_path: Path) -> Oracle:
    return Oracle(step_problem(tmp_path))


def test_the_examples_are_there_before_the_bank_and_are_its_own(oracle: Oracle) -> None:
    with oracle, closing(banks.Coming(oracle.problem, 7, oracle)) as coming:
        bank = coming.bank()
        examples = [case for case in bank.cases if case.group == "examples"]
        assert [case.id for case in coming.examples] == [case.id for case in examples] == ["example-1"]
        for one, other in zip(coming.examples, examples, strict=True):
            for name, tolerance in one.tolerance.items():
                assert tolerance.tobytes() == other.tolerance[name].tobytes()
        assert bank.digest == banks.draw_bank(oracle.problem, 7, oracle).digest


def test_a_bank_that_cannot_be_drawn_says_so_when_it_is_asked_for(tmp_path: Path) -> None:
    source = """
    import numpy as np

    def solve(w, x, y, lr):
        return {"w": w if len(x) == 4 else w / 0.0, "loss": np.mean((x @ w - y) ** 2)}
    """
    problem = step_problem(tmp_path, oracle=source)
    with Oracle(problem) as oracle, closing(banks.Coming(problem, 7, oracle)) as coming:
        assert len(coming.examples) == 1
        with pytest.raises(FaultyFile, match="is not finite"):
            coming.bank()


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
