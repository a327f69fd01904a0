"""Where the rows of an input are found after an operation: pure functions on axes and shapes."""

from __future__ import annotations

import math
from typing import Any

from judge.runner.private import hlo, ir
from judge.runner.stablehlo import shape

Axes = frozenset[int]
NOWHERE: Axes = frozenset()

#: Operations that keep every axis in its place, though its extent may change.
_IN_PLACE = frozenset(
    f"stablehlo.{name}"
    for name in (
        "slice", "dynamic_slice", "dynamic_update_slice", "pad", "dynamic_pad", "concatenate", "reverse", "all_gather",
        "all_reduce", "reduce_scatter", "all_to_all", "collective_permute", "collective_broadcast",
    )
)  # fmt: skip


def moved(operation: Any, number: int, axes: Axes, result: Any) -> Axes:
    """The axes of `result` along which the rows lie that lay along `axes` of operand `number`."""
    if not axes:
        return NOWHERE
    before, after = shape(operation.operands[number]), shape(result)
    match operation.name:
        case "stablehlo.transpose":
            order = _ints(operation.attributes["permutation"])
            return frozenset(to for to, source in enumerate(order) if source in axes)
        case "stablehlo.reshape":
            return reshaped(before, after, axes)
        case "stablehlo.broadcast_in_dim":
            places = _ints(operation.attributes["broadcast_dimensions"])
            return frozenset(places[axis] for axis in axes)
        case "stablehlo.reduce":
            gone = _ints(operation.attributes["dimensions"])
            left = [axis for axis in range(len(before)) if axis not in gone]
            return frozenset(left.index(axis) for axis in axes if axis in left)
        case "stablehlo.dot_general":
            return _dot(operation, number, axes, len(before))
        case name if name in _IN_PLACE:
            return axes if len(before) == len(after) else NOWHERE
        case _:
            same = len(before) == len(after)
            return frozenset(axis for axis in axes if same and before[axis] == after[axis])


def reshaped(before: tuple[int, ...], after: tuple[int, ...], axes: Axes) -> Axes:
    """Row axes after a reshape: axes are grouped as far as their products agree, and a group shares its rows."""
    result: set[int] = set()
    left, right = 0, 0
    while left < len(before) or right < len(after):
        start_left, start_right = left, right
        left, right = min(left + 1, len(before)), min(right + 1, len(after))
        while (a := math.prod(before[start_left:left])) != (b := math.prod(after[start_right:right])):
            if a < b and left < len(before):
                left += 1
            elif right < len(after):
                right += 1
            else:
                return NOWHERE
        if any(axis in axes for axis in range(start_left, left)):
            result.update(axis for axis in range(start_right, right) if after[axis] > 1)
    return frozenset(result)


def _dot(operation: Any, number: int, axes: Axes, rank: int) -> Axes:
    numbers = hlo.DotDimensionNumbers(operation.attributes["dot_dimension_numbers"])
    if number == 0:
        batch, contracted = numbers.lhs_batching_dimensions, numbers.lhs_contracting_dimensions
        first = len(batch)
    else:
        batch, contracted = numbers.rhs_batching_dimensions, numbers.rhs_contracting_dimensions
        other = len(shape(operation.operands[0]))
        first = len(batch) + other - len(batch) - len(numbers.lhs_contracting_dimensions)
    batch, contracted = list(batch), list(contracted)
    free = [axis for axis in range(rank) if axis not in batch and axis not in contracted]
    places = {axis: place for place, axis in enumerate(batch)} | {axis: first + n for n, axis in enumerate(free)}
    return frozenset(places[axis] for axis in axes if axis in places)


def _ints(attribute: Any) -> list[int]:
    return [int(value) for value in ir.DenseI64ArrayAttr(attribute)]
