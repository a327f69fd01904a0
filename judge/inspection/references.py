"""Values of the oracle by name, and whether a step of a trace holds one of them.

The oracle's `intermediates` are given device by device; the outputs are whole. A step inside a manual region holds a value a
device: it is compared part by part, or each part with the whole. A step outside holds one array, in shards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judge.model.trace import Moment, Step

Floats = NDArray[np.float64]
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
    """A step holds `factor` times a reference; 1 is the reference itself."""

    reference: Reference
    factor: float

    @property
    def right(self) -> bool:
        """Whether the value is one that the oracle itself has."""
        return self.factor == 1 and not self.reference.derived

    def __str__(self) -> str:
        if self.factor == 1:
            return f"the reference's {self.reference.name}"
        if abs(self.factor) > 1:
            return f"{self.factor:g} times the reference's {self.reference.name}"
        return (
            f"{'-' if self.factor < 0 else ''}1/{abs(round(1 / self.factor))} of the reference's {self.reference.name}"
        )


def references(
    intermediates: Mapping[str, tuple[Floats, Floats]], expected: Mapping[str, tuple[Floats, Floats]]
) -> tuple[Reference, ...]:
    """All that is known of a case, what says the most first. Values that are zero throughout say nothing."""
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
    # Whatever has a name of its own is not called a sum of something else.
    known = [one.whole for one in found if one.whole is not None]
    derived = [one for one in derived if not any(_same(one.whole, other) for other in known)]
    return tuple(one for one in (*found, *derived) if _says_something(one))


def match(step: Step, moment: Moment, known: tuple[Reference, ...]) -> Match | None:
    """The first reference that a step holds at a moment; else the first that it holds a multiple of."""
    if step.partial or any(shard.data is None or shard.data.dtype.kind not in "iuf" for shard in moment.held):
        return None
    multiples = []
    for reference in known:
        for pairs in _pairs(step, moment, reference):
            value, wanted, tolerance = (np.concatenate([one[place].ravel() for one in pairs]) for place in range(3))
            if not np.isfinite(value).all():
                continue
            if np.all(np.abs(value - wanted) <= tolerance):
                return Match(reference, 1.0)
            factor = _factor(value, wanted, tolerance)
            if factor is not None:
                multiples.append(Match(reference, factor))
    return multiples[0] if multiples else None


Triple = tuple[Floats, Floats, Floats]


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


def _factor(value: Floats, wanted: Floats, tolerance: Floats) -> float | None:
    """The whole number, or one over it, that `value` is `wanted` times; not 1."""
    size = float(wanted @ wanted)
    if not np.isfinite(size) or size == 0:
        return None
    factor = float(value @ wanted) / size
    if factor == 0 or not np.isfinite(factor):
        return None
    near = float(round(factor)) if abs(factor) >= 1 else 1 / round(1 / factor)
    if near == 1 or not 1 / MOST <= abs(near) <= MOST or abs(factor - near) > NEAR * abs(near):
        return None
    fits = np.abs(value - near * wanted) <= abs(near) * tolerance + NEAR * np.abs(value)
    return near if bool(fits.all()) else None


def _rows(value: Floats) -> Floats:
    return value.reshape(value.shape[0] * value.shape[1], *value.shape[2:])


def _same(one: tuple[Floats, Floats] | None, other: tuple[Floats, Floats]) -> bool:
    return one is not None and one[0].shape == other[0].shape and bool(np.allclose(one[0], other[0]))


def _says_something(reference: Reference) -> bool:
    return any(pair is not None and bool(np.any(pair[0])) for pair in (reference.parts, reference.whole))
