"""Values of the oracle by name, and whether a step of a trace holds one of them.

The oracle's `intermediates` are given device by device; the outputs are whole. A step inside a manual region holds a value a
device: it is compared part by part, or each part with the whole. A step outside holds one array, in shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judge.model.trace import Moment, Step, Trace

Floats = NDArray[np.float64]
#: Value, reference, tolerance.
Triple = tuple[Floats, Floats, Floats]
#: The largest whole number that a value may be a multiple of a reference by; and how near it must be to one.
MOST = 4096
NEAR = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """`parts` [devices, ...] and `whole`, each with its tolerance; either may be missing. `derived`: sums and means of others,
    which a right solution may pass through or not."""

    name: str
    parts: tuple[Floats, Floats] | None = None
    whole: tuple[Floats, Floats] | None = None
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """A step holds `factor` times a reference; 1 is the reference itself. `also` is what a derived one is a multiple of."""

    reference: Reference
    factor: float
    also: Match | None = None

    @property
    def right(self) -> bool:
        """Whether the value is one that the oracle itself has."""
        return self.factor == 1 and not self.reference.derived

    def __str__(self) -> str:
        name = f"the reference's {self.reference.name}"
        if self.factor in (1, -1):
            return f"{'' if self.factor == 1 else 'minus '}{name}{f' ({self.also})' if self.also else ''}"
        if abs(self.factor) > 1:
            return f"{self.factor:g} times {name}"
        return f"{'-' if self.factor < 0 else ''}1/{abs(round(1 / self.factor))} of {name}"


Known = tuple[Reference, ...]


def references(
    intermediates: Mapping[str, tuple[Floats, Floats]], expected: Mapping[str, tuple[Floats, Floats]]
) -> Known:
    """All that is known of a case, what says the most first."""
    found = [Reference(name, whole=pair) for name, pair in expected.items()]
    derived = []
    for name, (value, tolerance) in intermediates.items():
        parts = value, tolerance
        if (value == value[:1]).all():
            found.append(Reference(name, parts, (value[0], tolerance[0])))
            continue
        rows = (_rows(value), _rows(tolerance)) if value.ndim > 1 else parts
        found.append(Reference(name, parts, rows))
        for word, over in (("sum over the devices of", np.sum), ("mean over the devices of", np.mean)):
            pair = over(value, axis=0), np.sum(tolerance, axis=0)
            derived.append(Reference(f"{word} {name}", whole=pair, derived=True))
    return (*found, *derived)


def recognised(trace: Trace, known: Known, witness: Trace | None, again: Known) -> list[dict[int, Match]]:
    """What each step holds of the reference, by its number, at its first moment, its second, and so on; steps that hold nothing
    known are missing, and a step with fewer moments stays as it was.

    Small cases are full of chance: where every number is 0, everything equals everything. So what a step holds is found in
    `witness`, a trace of the same steps on other inputs whose references are `again`, and has to hold here as well.
    """
    times = range(max((len(step.moments) for step in trace.steps), default=0))
    if witness is None or [one.op for one in witness.steps] != [one.op for one in trace.steps]:
        return [_found(trace.steps, time, lambda step, time: _matches(step, time, known)) for time in times]

    def confirmed(step: Step, time: int) -> list[Match]:
        matches = _matches(witness.steps[step.number], time, again)
        return [one for one in matches if _holds(step, time, known, one)]

    return [_found(trace.steps, time, confirmed) for time in times]


def _found(steps: Sequence[Step], time: int, matches_of: Callable[[Step, int], list[Match]]) -> dict[int, Match]:
    return {step.number: _best(matches) for step in steps if (matches := matches_of(step, time))}


def _best(matches: list[Match]) -> Match:
    """Equality before a multiple, and the order of the references; a sum is told with what it is a multiple of."""
    equal = next((one for one in matches if one.factor == 1), None)
    if equal is None:
        return matches[0]
    multiple = next((one for one in matches if one.factor != 1 and not one.reference.derived), None)
    return replace(equal, also=multiple) if equal.reference.derived else equal


def _matches(step: Step, time: int, known: Known) -> list[Match]:
    """Every reference that a step holds, or holds a multiple of. What is zero throughout says nothing."""
    return [
        Match(reference, factor)
        for reference, triples in _compared(step, time, known)
        if _says_something(reference) and (factor := _times(triples)) is not None
    ]


def _holds(step: Step, time: int, known: Known, wanted: Match) -> bool:
    return any(
        reference.name == wanted.reference.name and _is_times(triples, wanted.factor)
        for reference, triples in _compared(step, time, known)
    )


def _compared(step: Step, time: int, known: Known) -> Iterator[tuple[Reference, Triple]]:
    """(reference, (value, reference, tolerance) as flat vectors) where the shapes agree."""
    if not step.moments or step.partial or step.op in ("input", "enter", "loop", "branch"):
        return
    moment = step.moments[min(time, len(step.moments) - 1)]
    if any(shard.data is None or shard.data.dtype.kind not in "iuf" for shard in moment.held):
        return
    for whole in known:
        for reference in (whole, *_of_iteration(whole, moment)):
            for pairs in _pairs(step, moment, reference):
                value, wanted, tolerance = (np.concatenate([one[n].ravel() for one in pairs]) for n in range(3))
                if np.isfinite(value).all():
                    yield reference, (value, wanted, tolerance)


def _of_iteration(reference: Reference, moment: Moment) -> Iterator[Reference]:
    """The part of a reference that belongs to one iteration of the only loop around: the first axis of an output, and the axis
    after the devices' of what is on the way."""
    if len(moment.iteration) != 1:
        return
    (number,) = moment.iteration
    parts, whole = reference.parts, reference.whole
    if parts is not None and parts[0].ndim > 1 and parts[0].shape[1] > number:
        yield Reference(
            f"{reference.name} of iteration {number}",
            (parts[0][:, number], parts[1][:, number]),
            None,
            reference.derived,
        )
    if whole is not None and whole[0].ndim and whole[0].shape[0] > number:
        yield Reference(
            f"{reference.name} of iteration {number}", None, (whole[0][number], whole[1][number]), reference.derived
        )


def _times(triple: Triple) -> float | None:
    """1 where the values are the reference's, the factor where they are a multiple of it, else None."""
    return 1.0 if _is_times(triple, 1.0) else _factor(triple)


def _is_times(triple: Triple, factor: float) -> bool:
    value, wanted, tolerance = triple
    slack = abs(factor) * tolerance + (NEAR * np.abs(value) if factor != 1 else 0)
    return bool(np.all(np.abs(value - factor * wanted) <= slack))


def _pairs(step: Step, moment: Moment, reference: Reference) -> Iterator[list[Triple]]:
    """(value, reference, tolerance) of each device, for each way in which the shapes agree."""
    if step.manual and reference.parts is not None and len(moment.held) == len(reference.parts[0]):
        parts, tolerances = reference.parts
        triples = []
        for shard in moment.held:
            if 0 <= shard.device < len(parts):
                triples += _triple(shard.data, parts[shard.device], tolerances[shard.device])
        if len(triples) == len(parts):
            yield triples
    if reference.whole is not None:
        whole, tolerance = reference.whole
        triples = []
        for shard in moment.held:
            place = () if step.manual else tuple(slice(*one) for one in shard.index)
            if len(place) <= whole.ndim:
                triples += _triple(shard.data, whole[place], tolerance[place])
        if triples and len(triples) == len(moment.held) and (step.manual or step.shape == whole.shape):
            yield triples


def _triple(value: NDArray[np.generic] | None, wanted: Floats, tolerance: Floats) -> list[Triple]:
    # An axis of one more or less is a matter of style.
    if value is None or [n for n in value.shape if n != 1] != [n for n in wanted.shape if n != 1]:
        return []
    return [(np.asarray(value, np.float64), wanted, tolerance)]


def _factor(triple: Triple) -> float | None:
    """The whole number, or one over it, that the value is the reference times; not 1."""
    value, wanted, _ = triple
    size = float(wanted @ wanted)
    if not np.isfinite(size) or size == 0:
        return None
    factor = float(value @ wanted) / size
    if factor == 0 or not np.isfinite(factor):
        return None
    near = float(round(factor)) if abs(factor) >= 1 else 1 / round(1 / factor)
    if near == 1 or not 1 / MOST <= abs(near) <= MOST or abs(factor - near) > NEAR * abs(near):
        return None
    return near if _is_times(triple, near) else None


def _rows(value: Floats) -> Floats:
    return value.reshape(value.shape[0] * value.shape[1], *value.shape[2:])


def _says_something(reference: Reference) -> bool:
    return any(pair is not None and bool(np.any(pair[0])) for pair in (reference.parts, reference.whole))
