"""Which known mistake is this? Worth more to a student than two numbers that differ.

A mistake is named only when it alone explains every failing case looked at, and these are of two signatures at least. On
one case several may coincide (every mean of one output, every step at a rate of 0); over all cases one is left, or none is
named. What was right counts as well: a mistake that would have spoiled a case that passed is not the one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judge.model.case import Case, Signature
from judge.oracle.client import MistakeFailed, Outputs, Tolerance
from judge.oracle.reference import Reference

#: Cases that are compared. The first ones leave few mistakes, so the others cost little.
COMPARED = 48
FLOAT32_MAX = float(np.finfo(np.float32).max)

Actual = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class Recognised:
    """The mistake that a submission makes: its name, and the hint for its author."""

    name: str
    hint: str


def recognise(
    oracle: Reference, failing: Sequence[tuple[Case, Actual]], *, passing: Sequence[Case] = ()
) -> Recognised | None:
    """The one mistake whose outputs are those of the submission on all failing cases, to within the tolerances.

    Args:
        failing: cases with a wrong answer, each with the arrays that the submission returned.
        passing: cases that the submission answered right.

    Raises:
        FaultyFile: mistakes.py stopped answering.
    """
    compared = _spread(failing)
    if len({case.signature for case, _ in compared}) < 2:
        return None
    known = {mistake.name: mistake for mistake in oracle.mistakes()}
    left = list(known)
    # What was right agrees with the expected values to within a tolerance, and a mistake with it to within another.
    for case, actual, slack in (
        *((case, actual, 1.0) for case, actual in compared),
        *((case, case.expected, 2.0) for case, _ in _spread([(case, case.expected) for case in passing])),
    ):
        if not left:
            return None
        answers = oracle.mistakes_with_tolerance(case.inputs, left)
        left = [name for name in left if _fits(case, actual, answers[name], slack)]
    return Recognised(left[0], known[left[0]].hint) if len(left) == 1 else None


def _spread(failing: Sequence[tuple[Case, Actual]]) -> list[tuple[Case, Actual]]:
    """At most `COMPARED` of them, one of each signature in turn, so that every signature speaks."""
    queues: dict[Signature, list[tuple[Case, Actual]]] = {}
    for pair in failing:
        queues.setdefault(pair[0].signature, []).append(pair)
    rounds = max((len(queue) for queue in queues.values()), default=0)
    turns = [queue[turn] for turn in range(rounds) for queue in queues.values() if turn < len(queue)]
    return turns[:COMPARED]


def _fits(case: Case, actual: Actual, answer: tuple[Outputs, Tolerance] | MistakeFailed, slack: float) -> bool:
    if isinstance(answer, MistakeFailed):
        return False
    outputs, own = answer
    return set(actual) == set(outputs) and all(
        _alike(actual[key], outputs[key], slack * _allowed(case.tolerance[key], own[key], outputs[key]))
        for key in outputs
    )


def _allowed(
    tolerance: NDArray[np.float64], own: NDArray[np.float64], outputs: NDArray[np.generic]
) -> NDArray[np.float64]:
    """The tolerance of the case, or the mistake's own where that is larger: a sum rounds more than a mean.

    The own one is bounded: a mistake that jumps, such as a rate cut to a whole number, has a tolerance that means nothing.
    """
    largest = np.max(np.abs(outputs.astype(np.float64)), initial=0.0, where=np.isfinite(outputs))
    allowed: NDArray[np.float64] = np.fmax(tolerance, np.fmin(own, np.fmax(64 * tolerance, 1e-3 * largest)))
    return allowed


def _alike(actual: NDArray[np.generic], wanted: NDArray[np.generic], tolerance: NDArray[np.float64]) -> bool:
    if actual.shape != wanted.shape or actual.dtype.kind not in "fiub":
        return False
    if wanted.dtype.kind != "f" or actual.dtype.kind != "f":
        return bool((actual == wanted).all())
    got, want = actual.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(all="ignore"):
        # Some mistakes divide by nothing; others diverge, and float32 ends in an infinity or, from two of them, in NaN.
        lost = np.where(np.isnan(want), np.isnan(got), (np.abs(want) > FLOAT32_MAX) & ~np.isfinite(got))
        near = np.isfinite(got) & np.isfinite(want) & (np.abs(got - want) <= tolerance)
        return bool((lost | near).all())
