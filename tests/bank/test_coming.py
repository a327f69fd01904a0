"""A bank that is still being drawn."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from judge import bank as banks
from judge.errors import FaultyFile
from judge.oracle.client import Oracle
from tests.support.authored import step_problem


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
