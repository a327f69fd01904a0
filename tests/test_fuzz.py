from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge import fuzz
from judge.bank import draw_bank
from judge.bank.make import key
from judge.checks.values import errors_in_tolerances
from judge.errors import JudgeFault
from judge.model.case import Bank, Case
from judge.oracle.client import MistakeFailed, Oracle, OracleStopped
from tests.support.authored import MASKED_SPEC, STEP_SPEC, authored, masked_problem, step_problem

Fails = Callable[[Case], bool]


@pytest.fixture
def oracle(tmp_path: Path) -> Iterator[Oracle]:
    with Oracle(step_problem(tmp_path)) as running:
        yield running


@pytest.fixture
def bank(oracle: Oracle) -> Bank:
    return draw_bank(oracle.problem, 7, oracle)


def watched(seen: list[Case], fails: Fails = lambda case: False) -> Fails:
    """`fails`, which keeps the cases that it is asked about."""

    def asked(case: Case) -> bool:
        seen.append(case)
        return fails(case)

    return asked


def searched(oracle: Oracle, bank: Bank, fails: Fails, **changed: Any) -> Case | None:
    return fuzz.search(oracle.problem, bank, oracle, fails, **{"seed": 1, **changed})


def makes(oracle: Oracle, mistake: str) -> Fails:
    """A submission that makes `mistake`."""

    def fails(case: Case) -> bool:
        outputs = oracle.mistake_outputs(mistake, case.inputs)
        assert not isinstance(outputs, MistakeFailed)
        return any(
            bool((errors_in_tolerances(outputs[k], case.expected[k], case.tolerance[k]) > 1).any()) for k in outputs
        )

    return fails


def test_the_counterexample_is_of_the_smallest_shape_and_of_small_whole_numbers(oracle: Oracle, bank: Bank) -> None:
    case = searched(oracle, bank, makes(oracle, "four-times"))
    assert case is not None
    assert str(case.signature) == "N=4, D=1"
    assert case.inputs["lr"] == 0.1
    numbers = np.concatenate([np.ravel(case.inputs[name]) for name in "wxy"])
    assert np.count_nonzero(numbers) == 2
    assert set(np.abs(numbers)) == {0.0, 1.0}


def test_the_counterexample_fails_may_be_shown_and_is_in_no_bank(oracle: Oracle, bank: Bank) -> None:
    fails = makes(oracle, "ascent")
    case = searched(oracle, bank, fails)
    assert case is not None
    assert fails(case)
    assert case.shareable
    assert key(case.inputs) not in {key(one.inputs) for one in bank.cases}


def test_a_fault_of_large_shapes_is_found_on_the_smallest_that_shows_it(oracle: Oracle, bank: Bank) -> None:
    def fails(case: Case) -> bool:
        return bool(np.asarray(case.inputs["w"]).size > 1 and np.asarray(case.inputs["x"]).any())

    case = searched(oracle, bank, fails)
    assert case is not None
    assert str(case.signature) == "N=8, D=3"
    assert np.count_nonzero(np.asarray(case.inputs["x"])) == 1


def test_a_fault_that_whole_numbers_hide_is_found_in_the_ranges_of_the_failing_case(oracle: Oracle, bank: Bank) -> None:
    def fails(case: Case) -> bool:
        y = np.asarray(case.inputs["y"])
        return bool((y > 9000).any() and (y != np.round(y)).any())

    like = next(case for case in bank.cases if case.stratum == "offset")
    case = searched(oracle, bank, fails, like=like)
    assert case is not None
    assert case.signature == like.signature
    assert case.stratum == "offset"
    # A few digits, and no more numbers off the round ones than it takes.
    assert np.count_nonzero(np.asarray(case.inputs["y"]) != 10000) == 1


def test_a_rate_that_only_a_hidden_case_has_is_never_tried(oracle: Oracle, bank: Bank) -> None:
    tried: list[Case] = []
    one = bank.cases[0]
    hidden = replace(one, id="hidden-rate", group="hidden", inputs={**one.inputs, "lr": 0.625})
    searched(oracle, replace(bank, cases=(*bank.cases, hidden)), watched(tried), like=hidden)
    rates = {case.inputs["lr"] for case in bank.cases}
    assert tried
    assert {case.inputs["lr"] for case in tried} <= rates


def test_nothing_larger_than_the_failing_case_is_tried(oracle: Oracle, bank: Bank) -> None:
    tried: list[Case] = []
    like = next(case for case in bank.cases if str(case.signature) == "N=4, D=1")
    searched(oracle, bank, watched(tried), like=like)
    assert {case.signature for case in tried} == {like.signature}


def test_one_seed_gives_one_counterexample(oracle: Oracle, bank: Bank) -> None:
    one, other = (searched(oracle, bank, makes(oracle, "ascent"), budget=20) for _ in range(2))
    assert one is not None
    assert other is not None
    assert key(one.inputs) == key(other.inputs)


@pytest.mark.parametrize("budget", [1, 5, 12, 40])
def test_the_budget_bounds_the_evaluations_and_one_more_confirms(oracle: Oracle, bank: Bank, budget: int) -> None:
    calls: list[Case] = []
    fails = makes(oracle, "four-times")
    searched(oracle, bank, watched(calls, fails), budget=budget)
    assert len(calls) <= budget + 1


def test_a_spent_budget_leaves_the_best_that_was_found(oracle: Oracle, bank: Bank) -> None:
    counted = itertools.count()
    case = searched(oracle, bank, lambda case: next(counted) >= 3, budget=6)
    assert case is not None


def test_a_right_submission_has_no_counterexample(oracle: Oracle, bank: Bank) -> None:
    assert searched(oracle, bank, lambda case: False) is None


def test_a_submission_that_passes_on_a_second_look_has_no_counterexample(oracle: Oracle, bank: Bank) -> None:
    seen: set[tuple[object, ...]] = set()

    def fails_once(case: Case) -> bool:
        fresh = key(case.inputs) not in seen
        seen.add(key(case.inputs))
        return fresh

    assert searched(oracle, bank, fails_once) is None


def test_when_time_runs_out_the_counterexample_is_dropped_whole(oracle: Oracle, bank: Bank) -> None:
    calls: list[Case] = []
    ticks = itertools.count()

    def fails(case: Case) -> bool:
        calls.append(case)
        return bool(np.asarray(case.inputs["x"]).any())

    assert searched(oracle, bank, fails, valve_s=5.0, clock=lambda: float(next(ticks))) is None
    assert any(np.asarray(case.inputs["x"]).any() for case in calls)
    assert len(calls) == 5


def test_cases_of_the_bank_are_never_tried(oracle: Oracle, bank: Bank) -> None:
    known = {key(case.inputs) for case in (*bank.cases, *bank.throwaways)}
    tried: list[Case] = []
    searched(oracle, bank, watched(tried))
    assert tried
    assert not known & {key(case.inputs) for case in tried}


def test_a_mask_keeps_a_true_element_and_shrinks_to_few_false_ones(tmp_path: Path) -> None:
    with Oracle(masked_problem(tmp_path)) as oracle:
        bank = draw_bank(oracle.problem, 7, oracle)
        masks: list[Any] = []

        def fails(case: Case) -> bool:
            masks.append(np.asarray(case.inputs["mask"]))
            return not masks[-1].all()

        case = searched(oracle, bank, fails)
    assert case is not None
    assert np.count_nonzero(~np.asarray(case.inputs["mask"])) == 1
    assert all(mask.any() for mask in masks)


def test_inputs_that_the_oracle_has_no_answer_for_count_as_right(tmp_path: Path) -> None:
    source = """
        import numpy as np
        def solve(w, x, y, lr):
            return {"w": w / (x**2).sum(), "loss": 0.0}
    """
    with Oracle(authored(tmp_path, STEP_SPEC, oracle=source)) as oracle:
        bank = draw_bank(oracle.problem, 7, oracle)
        case = searched(oracle, bank, lambda case: True)
    assert case is not None
    assert np.asarray(case.inputs["x"]).any()


def test_an_oracle_that_stops_ends_the_search(tmp_path: Path) -> None:
    source = """
        import numpy as np
        def solve(w, x, y, lr):
            while not x.any(): pass
            return {"w": w, "loss": 0.0}
    """
    with Oracle(authored(tmp_path, STEP_SPEC, oracle=source), time_limit_s=0.5) as oracle:
        bank = draw_bank(oracle.problem, 7, oracle)
        with pytest.raises(OracleStopped):
            searched(oracle, bank, lambda case: True)


def test_a_fault_of_the_judge_comes_through_at_once(oracle: Oracle, bank: Bank) -> None:
    seen: list[Case] = []

    def breaks(case: Case) -> bool:
        raise JudgeFault("the sandbox is gone")

    with pytest.raises(JudgeFault, match="the sandbox is gone"):
        searched(oracle, bank, watched(seen, breaks))
    assert len(seen) == 1


def test_whole_numbers_stay_inside_ranges_that_hold_no_negative_ones(tmp_path: Path) -> None:
    spec = {**MASKED_SPEC, "fuzz": {**MASKED_SPEC["fuzz"]}}
    spec["fuzz"]["strata"] = {"positive": {"ranges": {"x": {"min": 0.5, "max": 3.0}, "mask": {"share": 0.5}}}}
    seen: list[Case] = []
    source = "def solve(x, mask, times, counts):\n    return {'mean': x.sum(), 'valid': 1, 'parts': x[:2] > 0}\n"
    with Oracle(authored(tmp_path, spec, oracle=source)) as oracle:
        bank = draw_bank(oracle.problem, 7, oracle)
        searched(oracle, bank, watched(seen))
    drawn = [np.asarray(case.inputs["x"]) for case in seen]
    assert drawn
    assert all((x >= 0.5).all() and (x <= 3.0).all() for x in drawn)
