"""A mutation test of a problem's cases. Pure: cases and what the mistakes answer in, what kills what out.

Errors are counted in tolerances. What is not finite is infinitely wrong; a mistake that has no answer to a case is not
killed by it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from judge.checks.values import errors_in_tolerances
from judge.model.case import Case

#: A mistake must be this many tolerances off on the case that kills it; less is chance or rounding.
MARGIN = 10.0

Outputs = Mapping[str, NDArray[np.generic]]
#: By mistake and case id; None where the mistake has no answer.
Answers = Mapping[str, Mapping[str, Outputs | None]]
#: Greatest error in tolerances, by mistake and case id.
Errors = Mapping[str, Mapping[str, float]]


def errors(cases: Sequence[Case], answers: Answers) -> Errors:
    """How wrong each mistake is on each case."""
    return {name: {case.id: _error(case, given[case.id]) for case in cases} for name, given in answers.items()}


def _error(case: Case, outputs: Outputs | None) -> float:
    if outputs is None:
        return 0.0
    return max((_largest(outputs[key], case.expected[key], case.tolerance[key]) for key in case.expected), default=0.0)


def _largest(one: NDArray[np.generic], other: NDArray[np.generic], tolerance: NDArray[np.float64]) -> float:
    if one.shape != other.shape:
        return float("inf")
    return float(np.max(errors_in_tolerances(one, other, tolerance), initial=0.0))


def killer(errors_of_one: Mapping[str, float], among: Iterable[str]) -> tuple[str, float] | None:
    """The first of the cases that kills a mistake with a margin, and how far off it is there; None where none does."""
    return next(((one, errors_of_one[one]) for one in among if errors_of_one[one] >= MARGIN), None)


def alive(found: Errors, among: Sequence[str]) -> list[str]:
    """Mistakes that none of the cases kills with a margin."""
    return [name for name, one in found.items() if killer(one, among) is None]


def alike(cases: Sequence[Case], answers: Answers) -> list[tuple[str, str]]:
    """Pairs of mistakes that no case tells apart with a margin."""
    return [
        (one, other)
        for one, other in itertools.combinations(answers, 2)
        if not any(_differ(case, answers[one][case.id], answers[other][case.id]) for case in cases)
    ]


def _differ(case: Case, one: Outputs | None, other: Outputs | None) -> bool:
    if one is None or other is None:
        return one is not other
    return any(_apart(one[key], other[key], case.tolerance[key]) for key in case.expected)


def _apart(one: NDArray[np.generic], other: NDArray[np.generic], tolerance: NDArray[np.float64]) -> bool:
    if one.shape != other.shape:
        return True
    if one.dtype.kind == "f" and other.dtype.kind == "f":
        # Both NaN is alike, one NaN is not.
        lost = np.isnan(one) & np.isnan(other)
        one, other = np.where(lost, 0.0, one), np.where(lost, 0.0, other)
    return _largest(one, other, tolerance) >= MARGIN


def smallest(found: Errors, among: Sequence[str]) -> tuple[str, ...]:
    """Few of the cases, chosen greedily, that kill whatever all of them kill. Ties go to the earlier case."""
    left = {name for name, one in found.items() if killer(one, among) is not None}
    chosen: list[str] = []
    while left:
        best = max(among, key=lambda case: sum(found[name][case] >= MARGIN for name in left))
        chosen.append(best)
        left = {name for name in left if found[name][best] < MARGIN}
    return tuple(one for one in among if one in chosen)


def depends_on_nothing(cases: Sequence[Case]) -> list[str]:
    """Outputs that are the same in all cases of every shape that has several; [] where no shape has."""
    by_shape: dict[object, list[Case]] = {}
    for case in cases:
        by_shape.setdefault(case.signature, []).append(case)
    several = [group for group in by_shape.values() if len(group) > 1]
    keys = cases[0].expected if several else ()
    return [key for key in keys if all(_constant(group, key) for group in several)]


def _constant(group: Sequence[Case], key: str) -> bool:
    first = group[0].expected[key]
    return all(np.array_equal(first, case.expected[key]) for case in group[1:])
