"""Reads StableHLO with the bindings that JAX ships, and refuses what a program of a submission has no use for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from judge.runner.groups import Axes, Groups, of_rows, parse
from judge.runner.private import ir, ir_context, sdy

PROGRAM_BYTES = 4 << 20
MAX_DEPTH = 64
MAX_OPERATIONS = 100_000

_DIALECTS = frozenset({"builtin", "func", "stablehlo", "sdy", "chlo"})
_REFUSED = frozenset({"stablehlo.send", "stablehlo.recv", "stablehlo.infeed", "stablehlo.outfeed"})
#: Calls that mark shardings, and numeric kernels of the CPU. Callbacks into Python are calls too: an unknown one is refused.
_CUSTOM_CALLS = re.compile(
    r"Sharding|SPMDFullToShardShape|SPMDShardToFullShape|xla\.sdy\.\w+|annotate_device_placement|AllocateBuffer"
    r"|lapack_\w+|(dynamic_)?ducc_fft|TopK|mhlo\.\w+|ApproxTopK|stablehlo\.dynamic_(top_k|approx_top_k)|cpu_threefry2x32\w*"
    r"|Qr|Eigh|LuDecomposition|ProductOfElementaryHouseholderReflectors"
)


class Unreadable(Exception):
    """The module is no program that this judge runs; the message says why."""


def read(parse: Callable[[], Any], *, to_run: bool) -> Any:
    """The module that `parse` makes in the context of this process, checked by `check`.

    Raises:
        Unreadable: it does not parse, or is refused.
    """
    with ir_context():
        try:
            module = parse()
        except Exception as error:
            raise Unreadable(f"the program does not parse: {str(error)[:200]}") from None
    check(module, to_run=to_run)
    return module


def parsed(content: bytes | str) -> Callable[[], Any]:
    """For `read`: a module in text or bytecode."""
    return lambda: ir.Module.parse(content)


def check(module: Any, *, to_run: bool) -> None:
    """Bounds on size and depth, and for a program that is to run, lists of allowed operations.

    Raises:
        Unreadable: something is outside them.
    """
    for count, (operation, depth) in enumerate(walk(module.operation)):
        if count > MAX_OPERATIONS or depth > MAX_DEPTH:
            raise Unreadable("the program is too large or too deeply nested")
        if to_run:
            _refuse_operation(operation)
    _refuse_recursion(module)


def _refuse_operation(operation: Any) -> None:
    name = operation.name
    if name in _REFUSED or name.split(".")[0] not in _DIALECTS:
        raise Unreadable(f"the program holds {name[:80]}, which may not run here")
    if name == "stablehlo.custom_call":
        target = ir.StringAttr(operation.attributes["call_target_name"]).value
        if not _CUSTOM_CALLS.fullmatch(target):
            raise Unreadable(f"the program calls {target[:80]!r}, which may not run here")


def walk(operation: Any) -> Iterator[tuple[Any, int]]:
    """Every operation below and including the given one, with its depth of nesting."""
    pending = [(operation, 0)]
    while pending:
        current, depth = pending.pop()
        yield current, depth
        for region in current.regions:
            for block in region.blocks:
                pending.extend((inner.operation, depth + 1) for inner in block.operations)


def functions(module: Any) -> dict[str, Any]:
    """Functions by name."""
    return {
        ir.StringAttr(top.operation.attributes["sym_name"]).value: top.operation
        for top in module.body.operations
        if top.operation.name == "func.func"
    }


def callee(operation: Any) -> str | None:
    """The function that an operation calls."""
    for name in ("callee", "decomposition"):
        if name in operation.attributes:
            return str(ir.FlatSymbolRefAttr(operation.attributes[name]).value)
    return None


def _refuse_recursion(module: Any) -> None:
    known = functions(module)
    calls = {
        name: {called for inner, _ in walk(function) if (called := callee(inner)) is not None}
        for name, function in known.items()
    }
    waiting = dict(calls)
    while waiting:
        leaves = [name for name, called in waiting.items() if not called & waiting.keys()]
        if not leaves:
            raise Unreadable("the program calls itself")
        for name in leaves:
            del waiting[name]


def meshes(module: Any) -> dict[str, Axes]:
    """Axes of each mesh by name; those that renumber the devices are left out."""
    found: dict[str, Axes] = {}
    for top in module.body.operations:
        operation = top.operation
        if operation.name == "sdy.mesh":
            mesh = sdy.MeshAttr(operation.attributes["mesh"])
            if not list(mesh.device_ids):
                axes = [sdy.MeshAxisAttr(axis) for axis in mesh.axes]
                found[ir.StringAttr(operation.attributes["sym_name"]).value] = tuple((a.name, a.size) for a in axes)
    return found


def device_count(module: Any) -> int:
    """Devices that a module is compiled for."""
    count = 1
    for name in ("mhlo.num_partitions", "mhlo.num_replicas"):
        if name in module.operation.attributes:
            count *= max(1, int(ir.IntegerAttr(module.operation.attributes[name]).value))
    return count


def parts(sharding: Any, known: dict[str, Axes]) -> tuple[int, ...]:
    """In how many parts a sharding of Shardy divides each axis; 1 where the mesh is unknown."""
    tensor = sdy.TensorShardingAttr(sharding)
    sizes = dict(_axes_of(tensor.mesh_or_ref, known))
    result = []
    for dimension in tensor.dimension_shardings:
        count = 1
        for axis in sdy.DimensionShardingAttr(dimension).axes:
            reference = sdy.AxisRefAttr(axis)
            part = reference.sub_axis_info
            count *= sdy.SubAxisInfoAttr(part).size if part is not None else sizes.get(reference.name, 1)
        result.append(count)
    return tuple(result)


def _axes_of(mesh: Any, known: dict[str, Axes]) -> Axes:
    if sdy.MeshAttr.isinstance(mesh):
        return tuple((a.name, a.size) for a in (sdy.MeshAxisAttr(axis) for axis in sdy.MeshAttr(mesh).axes))
    return known.get(ir.FlatSymbolRefAttr(mesh).value, ())


def replica_groups(operation: Any, known: dict[str, Axes], devices: int) -> Groups:
    """Groups of a collective; the pairs of a permutation; none where they are not written down."""
    for name in ("replica_groups", "source_target_pairs"):
        if name not in operation.attributes:
            continue
        attribute = operation.attributes[name]
        if not isinstance(attribute, ir.DenseIntElementsAttr):
            return parse(str(attribute), known)
        dense = ir.DenseIntElementsAttr(attribute)
        rows, columns = ir.ShapedType(dense.type).shape
        if rows * columns == 0:
            # No groups mean one group of all.
            return (tuple(range(devices)),)
        flat = list(dense)
        return of_rows([flat[row * columns : (row + 1) * columns] for row in range(rows)])
    return ()


def line_of(operation: Any, line_file: str) -> int:
    """The innermost line of the student's file that an operation comes from, 0 where it names none."""
    place = re.search(re.escape(f'"{line_file}":') + r"(\d+)", str(operation.location))
    return int(place[1]) if place else 0


def shape(value: Any) -> tuple[int, ...]:
    """The static shape of a value; () where it has none."""
    kind = value.type
    if not isinstance(kind, ir.RankedTensorType):
        return ()
    return tuple(kind.shape)
