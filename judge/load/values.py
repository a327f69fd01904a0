"""Inputs that a person wrote, as the values that `solve` is called with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from judge.model.case import Value
from judge.model.problem import ArrayInput, FloatInput, IntInput, IntsInput, Spec


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why an input does not fit: `name` of the input ("" for all), what is wrong, what to do."""

    name: str
    message: str
    remedy: str


def parse_inputs(spec: Spec, given: Mapping[str, Any]) -> tuple[dict[str, Value], list[Unfit]]:
    """The values by name, in call order, and why others do not fit; the values count only where nothing is unfit."""
    unfit = [
        Unfit(name, f"`{name}` is not an input", f"the inputs are {', '.join(spec.inputs)}")
        for name in given
        if name not in spec.inputs
    ]
    values: dict[str, Value] = {}
    for name, described in spec.inputs.items():
        if name not in given:
            unfit.append(Unfit("", f"`{name}` is missing", "give every input"))
            continue
        try:
            values[name] = _value(described, given[name])
        except ValueError as error:
            unfit.append(Unfit(name, f"`{name}` {error}", _wanted(described)))
    if not unfit:
        unfit = _sizes_unfit(spec, values)
    return values, unfit


def _value(described: ArrayInput | FloatInput | IntInput | IntsInput, given: Any) -> Value:
    match described:
        case ArrayInput():
            return _array(described, given)
        case FloatInput():
            if not _is_number(given) or not _is_finite(given):
                raise ValueError(f"is {str(given)[:40]}, not a finite number")
            return float(given)
        case IntInput():
            if not _is_int(given) or given < described.min:
                raise ValueError(f"is {given!r}, not an int of at least {described.min}")
            return int(given)
        case IntsInput():
            if not isinstance(given, list | tuple) or not given or not all(_is_int(one) for one in given):
                raise ValueError(f"is {given!r}, not a list of ints")
            if min(given) < described.min:
                raise ValueError(f"has {min(given)}; each must be at least {described.min}")
            return tuple(int(one) for one in given)


def _array(described: ArrayInput, given: Any) -> Value:
    try:
        raw = np.array(given)
    except ValueError:
        raise ValueError("has rows of different lengths") from None
    kinds = {"b": "b", "i": "iu", "f": "fiu"}[np.dtype(described.dtype).kind]
    if raw.dtype.kind not in kinds and raw.size:
        # NumPy's own names of these would tell nobody anything.
        held = {"U": "text", "O": "null or an object"}.get(raw.dtype.kind, f"{raw.dtype.name} values")
        raise ValueError(f"holds {held}")
    if raw.ndim != len(described.shape):
        raise ValueError(f"has {raw.ndim} axes and not {len(described.shape)}")
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        raise ValueError("holds nan or inf")
    if described.dtype != "bool" and _has_bool(given):
        raise ValueError("holds true or false among its numbers")
    if array_bounds := _bounds(described.dtype):
        low, high = array_bounds
        if raw.size and not (low <= raw.min() and raw.max() <= high):
            raise ValueError(f"holds a number that {described.dtype} has no room for")
    with np.errstate(over="ignore"):
        array = raw.astype(described.dtype)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"holds a number that {described.dtype} has no room for")
    if described.at_least_one and not array.any():
        raise ValueError("has no true element; one at least is needed")
    array.flags.writeable = False
    return array


def _has_bool(given: Any) -> bool:
    return isinstance(given, bool) or (isinstance(given, list | tuple) and any(map(_has_bool, given)))


def _bounds(dtype: str) -> tuple[int, int] | None:
    if np.dtype(dtype).kind != "i":
        return None
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _sizes_unfit(spec: Spec, values: Mapping[str, Value]) -> list[Unfit]:
    sizes: dict[str, int] = {}
    unfit = []
    for name, described in spec.inputs.items():
        if not isinstance(described, ArrayInput):
            continue
        for axis, (extent, size) in enumerate(zip(described.shape, np.shape(values[name]), strict=True)):
            known = extent if isinstance(extent, int) else sizes.setdefault(extent, size)
            if known != size:
                message = f"`{name}` has {size} along axis {axis}, where {extent} is {known}"
                unfit.append(Unfit(name, message, "make the shapes agree"))
    for name, size in sizes.items():
        unfit += [Unfit("", message, remedy) for message, remedy in dim_faults(spec, name, size)]
    for name, described in spec.inputs.items():
        if isinstance(described, IntsInput) and described.sum in sizes:
            total = sum(values[name])  # type: ignore[arg-type]  # an ints input is a tuple of ints
            if total != sizes[described.sum]:
                message = f"`{name}` adds up to {total}, and {described.sum} is {sizes[described.sum]}"
                unfit.append(Unfit(name, message, f"make it add up to {described.sum}"))
    return unfit


def dim_faults(spec: Spec, name: str, size: int) -> list[tuple[str, str]]:
    """(what is wrong, remedy) where a size breaks the rules of its dim."""
    dim = spec.dims.get(name)
    if dim is None:
        # A shape that names an unknown dim is told where the shape stands.
        return []
    if not dim.min <= size <= dim.max:
        return [(f"{name} is {size}", f"choose {dim.min} to {dim.max}")]
    if size % dim.multiple_of:
        return [(f"{name} is {size}", f"choose a multiple of {dim.multiple_of}")]
    return []


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        # An int that no float can hold.
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _wanted(described: ArrayInput | FloatInput | IntInput | IntsInput) -> str:
    match described:
        case ArrayInput():
            shape = ", ".join(map(str, described.shape))
            return f"give a {described.dtype} array of shape [{shape}] as nested lists"
        case FloatInput():
            return "give a number"
        case IntInput():
            return f"give an int of at least {described.min}"
        case IntsInput():
            return "give a list of ints"
