"""What the relations share: a trial, where trials may stand, and how far two right answers may lie apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judge.checks.arrays import whole
from judge.model.case import Bank, Case, Signature, Value
from judge.model.outcome import Answer
from judge.model.problem import ArrayInput, FloatInput, Relation, Spec

#: Trials a relation, each of another signature.
TRIALS = 3
#: Half the spacing of float32, relative to the value.
EPS = 2.0**-24

Floats = tuple[float, ...]
Arrays = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Trial:
    """One place where a relation must hold.

    Attributes:
        relation: as the YAML declares it.
        base: a case of the bank.
        derived: cases made from it, without expected values; their ids begin with `relation-`.
        order: what the relation did: the permutation of the rows, or the shard that each derived case changes.
    """

    relation: Relation
    base: Case
    derived: tuple[Case, ...]
    order: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.relation.name


@dataclass(frozen=True, slots=True)
class Broken:
    """A relation that does not hold: the output that shows it, and a sentence without a number of the case."""

    output: str
    sentence: str


def floats_of(spec: Spec, case: Case) -> Floats:
    """The values of the float inputs, in call order."""
    return tuple(float(case.inputs[name]) for name in float_names(spec))  # type: ignore[arg-type]  # a float input


def float_names(spec: Spec) -> list[str]:
    return [name for name, given in spec.inputs.items() if isinstance(given, FloatInput)]


def known_floats(spec: Spec, bank: Bank) -> dict[Signature, dict[Floats, None]]:
    """The combinations of float inputs that the bank has for each signature: for these there are programs."""
    known: dict[Signature, dict[Floats, None]] = {}
    for case in bank.cases:
        known.setdefault(case.signature, {})[floats_of(spec, case)] = None
    return known


def telling(spec: Spec, bank: Bank, rng: np.random.Generator) -> Iterator[Case]:
    """Cases whose floats are not zero, the signatures taking turns: one of each, then a second of each."""
    queues: dict[Signature, list[Case]] = {}
    for case in bank.cases:
        if all(floats_of(spec, case)):
            queues.setdefault(case.signature, []).append(case)
    order = [[queue[i] for i in rng.permutation(len(queue))] for queue in queues.values()]
    order = [order[i] for i in rng.permutation(len(order))]
    for turn in range(max(map(len, order), default=0)):
        yield from (queue[turn] for queue in order if turn < len(queue))


def derived(base: Case, relation: Relation, number: int, inputs: Mapping[str, Value], signature: Signature) -> Case:
    """The case of `inputs`, which replace those of the base; nobody knows what must come out."""
    name = relation.name.replace("_", "-")
    for value in inputs.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return replace(
        base,
        id=f"relation-{name}-{base.id}-{number}",
        signature=signature,
        inputs={**base.inputs, **inputs},
        expected={},
        tolerance={},
    )


def arrays_of(spec: Spec, answer: Answer | None) -> Arrays | None:
    """Every output of an answer in float64; None where one is missing."""
    if answer is None:
        return None
    found: dict[str, NDArray[np.float64]] = {}
    for key in spec.outputs:
        output = answer.outputs.get(key)
        array = None if output is None else whole(output)
        if array is None or array.dtype.kind not in "fiub":
            return None
        found[key] = array.astype(np.float64)
    return found


def allowed(spec: Spec, case: Case, key: str, actual: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each element may lie from what is right; from the size of the answer where no oracle has spoken."""
    tolerance = case.tolerance.get(key)
    if tolerance is not None and tolerance.shape == actual.shape:
        return tolerance
    # Without an oracle nothing tells how much cancels on the way: a few times the rounding of the largest element.
    largest = float(np.max(np.abs(actual), initial=0.0))
    return np.full(actual.shape, spec.tolerance.atol + 8 * spec.tolerance.safety * EPS * largest)


def apart(one: NDArray[np.float64], other: NDArray[np.float64], within: NDArray[np.float64]) -> bool:
    """Whether some element differs by more than `within`. Shapes that differ and what is not finite are apart."""
    if one.shape != other.shape:
        return True
    with np.errstate(all="ignore"):
        return not bool((np.abs(one - other) <= within).all())


def row_dim(spec: Spec, relation: Relation) -> int | str | None:
    """The dim of axis 0 that the arrays of the relation share."""
    arrays = [given for name in relation.inputs if isinstance(given := spec.inputs.get(name), ArrayInput)]
    dims = {given.shape[0] for given in arrays if given.shape}
    return dims.pop() if len(dims) == 1 else None


def has_rows(spec: Spec, relation: Relation, key: str) -> bool:
    """Whether axis 0 of an output counts the rows that the relation is about."""
    shape = spec.outputs[key].shape
    return bool(shape) and shape[0] == row_dim(spec, relation)


def array_of(case: Case, name: str) -> NDArray[np.generic]:
    value = case.inputs[name]
    assert isinstance(value, np.ndarray), "a relation is about array inputs"
    return value


def base_value(case: Case, name: str, like: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The input that an output starts from, one copy for each leading axis that the output has more."""
    value = np.asarray(case.inputs[name], np.float64)
    return np.broadcast_to(value, like.shape) if like.shape[like.ndim - value.ndim :] == value.shape else None
