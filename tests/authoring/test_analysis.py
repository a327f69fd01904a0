"""What is said of a problem before any solution runs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from judge.authoring.analysis import Analysis, analyse
from judge.errors import FaultyFile
from judge.oracle.client import Oracle
from tests.support.authored import STEP, STEP_MISTAKES, STEP_SPEC, authored

#: Without the case whose printed values are made up.
SPEC: dict[str, Any] = {**STEP_SPEC, "cases": STEP_SPEC["cases"][:1]}


def analysed(folder: Path, *, oracle: str = STEP, mistakes: str = STEP_MISTAKES, **spec: Any) -> Analysis:
    problem = authored(folder, {**copy.deepcopy(SPEC), **spec}, oracle=oracle, mistakes=mistakes)
    (folder / "problem.yaml").write_text("cases:\n  - name: by-hand\n")
    with Oracle(problem) as client:
        return analyse(problem, client, 5, minimal=True)


def test_a_sound_problem_has_no_fault_and_names_what_kills_each_mistake(tmp_path: Path) -> None:
    analysis = analysed(tmp_path)
    assert analysis.faults == []
    killed = {row.name: row.result for row in analysis.rows if row.section == "mistakes"}
    assert killed["ascent"] == "killed by example-1"
    assert analysis.minimal == ("example-1",)


def test_a_mistake_that_no_case_kills_is_a_fault(tmp_path: Path) -> None:
    same = (
        STEP_MISTAKES
        + '''
    def exact(w, x, y, lr):
        """Nothing is wrong here."""
        return solve(w, x, y, lr)
'''
    )
    (fault,) = analysed(tmp_path, mistakes=same).faults
    assert "no case kills `exact`" in fault and "judge add-case" in fault


def test_two_mistakes_that_are_alike_are_a_fault(tmp_path: Path) -> None:
    twin = (
        STEP_MISTAKES
        + '''
    def uphill(w, x, y, lr):
        """You add the gradient, too."""
        return ascent(w, x, y, lr)
'''
    )
    (fault,) = analysed(tmp_path, mistakes=twin).faults
    assert "no case tells `ascent` from `uphill`" in fault


def test_without_the_cases_that_kill_a_mistake_it_is_a_fault(tmp_path: Path) -> None:
    # Cutting the rate shows at every rate but a whole one: no other case is left.
    whole = copy.deepcopy(SPEC)
    by_hand = whole["cases"][0]
    by_hand["inputs"]["lr"], by_hand["outputs"] = 1.0, {"w": [15.0], "loss": 7.5}
    for shape in whole["fuzz"]["shapes"]:
        shape["values"]["lr"] = [1.0]
    faults = analysed(tmp_path, cases=whole["cases"], fuzz=whole["fuzz"]).faults
    assert [fault for fault in faults if "no case kills `rate-as-integer`" in fault]


def test_a_printed_value_that_the_oracle_does_not_give_is_a_fault(tmp_path: Path) -> None:
    cases = copy.deepcopy(SPEC["cases"])
    cases[0]["outputs"]["loss"] = 7.6
    (fault,) = analysed(tmp_path, cases=cases).faults
    assert "case by-hand, `loss`: it says 7.6, the oracle 7.5" in fault


def test_an_oracle_that_depends_on_nothing_is_a_fault(tmp_path: Path) -> None:
    constant = """
    import numpy as np

    def solve(w, x, y, lr):
        residual = x @ w - y
        return {"w": w - lr * 2.0 * x.T @ residual / len(x), "loss": 7.5}
"""
    faults = analysed(tmp_path, oracle=constant).faults
    assert [fault for fault in faults if "`loss` is the same in every case" in fault]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('return {"w": w * float("nan"), "loss": 0.0}', "finite"),
        ('w -= lr; return {"w": w, "loss": 0.0}', "inputs may not be changed"),
    ],
)
def test_an_oracle_that_gives_nan_or_changes_its_inputs_is_refused(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(FaultyFile) as refused:
        analysed(tmp_path, oracle=f"def solve(w, x, y, lr):\n    {body}\n")
    assert said in str(refused.value)


def test_a_relation_that_the_oracle_breaks_is_a_fault(tmp_path: Path) -> None:
    ordered = """
    import numpy as np

    def solve(w, x, y, lr):
        residual = x @ w - y
        return {"w": w - lr * 2.0 * x.T @ residual / len(x), "loss": np.mean(residual**2) + y[0]}
"""
    relation = [{"name": "row_permutation", "inputs": ["x", "y"]}]
    faults = analysed(tmp_path, oracle=ordered, relations=relation).faults
    assert [fault for fault in faults if "row_permutation does not hold for the oracle" in fault]


def test_a_relation_that_no_case_can_try_is_a_fault(tmp_path: Path) -> None:
    relation = [{"name": "batch_duplication", "inputs": ["x", "y"]}]
    (fault,) = analysed(tmp_path, relations=relation).faults
    assert "batch_duplication cannot be tried" in fault


def test_a_relation_tells_how_many_mistakes_it_catches(tmp_path: Path) -> None:
    relation = [{"name": "linear_in_lr", "scalar": "lr", "outputs": {"w": "w"}}]
    (row,) = [row for row in analysed(tmp_path, relations=relation).rows if row.section == "relations"]
    assert (row.result, row.figure) == ("holds for the oracle", "catches 1 of 4 mistakes")
