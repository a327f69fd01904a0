"""`sum_of_masks`: sums over two disjoint sets of valid rows add up to the sum over both.

With outputs that are `parameter - rate * mean over the valid rows`, the sum is the change times the number of valid rows.
"""

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
    base_value,
    derived,
    telling,
)
from judge.model.case import Bank
from judge.model.problem import Relation, Spec


def derive(spec: Spec, relation: Relation, bank: Bank, rng: np.random.Generator) -> Iterator[Trial]:
    for base in telling(spec, bank, rng):
        assert relation.mask is not None, "the loader has looked"
        mask = array_of(base, relation.mask).astype(bool)
        rows = np.flatnonzero(mask)
        if len(rows) < 2:
            continue
        # Both parts have a row: the cut is anywhere but at the ends.
        chosen = rng.permutation(rows)[: int(rng.integers(1, len(rows)))]
        part = np.zeros_like(mask)
        part.reshape(-1)[chosen] = True
        cases = [
            derived(base, relation, number, {relation.mask: one}, base.signature)
            for number, one in enumerate((part, mask & ~part), 1)
        ]
        yield Trial(relation, base, tuple(cases))


def broken(spec: Spec, trial: Trial, base: Arrays, derived: Sequence[Arrays]) -> Broken | None:
    assert trial.relation.mask is not None, "the loader has looked"
    counts = [int(array_of(case, trial.relation.mask).sum()) for case in (trial.base, *trial.derived)]
    for key, name in trial.relation.outputs.items():
        start = base_value(trial.base, name, base[key])
        if start is None or any(arrays[key].shape != base[key].shape for arrays in derived):
            return Broken(key, _sentence(key))
        with np.errstate(all="ignore"):
            both = counts[0] * (base[key] - start)
            parts = sum(n * (arrays[key] - start) for n, arrays in zip(counts[1:], derived, strict=True))
        # Three answers, the tolerance of each times its rows at most that of the base times all rows.
        if apart(both, np.asarray(parts), 2 * 3 * counts[0] * allowed(spec, trial.base, key, base[key])):
            return Broken(key, _sentence(key))
    return None


def _sentence(key: str) -> str:
    return f"the sums behind `{key}` over two sets of valid rows do not add up to the sum over both."
