"""The mutation test on arrays: few cases, three mistakes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judge.authoring import mutation
from judge.model.case import Case, Signature

CASES = tuple(
    Case(
        name,
        "hidden",
        "a case",
        Signature((("N", 4),)),
        {"x": np.array([value])},
        {"mean": np.array([value])},
        {"mean": np.array([0.01])},
    )
    for name, value in (("zero", 0.0), ("one", 1.0), ("minus", -1.0))
)


def answers(**solve: object) -> mutation.Answers:
    return {
        name: {case.id: {"mean": np.asarray(function(case.expected["mean"]))} for case in CASES}  # type: ignore[operator]  # a lambda
        for name, function in solve.items()
    }


FOUND = answers(
    doubled=lambda mean: 2 * mean,
    absolute=np.abs,
    shifted=lambda mean: mean + 0.5,
)


def test_each_mistake_is_killed_by_the_first_case_that_is_far_enough_off() -> None:
    errors = mutation.errors(CASES, FOUND)
    ids = [case.id for case in CASES]
    killers = {name: mutation.killer(one, ids) for name, one in errors.items()}
    assert {name: found and found[0] for name, found in killers.items()} == {
        "doubled": "one",
        "absolute": "minus",
        "shifted": "zero",
    }
    assert killers["doubled"] is not None and killers["doubled"][1] == pytest.approx(100.0)


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_survives_without_the_cases_that_kill_it(name: str) -> None:
    errors = mutation.errors(CASES, FOUND)
    assert mutation.alive(errors, [case.id for case in CASES]) == []
    left = [case.id for case in CASES if errors[name][case.id] < mutation.MARGIN]
    assert name in mutation.alive(errors, left)


def test_less_than_ten_tolerances_kill_nothing() -> None:
    near = answers(near=lambda mean: mean + 0.099, far=lambda mean: mean + 0.101)
    assert mutation.alive(mutation.errors(CASES, near), [case.id for case in CASES]) == ["near"]


def test_nan_is_an_infinite_error() -> None:
    errors = mutation.errors(CASES, answers(lost=lambda mean: np.full_like(mean, np.nan)))
    assert set(errors["lost"].values()) == {np.inf}


def test_another_shape_is_an_infinite_error() -> None:
    errors = mutation.errors(CASES, answers(longer=lambda mean: np.append(mean, 0.0)))
    assert set(errors["longer"].values()) == {np.inf}


def test_a_mistake_without_an_answer_is_not_killed_by_the_case() -> None:
    none: mutation.Answers = {"silent": dict.fromkeys((case.id for case in CASES), None)}
    assert mutation.alive(mutation.errors(CASES, none), [case.id for case in CASES]) == ["silent"]


def test_two_mistakes_that_no_case_tells_apart_are_named() -> None:
    both = {
        **FOUND,
        **answers(
            twice=lambda mean: mean + mean,
            lost=lambda mean: np.full_like(mean, np.inf),
            gone=lambda mean: mean * np.nan,
        ),
    }
    assert mutation.alike(CASES, both) == [("doubled", "twice")]


def test_two_mistakes_that_are_nan_together_are_alike() -> None:
    lost = answers(one=lambda mean: mean * np.nan, other=lambda mean: np.full_like(mean, np.nan))
    assert mutation.alike(CASES, lost) == [("one", "other")]


def test_the_smallest_set_kills_what_all_cases_kill() -> None:
    errors = mutation.errors(CASES, FOUND)
    ids = [case.id for case in CASES]
    chosen = mutation.smallest(errors, ids)
    assert chosen == ("minus",)
    assert mutation.alive(errors, chosen) == []
    assert mutation.smallest(errors, ["zero", "one"]) == ("one",)


def test_an_output_that_never_changes_depends_on_nothing() -> None:
    assert mutation.depends_on_nothing(CASES) == []
    fixed = [replace(case, expected={"mean": np.array([7.0])}) for case in CASES]
    assert mutation.depends_on_nothing(fixed) == ["mean"]
