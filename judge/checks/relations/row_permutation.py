"""`row_permutation`: the rows in another order, and so on other devices, give the same answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from judge.checks.relations.trial import (
    Arrays,
    Broken,
    Trial,
    allowed,
    apart,
    array_of,
    derived,
    has_rows,
    row_dim,
    telling,
)
from judge.model.case import Bank
from judge.model.problem import Relation, Spec


def derive(spec: Spec, relation: Relation, bank: Bank, rng: np.random.Generator) -> Iterator[Trial]:
    if row_dim(spec, relation) is None:
        return
    for base in telling(spec, bank, rng):
        arrays = {name: array_of(base, name) for name in relation.inputs}
        rows = len(next(iter(arrays.values())))
        order = _across_shards(rows, spec.devices, rng)
        if order is None:
            continue
        inputs = {name: np.ascontiguousarray(array[order]) for name, array in arrays.items()}
        case = derived(base, relation, 1, inputs, base.signature)
        yield Trial(relation, base, (case,), tuple(int(row) for row in order))


def broken(spec: Spec, trial: Trial, base: Arrays, derived: Sequence[Arrays]) -> Broken | None:
    order = list(trial.order)
    for key in spec.outputs:
        wanted = base[key][order] if has_rows(spec, trial.relation, key) else base[key]
        if apart(derived[0][key], wanted, 2 * allowed(spec, trial.base, key, base[key])):
            sentence = f"`{key}` changes when the rows of the batch come in another order, on other devices."
            return Broken(key, sentence)
    return None


def _across_shards(
    rows: int, devices: int, rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.intp]] | None:
    """A permutation that takes rows to other shards; None for fewer than two rows."""
    block = max(1, rows // devices)
    # Every row to the next shard, and then a few swaps: a permutation drawn alone may leave a small batch as it is.
    order = np.roll(np.arange(rows), block)
    if devices == 1 or block == rows:
        order = np.roll(np.arange(rows), 1)
    for one, other in rng.integers(0, rows, (rows // 2, 2)):
        order[one], order[other] = order[other], order[one]
    return None if (order == np.arange(rows)).all() else order
