"""The sizes that the inputs of a case give to the dims of its problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from judge.model.case import Signature, Value
from judge.model.problem import ArrayInput, Extent, FloatInput, IntInput, Spec


def extents(spec: Spec, inputs: Mapping[str, Value]) -> dict[str, int]:
    """Size by dim, and by name of each `int` input.

    Raises:
        ValueError: an array has another number of axes than its shape, or two arrays disagree; with the names.
    """
    sizes = {name: value for name, value in inputs.items() if isinstance(spec.inputs[name], IntInput)}
    found: dict[str, int] = {name: value for name, value in sizes.items() if isinstance(value, int)}
    for name, described in spec.inputs.items():
        if not isinstance(described, ArrayInput):
            continue
        shape = np.shape(inputs[name])
        if len(shape) != len(described.shape):
            raise ValueError(f"`{name}` has {len(shape)} axes; its shape has {len(described.shape)}")
        for extent, size in zip(described.shape, shape, strict=True):
            known = extent if isinstance(extent, int) else found.setdefault(extent, size)
            if known != size:
                raise ValueError(f"`{name}` has {size} where {extent} is {known}")
    return found


def concrete(shape: Sequence[Extent], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape in numbers."""
    return tuple(extent if isinstance(extent, int) else sizes[extent] for extent in shape)


def signature(spec: Spec, inputs: Mapping[str, Value]) -> Signature:
    """The signature of a case with these inputs.

    Raises:
        ValueError: as `extents` does.
    """
    sizes = extents(spec, inputs)
    static = []
    for name, described in spec.inputs.items():
        value = inputs[name]
        if not isinstance(described, ArrayInput | FloatInput):
            assert isinstance(value, int | tuple), "int and ints inputs are Python values"
            static.append((name, value))
    return Signature(tuple((name, sizes[name]) for name in spec.dims if name in sizes), tuple(static))
