"""`linear_in_lr`: the change of a parameter, divided by the learning rate, is the same for every rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from judge.checks.relations.trial import (
    Arrays,
    Broken,
    Floats,
    Trial,
    allowed,
    apart,
    base_value,
    derived,
    float_names,
    floats_of,
    known_floats,
    telling,
)
from judge.model.case import Bank, Case
from judge.model.problem import Relation, Spec


def derive(spec: Spec, relation: Relation, bank: Bank, rng: np.random.Generator) -> Iterator[Trial]:
    known, names = known_floats(spec, bank), float_names(spec)
    if relation.scalar not in names:
        return
    place = names.index(relation.scalar)
    for base in telling(spec, bank, rng):
        now = floats_of(spec, base)
        others = [
            one[place]
            for one in known[base.signature]
            if one[place] not in (0.0, now[place]) and _without(one, place) == _without(now, place)
        ]
        if others:
            rate = max(others, key=abs)
            yield Trial(relation, base, (derived(base, relation, 1, {relation.scalar: rate}, base.signature),))


def broken(spec: Spec, trial: Trial, base: Arrays, derived: Sequence[Arrays]) -> Broken | None:
    first, second = _rate(trial, trial.base), _rate(trial, trial.derived[0])
    for key, name in trial.relation.outputs.items():
        start = base_value(trial.base, name, base[key])
        if start is None or derived[0][key].shape != base[key].shape:
            return Broken(key, _sentence(trial, key))
        within = allowed(spec, trial.base, key, base[key])
        # What is rounded on the way to the gradient grows with the rate; what is rounded of the parameter does not.
        other = within * max(1.0, abs(second / first))
        with np.errstate(all="ignore"):
            slopes = (base[key] - start) / first, (derived[0][key] - start) / second
        if apart(*slopes, 2 * (within / abs(first) + other / abs(second))):
            return Broken(key, _sentence(trial, key))
    return None


def _without(values: Floats, place: int) -> Floats:
    return values[:place] + values[place + 1 :]


def _rate(trial: Trial, case: Case) -> float:
    assert trial.relation.scalar is not None, "`derive` has looked"
    return float(case.inputs[trial.relation.scalar])  # type: ignore[arg-type]  # a float input


def _sentence(trial: Trial, key: str) -> str:
    return f"the change of `{key}` is not proportional to `{trial.relation.scalar}`."
