"""Metamorphic relations: what must hold between answers, without knowing what any of them should be.

A relation is a module with two pure functions. `derive(spec, relation, bank, rng)` yields trials, all of signatures and float
values that the bank has, so that no further program is needed; `broken(spec, trial, base, derived)` says what does not hold.
Tolerances are those of the base case, doubled: two right answers may each be off by one.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Mapping

import numpy as np

from judge.checks.relations import (
    batch_duplication,
    every_shard_matters,
    linear_in_lr,
    row_permutation,
    sum_of_masks,
    zero_lr,
)
from judge.checks.relations.trial import TRIALS, Trial, arrays_of
from judge.model.case import Bank
from judge.model.outcome import Answer
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict

__all__ = ["RELATIONS", "Trial", "derive", "judge"]

#: name, as the YAML spells it -> (derive, broken)
RELATIONS = {
    "row_permutation": (row_permutation.derive, row_permutation.broken),
    "batch_duplication": (batch_duplication.derive, batch_duplication.broken),
    "zero_lr": (zero_lr.derive, zero_lr.broken),
    "linear_in_lr": (linear_in_lr.derive, linear_in_lr.broken),
    "every_shard_matters": (every_shard_matters.derive, every_shard_matters.broken),
    "sum_of_masks": (sum_of_masks.derive, sum_of_masks.broken),
}


def derive(spec: Spec, bank: Bank) -> tuple[Trial, ...]:
    """A few trials of each relation that the problem declares; the same for the same bank."""
    trials: list[Trial] = []
    for place, relation in enumerate(spec.relations):
        parts = [bank.seed, place, zlib.crc32(relation.name.encode())]
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(parts)))
        trials += itertools.islice(RELATIONS[relation.name][0](spec, relation, bank, rng), TRIALS)
    return tuple(trials)


def judge(spec: Spec, trial: Trial, answers: Mapping[str, Answer]) -> Finding | None:
    """What is wrong with the answers (by case id) of a trial; None where the relation holds or an answer is missing."""
    base = arrays_of(spec, answers.get(trial.base.id))
    derived = [arrays_of(spec, answers.get(case.id)) for case in trial.derived]
    complete = [arrays for arrays in derived if arrays is not None]
    if base is None or len(complete) != len(derived):
        return None
    found = RELATIONS[trial.name][1](spec, trial, base, complete)
    if found is None:
        return None
    return Finding(
        Verdict.WRONG_ANSWER, trial.name, "program", trial.base.id, found.output, found.sentence, found.sentence
    )
