"""In the place of an oracle that is private: the examples of a student's bundle, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

import numpy as np

from judge.bank.make import fault, key
from judge.bank.pinned import pinned_inputs
from judge.model.problem import PinnedCase, Problem
from judge.oracle.client import Inputs, Mistake, MistakeFailed, Oracle, Outputs, Tolerance
from judge.oracle.reference import Reference


class Examples:
    """Knows the printed outputs of the examples and how far each element may be off; of other inputs it knows nothing."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._known = {key(pinned_inputs(problem, case)): _answer(problem, case) for case in problem.spec.cases}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """There is nothing to end."""

    def with_tolerances(self, many: Sequence[Inputs]) -> list[tuple[Outputs, Tolerance]]:
        """Outputs and tolerances of examples.

        Raises:
            FaultyFile: other inputs are among them.
        """
        missing = [inputs for inputs in many if key(inputs) not in self._known]
        if missing:
            message = "the oracle of this problem is private, so nothing here knows the answer"
            raise fault(self._problem, "these inputs", message, "use those of an example")
        return [self._known[key(inputs)] for inputs in many]

    def mistakes(self) -> list[Mistake]:
        """None: they are the graders'."""
        return []

    def mistakes_with_tolerance(
        self, inputs: Inputs, names: Sequence[str]
    ) -> dict[str, tuple[Outputs, Tolerance] | MistakeFailed]:
        """Nothing, of no mistake."""
        assert not names, f"no mistake has a name here, whatever the inputs {list(inputs)}"
        return {}


def reference(problem: Problem) -> Reference:
    """What knows the right answers of a problem: its oracle, or its examples alone."""
    return Examples(problem) if problem.examples_only else Oracle(problem)


def _answer(problem: Problem, case: PinnedCase) -> tuple[Outputs, Tolerance]:
    outputs: Outputs = {}
    for name, output in problem.spec.outputs.items():
        kind = np.dtype(output.dtype[0]).kind
        outputs[name] = np.array(case.outputs[name], {"b": "bool", "i": "int64"}.get(kind, "float64"))
    within = case.within or {}
    return outputs, {name: np.array(within[name], np.float64) for name in outputs}
