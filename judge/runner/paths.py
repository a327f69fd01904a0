"""What a program is: devices, manual regions, collectives, how inputs are split, and the paths from inputs to outputs.

Theory of operation. Every value of the StableHLO carries a set of marks, one for each way in which it depends on an input. A
mark says where that input's rows lie in the value, in how many parts they have been divided on the way in, by a manual
region or by a sharding, and which devices have been joined by reductions since. Operations hand marks on; entering a manual
region through an operand whose local extent is a fraction of the global one divides the rows; an `all_reduce` or
`reduce_scatter` of rows divided over all devices joins its replica groups, and two reductions over the two axes of a mesh
join all of them. Loops are repeated until nothing new is marked; marks only grow and are finite.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from judge.runner import stablehlo
from judge.runner.groups import Groups
from judge.runner.private import ir, sdy
from judge.runner.rows import NOWHERE, Axes, moved
from judge.runner.stablehlo import Unreadable

COLLECTIVES = frozenset(
    {
        "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "collective_permute", "collective_broadcast",
        "sharded_to_unreduced",
    }
)  # fmt: skip
_REDUCTIONS = frozenset({"stablehlo.all_reduce", "stablehlo.reduce_scatter"})
_EACH = frozenset(
    {"stablehlo.all_reduce", "stablehlo.all_gather", "stablehlo.all_to_all", "stablehlo.optimization_barrier"}
)
_ROUNDS = 200
_VISITS = 400_000
_ENTRIES = 2000
_KEY = re.compile(r"""^[^\[]*\[(?:'([^']*)'|"([^"]*)")\]$""")


class Mark(NamedTuple):
    """One way in which a value depends on an input.

    Attributes:
        input: its place among the arguments of the program.
        axes: axes of the value along which the input's rows (its axis 0) lie.
        manual: parts into which manual regions have divided the rows; at most the number of devices.
        auto: the same by shardings.
        joined: for each device the least one that reductions have joined it with; () while each stands alone.
    """

    input: int
    axes: Axes
    manual: int = 1
    auto: int = 1
    joined: tuple[int, ...] = ()


Marks = frozenset[Mark]
NOTHING: Marks = frozenset()


def facts(
    module: Any,
    devices: int,
    line_file: str,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> dict[str, Any]:
    """`facts` of the protocol for a module that `stablehlo.check` has passed.

    `inputs` and `outputs` name arguments and results of `main`; without them, names are those that JAX noted in the module.

    Raises:
        Unreadable: no `main`, or too much to follow.
    """
    main = stablehlo.functions(module).get("main")
    if main is None:
        raise Unreadable("the program has no main function")
    names = list(inputs) if inputs is not None else _argument_names(main)
    reader = _Reader(module, devices, line_file)
    results = reader.run(main)
    ends = list(outputs) if outputs is not None else _result_names(main, len(results))
    if len(names) != len(main.regions[0].blocks[0].arguments) or len(ends) != len(results):
        raise Unreadable("the program has other arguments or results than it says")
    paths = {
        (end, names[mark.input], _split(mark, devices), _spans(mark.joined))
        for end, marks in zip(ends, results, strict=True)
        for mark in marks
    }
    operations = [operation for operation, _ in stablehlo.walk(module.operation)]
    return {
        "devices": devices,
        "manual_regions": sum(operation.name == "sdy.manual_computation" for operation in operations),
        "collectives": _collectives(operations, reader),
        "splits": [
            {"input": names[number], "axis": axis, "parts": parts, "by": by, "line": line}
            for number, axis, parts, by, line in sorted(reader.splits)[:_ENTRIES]
        ],
        "paths": [
            {"output": end, "input": name, "split": split, "reduced": reduced}
            for end, name, split, reduced in sorted(paths)[:_ENTRIES]
        ],
    }


def _split(mark: Mark, devices: int) -> str:
    if devices == 1:
        return "none"
    if mark.manual == devices:
        return "manual"
    return "auto" if mark.auto == devices else "none"


def _spans(joined: tuple[int, ...]) -> bool:
    return bool(joined) and not any(joined)


def _collectives(operations: list[Any], reader: _Reader) -> list[dict[str, Any]]:
    found = []
    for operation in operations:
        op = operation.name.partition(".")[2]
        if op in COLLECTIVES:
            groups = stablehlo.replica_groups(operation, reader.meshes, reader.devices)
            line = reader.lines.get(operation) or stablehlo.line_of(operation, reader.line_file)
            found.append({"op": op, "groups": [list(group) for group in groups], "line": line})
    return sorted(found, key=lambda entry: entry["line"])[:_ENTRIES]


def _argument_names(main: Any) -> list[str]:
    names = []
    for number, argument in enumerate(main.regions[0].blocks[0].arguments):
        noted = re.match(r'loc\("([^"]+)"(?:\(.*\))?\)$', str(argument.location))
        names.append(noted[1] if noted else f"argument {number}")
    return names


def _result_names(main: Any, count: int) -> list[str]:
    names = []
    attributes = list(main.attributes["res_attrs"]) if "res_attrs" in main.attributes else [None] * count
    for number, attribute in enumerate(attributes):
        noted = ""
        if attribute is not None and "jax.result_info" in attribute:
            noted = ir.StringAttr(attribute["jax.result_info"]).value
        key = _KEY.match(noted)
        names.append((key[1] or key[2]) if key else noted or f"result {number}")
    return names


class _Reader:
    """Follows marks through the functions of one module."""

    def __init__(self, module: Any, devices: int, line_file: str) -> None:
        self.devices = devices
        self.line_file = line_file
        self.meshes = stablehlo.meshes(module)
        self.splits: set[tuple[int, int, int, str, int]] = set()
        #: Lines of the collectives that were met.
        self.lines: dict[Any, int] = {}
        self._functions = stablehlo.functions(module)
        self._inputs: list[tuple[int, ...]] = []
        self._calls: dict[tuple[str, tuple[Marks, ...]], list[Marks]] = {}
        self._visits = 0
        # Operations made by JAX itself name no line; the call or the region around them does.
        self._line = 0

    def run(self, main: Any) -> list[Marks]:
        """Marks of each result of `main`."""
        arguments = main.regions[0].blocks[0].arguments
        self._inputs = [stablehlo.shape(argument) for argument in arguments]
        given = [frozenset({Mark(n, frozenset({0}) if shape else NOWHERE)}) for n, shape in enumerate(self._inputs)]
        return self._function(main, given)

    def _function(self, function: Any, given: Sequence[Marks]) -> list[Marks]:
        if not len(function.regions[0].blocks):
            raise Unreadable("a function without a body")
        shardings = list(function.attributes["arg_attrs"]) if "arg_attrs" in function.attributes else []
        marks = [
            self._by_sharding(m, shardings[n]["sdy.sharding"], function)
            if n < len(shardings) and "sdy.sharding" in shardings[n]
            else m
            for n, m in enumerate(given)
        ]
        return self._block(function.regions[0].blocks[0], {}, marks)

    def _block(self, block: Any, around: dict[Any, Marks], given: Sequence[Marks]) -> list[Marks]:
        known = dict(around)
        known.update(zip(block.arguments, given, strict=True))
        for inner in block.operations:
            operation = inner.operation
            self._visits += 1
            if self._visits > _VISITS:
                raise Unreadable("the program takes too long to follow")
            operands = [known.get(value, NOTHING) for value in operation.operands]
            if operation.name.endswith(".return"):
                return operands
            results = self._operation(operation, operands, known)
            known.update(zip(operation.results, results, strict=True))
        return []

    def _operation(self, operation: Any, operands: list[Marks], known: dict[Any, Marks]) -> list[Marks]:
        name = operation.name
        if name in ("func.call", "stablehlo.composite"):
            return self._call(operation, operands)
        if name in ("sdy.manual_computation", "sdy.named_computation"):
            block = operation.regions[0].blocks[0]
            entered = [
                self._enter(marks, operand, argument, operation)
                for marks, operand, argument in zip(operands, operation.operands, block.arguments, strict=True)
            ]
            with self._within(operation):
                return self._block(block, known, entered)
        if name == "stablehlo.while":
            return self._loop(operation, operands, known)
        if name in ("stablehlo.case", "stablehlo.if"):
            chosen = _everywhere(operands[0])
            branches = [self._block(region.blocks[0], known, []) for region in operation.regions]
            return [chosen.union(*marks) for marks in zip(*branches, strict=True)]
        return self._plain(operation, operands)

    def _call(self, operation: Any, operands: list[Marks]) -> list[Marks]:
        name = stablehlo.callee(operation)
        if name is None or name not in self._functions:
            raise Unreadable("a call of a function that is not there")
        key = (name, tuple(operands))
        if key not in self._calls:
            with self._within(operation):
                self._calls[key] = self._function(self._functions[name], operands)
        return self._calls[key]

    def _loop(self, operation: Any, operands: list[Marks], known: dict[Any, Marks]) -> list[Marks]:
        condition, body = (region.blocks[0] for region in operation.regions)
        carried = operands
        for _ in range(_ROUNDS):
            decided = _everywhere(frozenset().union(*self._block(condition, known, carried)))
            after = self._block(body, known, carried)
            joined = [old | new | decided for old, new in zip(carried, after, strict=True)]
            if joined == carried:
                return carried
            carried = joined
        raise Unreadable("a loop of the program takes too long to follow")

    def _plain(self, operation: Any, operands: list[Marks]) -> list[Marks]:
        if operation.name.partition(".")[2] in COLLECTIVES:
            self.lines[operation] = self._line_of(operation)
        results: list[Marks] = []
        each = operation.name in _EACH and len(operation.operands) == len(operation.results)
        for number, result in enumerate(operation.results):
            marks = {
                mark._replace(axes=moved(operation, n, mark.axes, result))
                for n, given in enumerate(operands)
                if not each or n == number
                for mark in given
            }
            results.append(frozenset(marks))
        if operation.name == "stablehlo.concatenate":
            results = [self._stacked(operation, operands, results[0])]
        if operation.name in _REDUCTIONS:
            groups = stablehlo.replica_groups(operation, self.meshes, self.devices)
            results = [frozenset(self._reduced(mark, groups) for mark in marks) for marks in results]
        return self._sharded(operation, results)

    def _sharded(self, operation: Any, results: list[Marks]) -> list[Marks]:
        """Divide the results as the sharding of the operation says, where it has one."""
        if operation.name in ("sdy.sharding_constraint", "sdy.reshard"):
            return [self._by_sharding(results[0], operation.attributes["sharding"], operation)]
        if "sdy.sharding" in operation.attributes:
            attribute = operation.attributes["sdy.sharding"]
            if sdy.TensorShardingPerValueAttr.isinstance(attribute):
                shardings = list(sdy.TensorShardingPerValueAttr(attribute).shardings)
                # A call without results has a sharding all the same.
                return [self._by_sharding(m, s, operation) for m, s in zip(results, shardings, strict=False)]
        return results

    def _by_sharding(self, marks: Marks, sharding: Any, operation: Any) -> Marks:
        if not sdy.TensorShardingAttr.isinstance(sharding):
            return marks
        parts = stablehlo.parts(sharding, self.meshes)
        return frozenset(self._divide(mark, parts, "auto", operation) for mark in marks)

    def _enter(self, marks: Marks, operand: Any, argument: Any, operation: Any) -> Marks:
        before, after = stablehlo.shape(operand), stablehlo.shape(argument)
        if len(before) != len(after):
            raise Unreadable("a manual region changes the rank of an operand")
        parts = tuple(a // b if b > 0 and a % b == 0 else 1 for a, b in zip(before, after, strict=True))
        return frozenset(self._divide(mark, parts, "manual", operation) for mark in marks)

    def _divide(self, mark: Mark, parts: tuple[int, ...], by: str, operation: Any) -> Mark:
        rows = 1
        for axis, count in enumerate(parts):
            if axis in mark.axes:
                rows *= count
            elif count > 1 and mark.axes == {0} and len(parts) == len(self._inputs[mark.input]):
                self.splits.add((mark.input, axis, count, by, self._line_of(operation)))
        if rows == 1:
            return mark
        if by == "auto":
            divided = mark._replace(auto=max(mark.auto, rows))
            parts_now = divided.auto
        else:
            divided = mark._replace(manual=min(mark.manual * rows, self.devices))
            parts_now = divided.manual
        self.splits.add((mark.input, 0, parts_now, by, self._line_of(operation)))
        return divided

    def _reduced(self, mark: Mark, groups: Groups) -> Mark:
        if mark.manual != self.devices:
            return mark
        return mark._replace(joined=join(mark.joined or tuple(range(self.devices)), groups))

    def _stacked(self, operation: Any, operands: list[Marks], marks: Marks) -> Marks:
        """Slices of one input laid one after the other have its rows along that axis too; copies of it do not."""
        axis = int(ir.IntegerAttr(operation.attributes["dimension"]).value)
        held: list[int] = []
        for given, operand in zip(operands, operation.operands, strict=True):
            extents = stablehlo.shape(operand)
            slices = {
                mark.input
                for mark in given
                if mark.axes and math.prod(extents[a] for a in mark.axes) < self._inputs[mark.input][0]
            }
            held.extend(slices)
        several = {number for number in held if held.count(number) > 1}
        return frozenset(
            mark._replace(axes=mark.axes | {axis}) if mark.input in several and mark.axes else mark for mark in marks
        )

    @contextlib.contextmanager
    def _within(self, operation: Any) -> Iterator[None]:
        before, self._line = self._line, self._line_of(operation)
        yield
        self._line = before

    def _line_of(self, operation: Any) -> int:
        return stablehlo.line_of(operation, self.line_file) or self._line


def join(labels: tuple[int, ...], groups: Groups) -> tuple[int, ...]:
    """Labels after the devices of each group have been joined: the least device of each connected set."""
    current = list(labels)
    for group in groups:
        reached = {current[device] for device in group if device < len(current)}
        if len(reached) > 1:
            least = min(reached)
            current = [least if label in reached else label for label in current]
    return tuple(current)


def _everywhere(marks: Marks) -> Marks:
    """Marks of a decision: what it decides depends on the input, but holds none of its rows."""
    return frozenset(mark._replace(axes=NOWHERE) for mark in marks)
