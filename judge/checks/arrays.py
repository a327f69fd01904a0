"""One whole array from the shards of an output."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from judge.model.outcome import OutputArray


def whole(actual: OutputArray) -> NDArray[np.generic] | None:
    """The array that the shards make together, the first of several copies counting; None where a part is missing."""
    first = actual.shards[0] if actual.shards else None
    if first is None or first.data is None:
        return None
    if first.data.shape == actual.shape:
        return first.data
    if sum(0 if shard.data is None else shard.data.size for shard in actual.shards) < math.prod(actual.shape):
        # A part is missing. The shape is a claim, and could be one that no memory holds.
        return None
    result = np.zeros(actual.shape, first.data.dtype)
    covered = np.zeros(actual.shape, bool)
    for shard in actual.shards:
        if shard.data is None:
            return None
        place = tuple(slice(start, stop) for start, stop in shard.index)
        fresh = ~covered[place]
        result[place] = np.where(fresh, shard.data, result[place])
        covered[place] = True
    return result if covered.all() else None


def spelled(value: object) -> str:
    """A number as a student reads it: six digits for floats."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return f"{float(value):.6g}"  # type: ignore[arg-type]  # what is left is a float of Python or NumPy


def place(index: tuple[int, ...]) -> str:
    """` at [0, 1]`, or nothing for a scalar."""
    return f" at [{', '.join(map(str, index))}]" if index else ""
