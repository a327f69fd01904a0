from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from judge.bank import draw_bank
from judge.checks.values import errors_in_tolerances
from judge.mistakes import recognise
from judge.model.case import Bank, Case
from judge.oracle.client import MistakeFailed, Oracle
from tests.support.authored import step_problem

Outputs = dict[str, NDArray[Any]]


@pytest.fixture
def oracle(tmp_path: Path) -> Iterator[Oracle]:
    with Oracle(step_problem(tmp_path)) as running:
        yield running


@pytest.fixture
def bank(oracle: Oracle) -> Bank:
    return draw_bank(oracle.problem, 7, oracle)


def answered(oracle: Oracle, mistake: str, case: Case) -> Outputs:
    """What a float32 submission with that mistake returns."""
    outputs = oracle.mistake_outputs(mistake, case.inputs)
    assert not isinstance(outputs, MistakeFailed)
    with np.errstate(over="ignore"):
        return {key: value.astype(np.float32) for key, value in outputs.items()}


def wrong(case: Case, outputs: Outputs) -> bool:
    return any(bool((errors_in_tolerances(outputs[k], case.expected[k], case.tolerance[k]) > 1).any()) for k in outputs)


def divided(oracle: Oracle, bank: Bank, mistake: str) -> tuple[list[tuple[Case, Outputs]], list[Case]]:
    """The failing cases with their outputs, and the passing ones."""
    pairs = [(case, answered(oracle, mistake, case)) for case in bank.cases]
    return [pair for pair in pairs if wrong(*pair)], [case for case, outputs in pairs if not wrong(case, outputs)]


@pytest.mark.parametrize("name", ["four-times", "ascent", "nothing-updated", "rate-as-integer"])
def test_every_mistake_is_recognised_by_its_own_answers(oracle: Oracle, bank: Bank, name: str) -> None:
    failing, passing = divided(oracle, bank, name)
    found = recognise(oracle, failing, passing=passing)
    assert found is not None
    assert found.name == name
    assert found.hint == next(mistake.hint for mistake in oracle.mistakes() if mistake.name == name)


def test_what_passed_tells_two_mistakes_apart_that_fail_alike(oracle: Oracle, bank: Bank) -> None:
    failing, passing = divided(oracle, bank, "rate-as-integer")
    # A rate below 1 that is cut to 0 updates nothing: on the cases that fail, two mistakes are the same.
    assert recognise(oracle, failing) is None
    assert any(case.inputs["lr"] == 1.0 for case in passing)


def test_failing_cases_of_one_signature_name_nothing(oracle: Oracle, bank: Bank) -> None:
    failing, _ = divided(oracle, bank, "four-times")
    one = failing[0][0].signature
    assert recognise(oracle, [pair for pair in failing if pair[0].signature == one]) is None


def test_one_failing_case_that_it_does_not_explain_refutes_a_mistake(oracle: Oracle, bank: Bank) -> None:
    failing, _ = divided(oracle, bank, "four-times")
    case, outputs = failing[-1]
    assert recognise(oracle, failing) is not None
    assert recognise(oracle, [*failing[:-1], (case, {**outputs, "loss": outputs["loss"] + np.float32(1)})]) is None


def test_a_mistake_that_would_spoil_what_passed_is_not_the_one(oracle: Oracle, bank: Bank) -> None:
    failing, passing = divided(oracle, bank, "ascent")
    assert recognise(oracle, failing, passing=passing) is not None
    half = len(failing) // 2
    assert recognise(oracle, failing[:half], passing=[case for case, _ in failing[half:]]) is None


def test_an_unknown_mistake_and_no_failing_case_name_nothing(oracle: Oracle, bank: Bank) -> None:
    strange: Sequence[tuple[Case, Any]] = [
        (case, {key: value.astype(np.float64) + 17.5 for key, value in case.expected.items()}) for case in bank.cases
    ]
    assert recognise(oracle, strange) is None
    assert recognise(oracle, []) is None


def test_a_missing_output_or_another_shape_fits_no_mistake(oracle: Oracle, bank: Bank) -> None:
    failing, _ = divided(oracle, bank, "four-times")
    assert recognise(oracle, [(case, {"w": outputs["w"]}) for case, outputs in failing]) is None
    assert recognise(oracle, [(case, {**outputs, "w": outputs["w"][None]}) for case, outputs in failing]) is None


@pytest.mark.parametrize("loss", ["np.float64(0) / np.float64(0)", "1e60", "-np.exp(np.float64(1000))"])
def test_a_mistake_that_answers_nan_or_overflows_float32_is_recognised(tmp_path: Path, loss: str) -> None:
    source = f'''
        import numpy as np
        def lost(w, x, y, lr):
            """You lose the loss."""
            return {{"w": w, "loss": {loss}}}
        def other(w, x, y, lr):
            """Something else."""
            return {{"w": w, "loss": 1.0}}
    '''
    with Oracle(step_problem(tmp_path, mistakes=source)) as oracle:
        bank = draw_bank(oracle.problem, 7, oracle)
        for name in ("lost", "other"):
            found = recognise(oracle, [(case, answered(oracle, name, case)) for case in bank.cases])
            assert found is not None
            assert found.name == name
