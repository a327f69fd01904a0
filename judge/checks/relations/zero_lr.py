"""`zero_lr`: a learning rate of zero leaves every parameter as it came in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from judge.checks.relations.trial import (
    EPS,
    Arrays,
    Broken,
    Trial,
    apart,
    base_value,
    derived,
    float_names,
    floats_of,
    known_floats,
    telling,
)
from judge.model.case import Bank
from judge.model.problem import Relation, Spec


def derive(spec: Spec, relation: Relation, bank: Bank, rng: np.random.Generator) -> Iterator[Trial]:
    known, names = known_floats(spec, bank), float_names(spec)
    for base in telling(spec, bank, rng):
        pairs = zip(names, floats_of(spec, base), strict=True)
        wanted = tuple(0.0 if name == relation.scalar else value for name, value in pairs)
        if relation.scalar is not None and wanted in known[base.signature]:
            yield Trial(relation, base, (derived(base, relation, 1, {relation.scalar: 0.0}, base.signature),))


def broken(spec: Spec, trial: Trial, base: Arrays, derived: Sequence[Arrays]) -> Broken | None:
    del base  # what came out at another rate says nothing here
    for key, name in trial.relation.outputs.items():
        actual = derived[0][key]
        start = base_value(trial.base, name, actual)
        # The tolerance of the base knows the size of its step, and here there is none: only the value itself is rounded.
        if start is None or apart(actual, start, spec.tolerance.atol + spec.tolerance.safety * EPS * np.abs(start)):
            sentence = f"`{key}` is not `{name}` when `{trial.relation.scalar}` is zero, where nothing may change."
            return Broken(key, sentence)
    return None
