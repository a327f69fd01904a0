"""`batch_duplication`: every row twice gives the same answer, where the answer is a mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from judge.checks.relations.trial import (
    Arrays,
    Broken,
    Trial,
    allowed,
    apart,
    array_of,
    derived,
    floats_of,
    has_rows,
    known_floats,
    row_dim,
    telling,
)
from judge.model.case import Bank
from judge.model.problem import Relation, Spec


def derive(spec: Spec, relation: Relation, bank: Bank, rng: np.random.Generator) -> Iterator[Trial]:
    dim, known = row_dim(spec, relation), known_floats(spec, bank)
    for base in telling(spec, bank, rng):
        dims = tuple((name, 2 * size if name == dim else size) for name, size in base.signature.dims)
        twice = replace(base.signature, dims=dims)
        if twice == base.signature or floats_of(spec, base) not in known.get(twice, {}):
            continue
        inputs = {name: np.concatenate([array_of(base, name)] * 2) for name in relation.inputs}
        yield Trial(relation, base, (derived(base, relation, 1, inputs, twice),))


def broken(spec: Spec, trial: Trial, base: Arrays, derived: Sequence[Arrays]) -> Broken | None:
    for key in spec.outputs:
        within = allowed(spec, trial.base, key, base[key])
        rows = has_rows(spec, trial.relation, key)
        wanted, within = [np.concatenate([one] * 2) if rows else one for one in (base[key], within)]
        if apart(derived[0][key], wanted, 2 * within):
            return Broken(key, f"`{key}` changes when the batch holds every row twice; divide by the number of rows.")
    return None
