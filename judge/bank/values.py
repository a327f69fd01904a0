"""Values for the array inputs of a case: dense draws of a generator, and what a mask asks for.

A case given by a `rule` is exactly this, in this order, so its numbers can be made again from the YAML alone:

    1. for each array in the order of the YAML: `uniform(min, max) + offset` for floats, whole numbers of the same range for
       ints, `random() < share` for bools;
    2. for each bool with `empty_shards`: the blocks `permutation(devices)[:empty_shards]` of rows become False;
    3. for each bool with `at_least_one` that has no True: one element of the blocks that are not empty becomes True;
    4. for each float with `unmasked`: rows whose mask is False hold `choice(values)`, element by element.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from judge.model.problem import ArrayInput, BoolRange, FloatRange, Spec, Stratum
from judge.oracle.extents import concrete

Arrays = dict[str, NDArray[np.generic]]


def array_inputs(spec: Spec) -> dict[str, ArrayInput]:
    return {name: described for name, described in spec.inputs.items() if isinstance(described, ArrayInput)}


def uniform(spec: Spec, stratum: Stratum, sizes: Mapping[str, int], rng: np.random.Generator) -> Arrays:
    """All four steps: every array input, in its dtype."""
    arrays = dense(spec, stratum, sizes, rng)
    obey_masks(spec, stratum, arrays, rng)
    return arrays


def dense(spec: Spec, stratum: Stratum, sizes: Mapping[str, int], rng: np.random.Generator) -> Arrays:
    """The first three steps."""
    arrays: Arrays = {}
    for name, described in array_inputs(spec).items():
        shape, within = concrete(described.shape, sizes), stratum.ranges[name]
        if isinstance(within, BoolRange):
            arrays[name] = rng.random(shape) < within.share
        elif np.dtype(described.dtype).kind == "f":
            arrays[name] = (rng.uniform(within.min, within.max, shape) + within.offset).astype(described.dtype)
        else:
            whole = rng.integers(math.ceil(within.min), math.floor(within.max), shape, endpoint=True)
            arrays[name] = (whole + round(within.offset)).astype(described.dtype)
    for name, described in array_inputs(spec).items():
        within = stratum.ranges[name]
        if isinstance(within, BoolRange):
            _shape_mask(arrays[name], within, described, spec.devices, rng)
    return arrays


def _shape_mask(
    mask: NDArray[np.generic], within: BoolRange, described: ArrayInput, devices: int, rng: np.random.Generator
) -> None:
    allowed = np.ones(mask.shape, bool)
    if within.empty_shards and mask.ndim:
        rows = mask.shape[0] // devices
        for block in rng.permutation(devices)[: within.empty_shards]:
            allowed[block * rows : (block + 1) * rows] = False
        mask &= allowed  # type: ignore[misc]  # a bool array, by its range
    if described.at_least_one and not mask.any():
        places = np.flatnonzero(allowed)
        mask.reshape(-1)[rng.choice(places)] = True


def obey_masks(spec: Spec, stratum: Stratum, arrays: Arrays, rng: np.random.Generator) -> None:
    """The fourth step, in place."""
    for name in array_inputs(spec):
        within = stratum.ranges[name]
        if isinstance(within, FloatRange) and within.unmasked is not None:
            array, mask = arrays[name], np.asarray(arrays[within.unmasked.mask], bool)
            other = rng.choice(np.array(within.unmasked.values), array.shape).astype(array.dtype)
            arrays[name] = np.where(mask.reshape(mask.shape + (1,) * (array.ndim - mask.ndim)), array, other)
