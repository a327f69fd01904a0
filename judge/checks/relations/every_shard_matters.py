"""`every_shard_matters`: other rows on any one device change every output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from judge.checks.relations.trial import Arrays, Broken, Trial, array_of, derived, floats_of, row_dim, telling
from judge.model.case import Bank, Case
from judge.model.problem import Relation, Spec


def derive(spec: Spec, relation: Relation, bank: Bank, rng: np.random.Generator) -> Iterator[Trial]:
    if row_dim(spec, relation) is None:
        return
    for base in telling(spec, bank, rng):
        donor = next((case for case in bank.cases if _may_give(spec, relation, case, base)), None)
        if donor is not None and _of_one_scale(spec, base):
            cases = [_changed(spec, relation, base, donor, shard) for shard in range(spec.devices)]
            yield Trial(relation, base, tuple(cases), tuple(range(spec.devices)))


def _of_one_scale(spec: Spec, base: Case) -> bool:
    """Whether no change can hide in the rounding of an output: next to targets of 10000 a small step may."""
    arrays = [
        np.abs(value) for value in base.inputs.values() if isinstance(value, np.ndarray) and value.dtype.kind == "f"
    ]
    largest = max((float(array.max(initial=0.0)) for array in arrays), default=0.0)
    typical = min((float(np.median(array)) for array in arrays if array.size), default=0.0)
    return largest <= 100.0 * typical and all(abs(value) >= 1e-3 for value in floats_of(spec, base))


def _may_give(spec: Spec, relation: Relation, case: Case, base: Case) -> bool:
    """Whether the rows of `case` on any one device make another case of `base`.

    Pinned cases often share their rows, or have them in another order: an answer would be right not to change.
    """
    if case.signature != base.signature or case.stratum != base.stratum or case.id == base.id:
        return False
    changes = [
        (_sums(array_of(case, name), spec.devices) != _sums(array_of(base, name), spec.devices)).any(axis=1)
        for name in relation.inputs
    ]
    return bool(np.any(changes, axis=0).all())


def _sums(array: NDArray[np.generic], devices: int) -> NDArray[np.float64]:
    """The sum of the rows of each device, one row for each."""
    sums: NDArray[np.float64] = array.astype(np.float64).reshape(devices, len(array) // devices, -1).sum(axis=1)
    return sums


def _changed(spec: Spec, relation: Relation, base: Case, donor: Case, shard: int) -> Case:
    inputs = {}
    for name in relation.inputs:
        array = array_of(base, name).copy()
        block = len(array) // spec.devices
        rows = slice(shard * block, (shard + 1) * block)
        array[rows] = array_of(donor, name)[rows]
        inputs[name] = array
    return derived(base, relation, shard, inputs, base.signature)


def broken(spec: Spec, trial: Trial, base: Arrays, derived: Sequence[Arrays]) -> Broken | None:
    for shard, arrays in zip(trial.order, derived, strict=True):
        for key in spec.outputs:
            # To the last bit: what does not look at a shard cannot tell the two calls apart.
            if base[key].size and np.array_equal(arrays[key], base[key], equal_nan=True):
                return Broken(key, f"`{key}` does not depend on the rows of device {shard}.")
    return None
