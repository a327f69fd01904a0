"""Rules of `problem.yaml` that need more than one of its keys. Each rule is a function that yields faults."""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from judge.errors import Fault
from judge.load.document import Document, KeyPath
from judge.load.values import dim_faults, parse_inputs
from judge.model.problem import (
    ArrayInput,
    BoolRange,
    FloatInput,
    FloatRange,
    IntInput,
    IntsInput,
    PinnedCase,
    Shape,
    Spec,
    Split,
)

MAX_SHAPES = 8
MAX_COMBINATIONS = 4
Found = Iterator[tuple[KeyPath, str, str]]


def inconsistencies(spec: Spec, document: Document) -> list[Fault]:
    """Every fault, each on the line of the key that it is about."""
    rules = (_shapes_name_dims, _cases, _fuzz, _structure, _relations, _points, _few_shapes, _bundle)
    return [document.fault(path, message, remedy) for rule in rules for path, message, remedy in rule(spec)]


def _near(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean `{near[0]}`?" if near else f"choose from {', '.join(names) or 'nothing'}"


def _shapes_name_dims(spec: Spec) -> Found:
    ints = [name for name, one in spec.inputs.items() if isinstance(one, IntInput)]
    for name, given in spec.inputs.items():
        if isinstance(given, ArrayInput):
            yield from _unknown_dims(("inputs", name, "shape"), given.shape, list(spec.dims))
        if isinstance(given, IntsInput) and given.sum is not None and given.sum not in spec.dims:
            yield ("inputs", name, "sum"), f"`{given.sum}` is not a dim", _near(given.sum, spec.dims)
    for key, output in spec.outputs.items():
        yield from _unknown_dims(("outputs", key, "shape"), output.shape, [*spec.dims, *ints])
        if isinstance(output.placement, Split) and output.placement.split >= len(output.shape):
            yield (
                ("outputs", key, "placement"),
                f"`{key}` has no axis {output.placement.split}",
                "split an axis that it has",
            )
    used = {extent for one in spec.inputs.values() if isinstance(one, ArrayInput) for extent in one.shape}
    for name, dim in spec.dims.items():
        if name not in used:
            yield ("dims", name), f"no input has the dim `{name}`", "use it in a shape, or remove it"
        if dim.min > dim.max:
            yield ("dims", name), f"min {dim.min} is above max {dim.max}", "swap them"


def _unknown_dims(path: KeyPath, shape: tuple[Any, ...], known: list[str]) -> Found:
    for extent in shape:
        if isinstance(extent, str) and extent not in known:
            yield path, f"`{extent}` is not a dim", _near(extent, known)


def _cases(spec: Spec) -> Found:
    seen: set[str] = set()
    for place, case in enumerate(spec.cases):
        path: KeyPath = ("cases", place)
        if case.name in seen:
            yield (*path, "name"), f"two cases are named {case.name}", "rename one"
        seen.add(case.name)
        if not case.visible and not case.category:
            yield (
                path,
                f"the hidden case {case.name} has no category",
                "say what kind of case it is, without a number of it",
            )
        if (case.inputs is None) == (case.rule is None):
            yield path, f"case {case.name} needs `inputs` or `rule`, one of them", "give one and only one"
        elif case.rule is not None:
            yield from _shape((*path, "rule"), spec, case.rule.dims)
            if case.rule.stratum not in spec.fuzz.strata:
                remedy = _near(case.rule.stratum, spec.fuzz.strata)
                yield (*path, "rule", "stratum"), f"`{case.rule.stratum}` is not a stratum", remedy
            yield from _scalars((*path, "rule", "values"), spec, {n: (v,) for n, v in case.rule.values.items()})
        else:
            yield from _inputs(path, spec, case)
        yield from _outputs(path, spec, case)
    if not any(case.visible for case in spec.cases):
        yield ("cases",), "no case is visible", "set `visible: true` on the examples of the statement"


def _inputs(path: KeyPath, spec: Spec, case: PinnedCase) -> Found:
    assert case.inputs is not None, "the caller has looked"
    for one in parse_inputs(spec, case.inputs)[1]:
        where = (*path, "inputs", one.name) if one.name else (*path, "inputs")
        yield where, f"case {case.name}: {one.message}", one.remedy


def _outputs(path: KeyPath, spec: Spec, case: PinnedCase) -> Found:
    for key in case.outputs:
        if key not in spec.outputs:
            yield (*path, "outputs", key), f"case {case.name}: `{key}` is not an output", _near(key, spec.outputs)
    for key, output in spec.outputs.items():
        where: KeyPath = (*path, "outputs", key)
        if key not in case.outputs:
            yield (*path, "outputs"), f"case {case.name}: output `{key}` is missing", "add it"
            continue
        try:
            value = np.array(case.outputs[key])
        except ValueError:
            value = np.array("rows of different lengths")
        if value.dtype.kind not in "fiub" or not np.isfinite(value).all():
            yield where, f"case {case.name}: `{key}` is no array of finite numbers", "give nested lists of numbers"
            continue
        if value.ndim != len(output.shape):
            remedy = f"its shape is [{', '.join(map(str, output.shape))}]"
            yield where, f"case {case.name}: `{key}` has {value.ndim} axes", remedy


def _shape(path: KeyPath, spec: Spec, dims: dict[str, int]) -> Found:
    for name in spec.dims:
        if name not in dims:
            yield (*path, "dims"), f"dim `{name}` has no size", "give a size to every dim"
    for name, size in dims.items():
        if name not in spec.dims:
            yield (*path, "dims", name), f"`{name}` is not a dim", _near(name, spec.dims)
        else:
            for message, remedy in dim_faults(spec, name, size):
                yield (*path, "dims", name), message, remedy


def _scalars(path: KeyPath, spec: Spec, values: dict[str, tuple[Any, ...]]) -> Found:
    scalars = {name: one for name, one in spec.inputs.items() if not isinstance(one, ArrayInput)}
    for name in scalars:
        if not values.get(name):
            yield path, f"`{name}` has no value", "give one or two values to every argument that is no array"
    for name, several in values.items():
        if name not in scalars:
            yield (*path, name), f"`{name}` is not an argument without a shape", _near(name, scalars)
            continue
        for value in several:
            if message := _scalar_fault(scalars[name], value):
                yield (*path, name), f"`{name}` has the value {value!r}, {message}", "correct it"


def _scalar_fault(described: FloatInput | IntInput | IntsInput, value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match described:
        case FloatInput():
            return "" if number and math.isfinite(value) else "not a finite number"
        case IntInput(min=least):
            return "" if isinstance(value, int) and value >= least else f"not an int of at least {least}"
        case IntsInput(min=least):
            fine = isinstance(value, tuple) and value and all(one >= least for one in value)
            return "" if fine else f"not a list of ints of at least {least}"


def _fuzz(spec: Spec) -> Found:
    for place, shape in enumerate(spec.fuzz.shapes):
        path: KeyPath = ("fuzz", "shapes", place)
        yield from _shape(path, spec, shape.dims)
        yield from _scalars((*path, "values"), spec, shape.values)
        yield from _sums(path, spec, shape)
        if math.prod(len(values) for values in shape.values.values()) > MAX_COMBINATIONS:
            message = f"its values make more than {MAX_COMBINATIONS} combinations"
            yield (*path, "values"), message, "one or two values a shape are enough: each may cost a compilation"
    arrays = {name: one for name, one in spec.inputs.items() if isinstance(one, ArrayInput)}
    for name, stratum in spec.fuzz.strata.items():
        yield from _ranges(("fuzz", "strata", name, "ranges"), spec, arrays, stratum.ranges)


def _sums(path: KeyPath, spec: Spec, shape: Shape) -> Found:
    for name, described in spec.inputs.items():
        if not isinstance(described, IntsInput) or described.sum not in shape.dims:
            continue
        for value in shape.values.get(name, ()):
            size = shape.dims[described.sum]
            if isinstance(value, tuple) and sum(value) != size:
                message = f"`{name}` adds up to {sum(value)}, and {described.sum} is {size}"
                yield (*path, "values", name), message, f"make it add up to {described.sum}"


def _ranges(
    path: KeyPath, spec: Spec, arrays: dict[str, ArrayInput], ranges: dict[str, FloatRange | BoolRange]
) -> Found:
    for name in arrays:
        if name not in ranges:
            yield path, f"`{name}` has no range", "give a range to every array"
    for name, within in ranges.items():
        where: KeyPath = (*path, name)
        if name not in arrays:
            yield where, f"`{name}` is not an array", _near(name, arrays)
            continue
        wants_bool = arrays[name].dtype == "bool"
        if wants_bool != isinstance(within, BoolRange):
            remedy = "give `share`" if wants_bool else "give `min` and `max`"
            yield where, f"`{name}` is {arrays[name].dtype}", remedy
        elif isinstance(within, FloatRange):
            if within.min > within.max:
                yield where, f"min {within.min:g} is above max {within.max:g}", "swap them"
            if within.unmasked is not None:
                mask = arrays.get(within.unmasked.mask)
                if mask is None or mask.dtype != "bool" or mask.shape[:1] != arrays[name].shape[:1]:
                    remedy = "name a bool input with the same rows"
                    yield (
                        (*where, "unmasked", "mask"),
                        f"`{within.unmasked.mask}` does not mask the rows of `{name}`",
                        remedy,
                    )
        elif within.empty_shards >= spec.devices:
            yield where, f"{within.empty_shards} of {spec.devices} shards are empty", "leave one that is not"


def _structure(spec: Spec) -> Found:
    for name, rule in (("split", spec.structure.split), ("reduce", spec.structure.reduce)):
        for one in rule.inputs if rule is not None else ():
            if not isinstance(spec.inputs.get(one), ArrayInput):
                yield ("structure", name, "inputs"), f"`{one}` is not an array input", _near(one, spec.inputs)
    for one in spec.structure.split.inputs if spec.structure.split is not None else ():
        given = spec.inputs.get(one)
        rows = given.shape[0] if isinstance(given, ArrayInput) and given.shape else None
        if isinstance(rows, str) and rows in spec.dims and spec.dims[rows].multiple_of % spec.devices:
            message = f"{rows} is a multiple of {spec.dims[rows].multiple_of}, and `{one}` is split over {spec.devices} devices"
            yield ("dims", rows), message, f"set `multiple_of: {spec.devices}`"
    for one in spec.structure.reduce.outputs if spec.structure.reduce is not None else ():
        if one not in spec.outputs:
            yield ("structure", "reduce", "outputs"), f"`{one}` is not an output", _near(one, spec.outputs)


def _relations(spec: Spec) -> Found:
    for place, relation in enumerate(spec.relations):
        path: KeyPath = ("relations", place)
        for name in relation.inputs:
            if name not in spec.inputs:
                yield (*path, "inputs"), f"`{name}` is not an input", _near(name, spec.inputs)
        for output, name in relation.outputs.items():
            if output not in spec.outputs:
                yield (*path, "outputs"), f"`{output}` is not an output", _near(output, spec.outputs)
            if name not in spec.inputs:
                yield (*path, "outputs"), f"`{name}` is not an input", _near(name, spec.inputs)
        if relation.scalar is not None and not isinstance(spec.inputs.get(relation.scalar), FloatInput):
            yield (*path, "scalar"), f"`{relation.scalar}` is not a float input", _near(relation.scalar, spec.inputs)
        if relation.mask is not None and relation.mask not in spec.inputs:
            yield (*path, "mask"), f"`{relation.mask}` is not an input", _near(relation.mask, spec.inputs)
        needs = {"zero_lr": "scalar", "linear_in_lr": "scalar", "sum_of_masks": "mask"}.get(relation.name, "inputs")
        if not getattr(relation, needs):
            yield path, f"{relation.name} needs `{needs}`", "add it"


def _points(spec: Spec) -> Found:
    points = spec.points
    if sum(points.model_dump().values()) <= 0:
        yield ("points",), "there are no points", "give some to a group"
    if points.structure and spec.structure.demands_nothing:
        yield ("points", "structure"), "points for a structure that nothing asks for", "set it to 0, or add `structure`"
    if points.placement and all(output.placement == "any" for output in spec.outputs.values()):
        yield (
            ("points", "placement"),
            "points for a placement that is always right",
            "set it to 0, or add a `placement`",
        )
    if points.hidden and all(case.visible for case in spec.cases):
        yield ("points", "hidden"), "points for hidden cases, and there are none", "set it to 0, or add a hidden case"


def _bundle(spec: Spec) -> Found:
    student = spec.bundle == "student"
    for place, case in enumerate(spec.cases):
        path: KeyPath = ("cases", place)
        if student and not case.visible:
            yield path, f"a student's bundle has the hidden case {case.name}", "write it again: judge bundle student"
        if case.within is None and student and spec.oracle == "private":
            yield (
                path,
                f"case {case.name} has no `within`, and there is no oracle",
                "write it again: judge bundle student",
            )
        if case.within is not None and not (student and spec.oracle == "private"):
            yield (*path, "within"), f"case {case.name} has a tolerance of its own", "remove `within`: the oracle tells"


def _few_shapes(spec: Spec) -> Found:
    shapes = {tuple(sorted(shape.dims.items())) for shape in spec.fuzz.shapes}
    for case in spec.cases:
        if case.rule is not None:
            shapes.add(tuple(sorted(case.rule.dims.items())))
        elif case.inputs is not None:
            sizes: dict[str, int] = {}
            for name, one in spec.inputs.items():
                if isinstance(one, ArrayInput):
                    sizes.update(_named_sizes(one, case.inputs.get(name)))
            shapes.add(tuple(sorted(sizes.items())))
    if len(shapes) > MAX_SHAPES:
        message = f"the cases have {len(shapes)} shapes; {MAX_SHAPES} are allowed"
        yield ("fuzz", "shapes"), message, "let cases share shapes: each costs every submission a compilation"


def _named_sizes(described: ArrayInput, value: Any) -> Iterator[tuple[str, int]]:
    for extent in described.shape:
        if not isinstance(value, list):
            return
        if isinstance(extent, str):
            yield extent, len(value)
        value = next(iter(itertools.islice(value, 1)), None)
