"""Reads and runs exported programs. No student code enters this process, but the programs are the student's all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import export
from numpy.typing import NDArray

from judge.runner.answers import describe_tree, parts_of, spans, to_numpy
from judge.runner.failure import describe
from judge.runner.paths import facts
from judge.runner.stablehlo import PROGRAM_BYTES, Unreadable, device_count, parsed, read
from judge.runner.wire import DTYPES, Buffer

Reply = tuple[dict[str, Any], list[Buffer]]

RESULTS = 64


@dataclass(frozen=True, slots=True)
class Prepared:
    """A compiled program, and what its results are called: (key, leaf or name of another type)."""

    run: Any
    avals: tuple[Any, ...]
    type: str
    entries: list[tuple[str, int | str]]


class Program:
    """Serves `prepare`, `run` and `facts`."""

    def __init__(self) -> None:
        # A program that was made with 64-bit types must keep them here; every argument has its dtype spelled out.
        jax.config.update("jax_enable_x64", True)
        self._prepared: dict[int, Prepared] = {}

    def handle(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        """The answer to one request of the protocol."""
        try:
            match header["request"]:
                case "prepare":
                    return self._prepare(header, _content(buffers)), []
                case "run":
                    return self._run(self._prepared[header["program"]], header["cases"], buffers)
                case "facts":
                    return _module_facts(header, _content(buffers)), []
                case unknown:
                    raise ValueError(f"unknown request {unknown!r}")
        except Exception as error:
            return {"error": describe(error, "", [])}, []

    def _prepare(self, header: Mapping[str, Any], content: bytes) -> dict[str, Any]:
        exported = export.deserialize(bytearray(content))
        avals = tuple(exported.in_avals)
        left_out = {*header["scalars"], *header["static"]}
        names = [name for name in header["inputs"] if name not in left_out]
        _refuse_odd(exported, names)
        kept = sorted(exported.module_kept_var_idx)
        kind, entries = describe_tree(exported.out_tree)
        found = facts(
            read(lambda: exported.mlir_module(serialized=False), to_run=True),
            exported.nr_devices,
            header["line_file"],
            inputs=[names[number] for number in kept],
            outputs=_leaf_names(entries, len(exported.out_avals)),
        )
        run = _compile(exported, avals)
        self._prepared[header["program"]] = Prepared(run, avals, kind, entries)
        return {"facts": found}

    def _run(self, program: Prepared, cases: int, buffers: Sequence[Buffer]) -> Reply:
        if len(buffers) != len(program.avals):
            raise Unreadable(f"the program takes {len(program.avals)} arguments, not {len(buffers)}")
        stacked = [_argument(buffer, aval, cases) for buffer, aval in zip(buffers, program.avals, strict=True)]
        # Dispatched at once, so that the devices work on while results are copied.
        results = [jax.tree.leaves(program.run(*[buffer[case] for buffer in stacked])) for case in range(cases)]
        return _layout(program, results)


def _content(buffers: Sequence[Buffer]) -> bytes:
    content = buffers[0]
    assert isinstance(content, bytes), "a program is bytes"
    if len(content) > PROGRAM_BYTES:
        raise Unreadable(f"a program of {len(content)} bytes; {PROGRAM_BYTES} are allowed")
    return content


def _argument(buffer: Buffer, aval: Any, cases: int) -> NDArray[np.generic]:
    assert not isinstance(buffer, bytes), "an argument is an array"
    if aval.shape == () and aval.dtype in (np.float32, np.float64):
        # A Python float arrives whole, and is rounded as the weakly typed scalar that it was traced as.
        buffer = buffer.astype(aval.dtype)
    if buffer.shape != (cases, *aval.shape) or buffer.dtype != aval.dtype:
        raise Unreadable(
            f"the program takes {aval.dtype}{list(aval.shape)}, not {buffer.dtype}{list(buffer.shape[1:])}"
        )
    return buffer


def _refuse_odd(exported: Any, names: Sequence[str]) -> None:
    if not 1 <= exported.nr_devices <= jax.device_count():
        raise Unreadable(f"a program for {exported.nr_devices} devices; there are {jax.device_count()}")
    if len(exported.in_avals) != len(names):
        raise Unreadable(f"the program takes {len(exported.in_avals)} arguments, not {len(names)}")
    if len(exported.out_avals) > RESULTS:
        raise Unreadable(f"a program with {len(exported.out_avals)} results; {RESULTS} are allowed")
    if not {0, *exported.module_kept_var_idx} <= {0, *range(len(names))}:
        raise Unreadable("the program names arguments that it does not take")
    if tuple(exported.platforms) != ("cpu",):
        raise Unreadable("a program for other devices than CPUs")


def _compile(exported: Any, avals: Sequence[Any]) -> Any:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[: exported.nr_devices]), ("all",))
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type) for aval in avals]
    return jax.jit(exported.call, in_shardings=everywhere).lower(*shapes).compile()


def _leaf_names(entries: Sequence[tuple[str, int | str]], count: int) -> list[str]:
    names = [f"result {number}" for number in range(count)]
    for key, leaf in entries:
        if isinstance(leaf, int) and leaf < count:
            names[leaf] = key
    return names


def _layout(program: Prepared, results: list[list[Any]]) -> Reply:
    outputs: list[dict[str, Any]] = []
    buffers: list[Buffer] = []
    for key, leaf in program.entries:
        if isinstance(leaf, str):
            outputs.append({"key": key, "kind": leaf, "dtype": "", "shape": [], "shards": []})
            continue
        arrays = [result[leaf] for result in results]
        first = arrays[0]
        shards: list[dict[str, Any]] = []
        if first.dtype.name in DTYPES:
            # Results of one program have one sharding; the parts of an array come in the order of its shards.
            shards = [
                {"device": int(shard.device.id), "index": spans(shard.index, first.shape)}
                for shard in first.addressable_shards
            ]
            columns = zip(*(parts_of(array) for array in arrays), strict=True)
            buffers.extend(np.stack([to_numpy(part)[0] for part in column]) for column in columns)
        outputs.append(
            {"key": key, "kind": "jax", "dtype": first.dtype.name, "shape": list(first.shape), "shards": shards}
        )
    return {"layout": {"type": program.type, "outputs": outputs}}, buffers


def _module_facts(header: Mapping[str, Any], content: bytes) -> dict[str, Any]:
    module = read(parsed(content), to_run=False)
    devices = device_count(module)
    if devices > header["devices"]:
        raise Unreadable(f"a module for {devices} devices; there are {header['devices']}")
    return {"facts": facts(module, devices, header["line_file"])}
