"""The fuzzed cases of a bank: each a cell of (shape, scalar values, stratum) filled by Hypothesis.

Cells are visited in rounds: each round meets every shape with every value of its scalars once, and each meets the strata in turn,
by their weights and from a start of its own, so that few cases already cover both. Within a cell Hypothesis draws sixteen
bytes, which a generator turns into dense values with full mantissas, and a few elements that it puts among them itself:
whole numbers, ends of the range, numbers next to zero. Element by element it would take 20 microseconds each and repeat itself.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from judge.bank.engine import collect
from judge.bank.make import ATTEMPTS, Draft, fault, in_call_order, key, seed_of
from judge.bank.values import array_inputs, dense, obey_masks
from judge.model.case import Case, Dims, Value
from judge.model.problem import ArrayInput, FloatRange, IntInput, Problem, Scalar, Spec
from judge.oracle.extents import concrete, signature

#: At most this many elements of an array are Hypothesis' own, and at most a quarter of it.
OWN_ELEMENTS = 6


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a fuzzed case is drawn."""

    dims: Dims
    scalars: tuple[tuple[str, Scalar], ...]
    stratum: str

    def sizes(self, spec: Spec) -> dict[str, int]:
        whole = {n: int(v) for n, v in self.scalars if isinstance(spec.inputs[n], IntInput) and isinstance(v, int)}
        return {**dict(self.dims), **whole}


def fuzzed(problem: Problem, seed: int, used: set[tuple[object, ...]]) -> list[Draft]:
    """The fuzzed cases of a seed; none is in `used`, to which they are added.

    Raises:
        FaultyFile: the ranges cannot give that many different cases.
    """
    spec = problem.spec
    order = list(itertools.islice(_cells(problem, seed), spec.fuzz.cases))
    drawn = {
        cell: iter(_fill(problem, seed, place, cell, count, used))
        for place, (cell, count) in enumerate(Counter(order).items())
    }
    width = max(3, len(str(len(order))))
    return [
        Draft(f"fuzz-{number:0{width}}", "fuzzed", _category(spec, cell), next(drawn[cell]), cell.stratum)
        for number, cell in enumerate(order, 1)
    ]


def unanswered(problem: Problem, seed: int, used: set[tuple[object, ...]]) -> Iterator[Case]:
    """Two cases of each shape and its scalar values, without expected values, of the first stratum: without an oracle nothing
    tells how much rounding the others must be allowed."""
    spec = problem.spec
    stratum = next(iter(spec.fuzz.strata))
    for place, (dims, scalars) in enumerate(_settings(problem)):
        cell = Cell(dims, scalars, stratum)
        for number, inputs in enumerate(_fill(problem, seed, place, cell, 2, used), 2 * place + 1):
            category = _category(spec, cell)
            yield Case(f"fresh-{number}", "examples", category, signature(spec, inputs), inputs, {}, {}, stratum)


def _cells(problem: Problem, seed: int) -> Iterator[Cell]:
    """Endless rounds over (shape, scalar values), each with its next stratum."""
    spec = problem.spec
    settings = list(_settings(problem))
    # By turns, not side by side: a shape meets each stratum once before it meets the heavier ones again.
    turns = range(max(stratum.weight for stratum in spec.fuzz.strata.values()))
    strata = [name for turn in turns for name, stratum in spec.fuzz.strata.items() if turn < stratum.weight]
    starts = [seed_of(seed, "start") + place for place in range(len(settings))]
    for turn in itertools.count():
        for start, (dims, scalars) in zip(starts, settings, strict=True):
            yield Cell(dims, scalars, strata[(start + turn) % len(strata)])


def _settings(problem: Problem) -> Iterator[tuple[Dims, tuple[tuple[str, Scalar], ...]]]:
    spec = problem.spec
    scalars = [name for name, described in spec.inputs.items() if not isinstance(described, ArrayInput)]
    for place, shape in enumerate(spec.fuzz.shapes, 1):
        missing = [name for name in scalars if not shape.values.get(name)]
        missing += [name for name in spec.dims if name not in shape.dims]
        if missing:
            raise fault(problem, f"fuzz shape {place}", f"it has no `{missing[0]}`", "give each dim and scalar a value")
        dims = tuple((name, shape.dims[name]) for name in spec.dims)
        for values in itertools.product(*(shape.values[name] for name in scalars)):
            yield dims, tuple(zip(scalars, values, strict=True))


def _category(spec: Spec, cell: Cell) -> str:
    sizes = ", ".join(f"{name}={size}" for name, size in cell.dims)
    doc = spec.fuzz.strata[cell.stratum].doc.rstrip(". ") or cell.stratum
    return f"{doc}, {sizes}"


def _fill(
    problem: Problem, seed: int, place: int, cell: Cell, count: int, used: set[tuple[object, ...]]
) -> list[dict[str, Value]]:
    """`count` inputs of `cell`, none of them in `used`, to which they are added."""
    spec, sizes = problem.spec, cell.sizes(problem.spec)
    strategy = _material(spec, spec.fuzz.strata[cell.stratum], sizes)
    found: list[dict[str, Value]] = []
    for attempt in range(ATTEMPTS):
        part = seed_of(seed, place, attempt)
        for material in collect(strategy, count - len(found), part):
            inputs = _inputs(spec, cell, sizes, material, part)
            if key(inputs) not in used:
                used.add(key(inputs))
                found.append(inputs)
        if len(found) == count:
            return found
    raise fault(
        problem,
        f"fuzz stratum {cell.stratum}",
        f"its ranges give fewer than {count} different cases of {dict(cell.dims)}",
        "widen the ranges or ask for fewer cases",
    )


def _material(spec: Spec, stratum: Any, sizes: Mapping[str, int]) -> st.SearchStrategy[tuple[bytes, dict[str, Any]]]:
    """What Hypothesis draws for a case: bytes for the dense part, and (place, value) pairs an array."""
    own: dict[str, st.SearchStrategy[Any]] = {}
    for name, described in array_inputs(spec).items():
        count = int(np.prod(concrete(described.shape, sizes)))
        within = stratum.ranges[name]
        if isinstance(within, FloatRange) and within.min < within.max and np.dtype(described.dtype).kind == "f":
            pairs = st.tuples(st.integers(0, count - 1), _elements(within))
            own[name] = st.lists(pairs, max_size=min(OWN_ELEMENTS, count // 4))
    return st.tuples(st.binary(min_size=16, max_size=16), st.fixed_dictionaries(own))


def _elements(within: FloatRange) -> st.SearchStrategy[float]:
    low, high = np.float32(within.min), np.float32(within.max)
    # The ends as float32 lie inside the range, whichever way they were rounded.
    low = np.nextafter(low, np.float32(np.inf)) if low < within.min else low
    high = np.nextafter(high, np.float32(-np.inf)) if high > within.max else high
    return st.floats(float(low), float(high), width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False)


def _inputs(
    spec: Spec, cell: Cell, sizes: Mapping[str, int], material: tuple[bytes, dict[str, Any]], part: int
) -> dict[str, Value]:
    stratum = spec.fuzz.strata[cell.stratum]
    words = np.frombuffer(material[0], np.uint32)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([part, *map(int, words)])))
    arrays = dense(spec, stratum, sizes, rng)
    for name, pairs in material[1].items():
        offset = stratum.ranges[name].offset  # type: ignore[union-attr]  # floats alone have pairs
        for position, value in pairs:
            arrays[name].reshape(-1)[position] = value + offset
    obey_masks(spec, stratum, arrays, rng)
    return in_call_order(spec, {**dict(cell.scalars), **arrays})
