"""`values`: every element is within the case's tolerance of what the oracle says; ints and bools are equal.

A difference equal to the tolerance is right. What is not finite is never within a tolerance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judge.checks.arrays import place, spelled, whole
from judge.model.case import Case
from judge.model.outcome import Answer
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict


def values(spec: Spec, case: Case, answer: Answer, source: str) -> list[Finding]:
    findings = []
    for key in spec.outputs:
        actual = whole(answer.outputs[key])
        if actual is None:
            sentence = f"no value of `{key}` came back."
            findings.append(
                Finding(Verdict.WRONG_ANSWER, "values", source, case.id, key, sentence, sentence, float("inf"))
            )
            continue
        errors = errors_in_tolerances(actual, case.expected[key], case.tolerance[key])
        if errors.size == 0 or bool((errors <= 1).all()):
            continue
        findings.append(_finding(case, source, key, actual, errors))
    return findings


def errors_in_tolerances(
    actual: NDArray[np.generic], expected: NDArray[np.generic], tolerance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """|actual - expected| / tolerance, element by element; inf where that has no meaning or the tolerance is 0."""
    if actual.dtype.kind not in "fiub":
        return np.full(expected.shape, np.inf)
    if actual.dtype.kind == "f" and expected.dtype.kind == "f":
        with np.errstate(all="ignore"):
            off = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
            errors = np.where(off == 0, 0.0, off / tolerance)
        return np.where(np.isfinite(errors), errors, np.inf)
    return np.where(actual == expected, 0.0, np.inf)


def _finding(case: Case, source: str, key: str, actual: NDArray[np.generic], errors: NDArray[np.float64]) -> Finding:
    # The first wrong element, not the worst: it is the one that a student can follow by hand.
    index = tuple(int(i) for i in np.argwhere(~(errors <= 1))[0])
    got, expected, worst = actual[index], case.expected[key][index], float(errors.max())
    far = f", {worst:.2g} times the tolerance" if np.isfinite(worst) else ""
    sentence = f"`{key}` is {spelled(got)}{place(index)}, expected {spelled(expected)}{far}."
    kind = "not finite" if not np.isfinite(float(got)) else "wrong"
    discreet = f"`{key}` is {kind}{place(index)}{far.replace(',', ' by', 1) if far else ''}."
    return Finding(Verdict.WRONG_ANSWER, "values", source, case.id, key, sentence, discreet, worst)
