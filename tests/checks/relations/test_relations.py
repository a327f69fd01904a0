"""Relations on arrays: each catches a wrong answer that the pinned example lets pass, and lets the right one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from judge.authoring.junk import right_answer
from judge.checks import check_answer, relations
from judge.model.case import Bank, Case, Signature
from judge.model.outcome import Answer
from judge.model.problem import Spec

DEVICES = 4
Solve = Callable[..., np.ndarray[Any, Any]]

SPEC: dict[str, Any] = {
    "title": "A masked step",
    "summary": "One step over the valid rows.",
    "devices": DEVICES,
    "dims": {"N": {"min": 4, "multiple_of": 4}, "D": {}},
    "inputs": {
        "w": {"type": "array", "dtype": "float32", "shape": ["D"]},
        "x": {"type": "array", "dtype": "float32", "shape": ["N", "D"]},
        "y": {"type": "array", "dtype": "float32", "shape": ["N"]},
        "mask": {"type": "array", "dtype": "bool", "shape": ["N"], "at_least_one": True},
        "lr": {"type": "float"},
    },
    "outputs": {"w": {"dtype": ["float32"], "shape": ["D"], "placement": "replicated"}},
    "cases": [{"name": "equal-rows", "visible": True, "inputs": {}, "outputs": {}}],
    "fuzz": {"shapes": [{"dims": {}}], "strata": {"unit": {"ranges": {}}}},
}
ROWS = ["x", "y", "mask"]
DECLARED: Mapping[str, dict[str, Any]] = {
    "row_permutation": {"inputs": ROWS},
    "batch_duplication": {"inputs": ROWS},
    "zero_lr": {"scalar": "lr", "outputs": {"w": "w"}},
    "linear_in_lr": {"scalar": "lr", "outputs": {"w": "w"}},
    "every_shard_matters": {"inputs": ["x", "y"]},
    "sum_of_masks": {"mask": "mask", "outputs": {"w": "w"}},
}


def gradient(w: Any, x: Any, y: Any, mask: Any, weights: Any = 1.0, divisor: Any = None) -> np.ndarray[Any, Any]:
    rows = np.asarray(mask, float) * weights
    total = 2.0 * x.T.astype(float) @ (rows * (x.astype(float) @ w - y))
    return np.asarray(total / (mask.sum() if divisor is None else divisor))


def right(w: Any, x: Any, y: Any, mask: Any, lr: float) -> np.ndarray[Any, Any]:
    return np.asarray(w - lr * gradient(w, x, y, mask))


def later_rows_count_for_more(w: Any, x: Any, y: Any, mask: Any, lr: float) -> np.ndarray[Any, Any]:
    return np.asarray(w - lr * gradient(w, x, y, mask, weights=np.linspace(0.5, 1.5, len(x))))


def divided_by_the_devices(w: Any, x: Any, y: Any, mask: Any, lr: float) -> np.ndarray[Any, Any]:
    return np.asarray(w - lr * gradient(w, x, y, mask, divisor=DEVICES))


def a_rate_of_zero_is_the_default(w: Any, x: Any, y: Any, mask: Any, lr: float) -> np.ndarray[Any, Any]:
    return right(w, x, y, mask, lr or 0.1)


def the_rate_squared(w: Any, x: Any, y: Any, mask: Any, lr: float) -> np.ndarray[Any, Any]:
    return right(w, x, y, mask, 10.0 * lr * lr)


def first_shard_alone(w: Any, x: Any, y: Any, mask: Any, lr: float) -> np.ndarray[Any, Any]:
    block = len(x) // DEVICES
    return right(w, x[:block], y[:block], np.ones(block, bool), lr)


def divided_by_all_rows(w: Any, x: Any, y: Any, mask: Any, lr: float) -> np.ndarray[Any, Any]:
    return np.asarray(w - lr * gradient(w, x, y, mask, divisor=len(x)))


WRONG: Mapping[str, Solve] = {
    "row_permutation": later_rows_count_for_more,
    "batch_duplication": divided_by_the_devices,
    "zero_lr": a_rate_of_zero_is_the_default,
    "linear_in_lr": the_rate_squared,
    "every_shard_matters": first_shard_alone,
    "sum_of_masks": divided_by_all_rows,
}


def spec_of(*names: str) -> Spec:
    return Spec.model_validate({**SPEC, "relations": [{"name": name, **DECLARED[name]} for name in names]})


def case_of(name: str, group: str, lr: float, **arrays: Any) -> Case:
    inputs: dict[str, Any] = {**arrays, "lr": lr}
    rows, columns = inputs["x"].shape
    return Case(
        name,
        group,  # type: ignore[arg-type]  # one of the groups
        "a case",
        Signature((("N", rows), ("D", columns))),
        inputs,
        {"w": right(**inputs)},
        {"w": np.full(columns, 1e-5)},
        "unit",
    )


def bank_of(seed: int = 3, share: float = 0.7) -> Bank:
    """An example whose rows are all the same and all valid, and cases of two shapes at rates of 0, 0.1 and 0.5."""
    ones = {"x": np.ones((4, 1), np.float32), "y": np.full(4, 2, np.float32), "mask": np.ones(4, bool)}
    cases = [case_of("example-1", "examples", 0.1, w=np.zeros(1, np.float32), **ones)]
    rng = np.random.Generator(np.random.PCG64(seed))
    for number in range(24):
        rows = (4, 8)[number % 2]
        arrays = {
            name: rng.uniform(-2, 2, shape).astype(np.float32)
            for name, shape in (("w", 2), ("x", (rows, 2)), ("y", rows))
        }
        mask = rng.random(rows) < share
        mask[0] = True
        cases.append(case_of(f"fuzz-{number}", "fuzzed", (0.1, 0.5, 0.0)[number // 2 % 3], **arrays, mask=mask))
    return Bank(seed, tuple(cases), (cases[0],), "0")


def answers_of(spec: Spec, solve: Solve, cases: list[Case]) -> dict[str, Answer]:
    return {case.id: right_answer(spec, {"w": solve(**case.inputs)}) for case in cases}


def found(name: str, solve: Solve) -> list[str]:
    """Sentences of the trials of one relation that a solution breaks; there must be trials."""
    # A shard without valid rows does not matter, so that relation is for batches without a mask.
    spec, bank = spec_of(name), bank_of(share=1.0 if name == "every_shard_matters" else 0.7)
    trials = relations.derive(spec, bank)
    assert trials
    cases = [case for trial in trials for case in (trial.base, *trial.derived)]
    answers = answers_of(spec, solve, cases)
    judged = [relations.judge(spec, trial, answers) for trial in trials]
    return [one.sentence for one in judged if one is not None]


def test_every_relation_that_a_problem_may_declare_is_known_and_tested() -> None:
    allowed = Spec.model_json_schema()["$defs"]["Relation"]["properties"]["name"]["enum"]
    assert set(relations.RELATIONS) == set(allowed) == set(WRONG) == set(DECLARED)


@pytest.mark.parametrize("name", WRONG)
def test_the_right_answer_keeps_the_relation(name: str) -> None:
    assert found(name, right) == []


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_that_the_example_lets_pass_breaks_the_relation(name: str) -> None:
    spec, example = spec_of(name), bank_of().cases[0]
    assert check_answer(spec, example, answers_of(spec, WRONG[name], [example])["example-1"], "live") == []
    assert found(name, WRONG[name])


@pytest.mark.parametrize("name", WRONG)
def test_not_a_number_breaks_every_relation_that_compares(name: str) -> None:
    broken = found(name, lambda **inputs: np.full(inputs["w"].shape, np.nan))
    assert broken


def test_what_is_said_holds_no_number_of_a_case() -> None:
    for name, solve in WRONG.items():
        for sentence in found(name, solve):
            assert not any(
                char.isdigit()
                for char in sentence.replace("device 1", "").replace("device 2", "").replace("device 3", "")
            )


def test_trials_need_no_program_that_the_bank_has_not() -> None:
    spec, bank = spec_of(*WRONG), bank_of()
    known = {(case.signature, case.inputs["lr"]) for case in bank.cases}
    for trial in relations.derive(spec, bank):
        for case in trial.derived:
            assert case.id.startswith(f"relation-{trial.name.replace('_', '-')}-")
            assert (case.signature, case.inputs["lr"]) in known
            assert dict(case.signature.dims)["N"] == len(case.inputs["x"])  # type: ignore[arg-type]  # an array


def test_trials_are_few_and_the_same_for_the_same_bank() -> None:
    spec = spec_of(*WRONG)
    one, again, other = (relations.derive(spec, bank_of(seed)) for seed in (3, 3, 4))
    names = [trial.name for trial in one]
    assert all(1 <= names.count(name) <= 3 for name in WRONG)
    assert [case.id for trial in one for case in trial.derived] == [
        case.id for trial in again for case in trial.derived
    ]
    assert [trial.order for trial in one] == [trial.order for trial in again]
    assert [trial.base.id for trial in one] != [trial.base.id for trial in other]


def test_no_trial_writes_to_a_case_of_the_bank() -> None:
    bank = bank_of()
    before = [case.inputs["x"].tobytes() for case in bank.cases]  # type: ignore[union-attr]  # an array
    relations.derive(spec_of(*WRONG), bank)
    assert [case.inputs["x"].tobytes() for case in bank.cases] == before  # type: ignore[union-attr]


def test_a_permutation_takes_every_trial_to_other_devices() -> None:
    for trial in relations.derive(spec_of("row_permutation"), bank_of()):
        block = len(trial.order) // DEVICES
        assert any(place // block != row // block for place, row in enumerate(trial.order))
        assert sorted(trial.order) == list(range(len(trial.order)))


def test_a_trial_without_all_its_answers_says_nothing() -> None:
    spec = spec_of("row_permutation")
    trial = relations.derive(spec, bank_of())[0]
    answers = answers_of(spec, later_rows_count_for_more, [trial.base, *trial.derived])
    assert relations.judge(spec, trial, {trial.base.id: answers[trial.base.id]}) is None
    empty = {**answers, trial.derived[0].id: Answer("dict", {})}
    assert relations.judge(spec, trial, empty) is None


def test_without_an_oracle_a_relation_still_knows_how_far_is_too_far() -> None:
    spec, bank = spec_of("row_permutation"), bank_of()
    bare = replace(bank, cases=tuple(replace(case, expected={}, tolerance={}) for case in bank.cases))
    trials = relations.derive(spec, bare)
    for solve, breaks in ((right, False), (later_rows_count_for_more, True)):
        cases = [case for trial in trials for case in (trial.base, *trial.derived)]
        answers = answers_of(spec, solve, cases)
        assert any(relations.judge(spec, trial, answers) is not None for trial in trials) is breaks


def test_a_relation_that_no_shape_can_show_has_no_trials() -> None:
    bank = bank_of()
    small = replace(bank, cases=tuple(case for case in bank.cases if dict(case.signature.dims)["N"] == 4))
    assert relations.derive(spec_of("batch_duplication"), small) == ()
