"""Turns a submission into a program. Shown shapes, dtypes and static values; never the values of arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import export

from judge.runner.failure import describe
from judge.runner.hooks import unhook
from judge.runner.load import Source, leave, load
from judge.runner.mesh import MeshContext
from judge.runner.stablehlo import PROGRAM_BYTES
from judge.runner.tracing import Helps
from judge.runner.wire import Buffer

Reply = tuple[dict[str, Any], list[Buffer]]

_export = export.export
_jit = jax.jit
_set_mesh = jax.set_mesh


class Export:
    """Serves `load` and `export` for one submission."""

    def __init__(self) -> None:
        self._helps = Helps()
        self._source = Source(b"", "", [])
        self._entry: Callable[..., Any] | None = None
        self._mesh = MeshContext()

    def handle(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        """The answer to one request of the protocol; an exit of the submission ends the process."""
        try:
            match header["request"]:
                case "load":
                    return self._load(header, buffers)
                case "export":
                    return self._export(header["inputs"])
                case unknown:
                    raise ValueError(f"unknown request {unknown!r}")
        except (SystemExit, KeyboardInterrupt) as error:
            leave(error)
        except BaseException as error:
            return {"error": describe(error, self._source.filename, self._source.lines)}, []

    def _load(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        content = buffers[0]
        assert isinstance(content, bytes), "a source is bytes"
        self._helps.install()
        self._source = Source.of(content, header["filename"])
        self._entry = load(self._source, header["entry"], header["parameters"])
        self._mesh = MeshContext()
        return {"loaded": True}, []

    def _export(self, inputs: Sequence[Mapping[str, Any]]) -> Reply:
        floats = {given["name"]: float(given["value"]) for given in inputs if given["type"] == "float"}
        try:
            return {"scalars": {}}, [self._program(inputs, frozenset())]
        except Exception:
            if not floats:
                raise
        # A solution that needs the number itself, to hash it or to branch on it, is exported once a value.
        return {"scalars": floats}, [self._program(inputs, frozenset(floats))]

    def _program(self, inputs: Sequence[Mapping[str, Any]], kept: frozenset[str]) -> bytes:
        assert self._entry is not None, "a submission is loaded before it is exported"
        self._helps.mesh = None
        try:
            blob = self._within(contextlib.nullcontext, inputs, kept)
        except Exception:
            if self._helps.mesh is None:
                raise
        mesh = self._helps.mesh
        # A mesh set under the trace names no devices; set before it, it does.
        return blob if mesh is None else self._within(lambda: _set_mesh(mesh), inputs, kept)

    def _within(self, context: Callable[[], Any], inputs: Sequence[Mapping[str, Any]], kept: frozenset[str]) -> bytes:
        function, avals = traceable(self._entry, inputs, kept)
        self._mesh.put_back()
        try:
            with context():
                # CPU is the only platform: a program for others would hold calls that this judge never runs.
                blob = bytes(_export(_jit(function), platforms=("cpu",))(*avals).serialize())
        finally:
            MeshContext.off()
        if len(blob) > PROGRAM_BYTES:
            raise ValueError(f"the program has {len(blob)} bytes; {PROGRAM_BYTES} are allowed")
        return blob


def traceable(
    entry: Any, inputs: Sequence[Mapping[str, Any]], kept: frozenset[str]
) -> tuple[Callable[..., Any], list[jax.ShapeDtypeStruct]]:
    """A function of the arrays and of the floats not in `kept`, in call order, and what to trace it with."""
    plan: list[tuple[bool, Any]] = []
    avals: list[jax.ShapeDtypeStruct] = []
    for given in inputs:
        aval = _aval(given, kept)
        if aval is None:
            plan.append((False, _value(given)))
        else:
            plan.append((True, None))
            avals.append(aval)

    def solve(*traced: Any) -> Any:
        arguments = iter(traced)
        out = entry(*[next(arguments) if is_traced else value for is_traced, value in plan])
        unhook()
        return out

    return solve, avals


def _aval(given: Mapping[str, Any], kept: frozenset[str]) -> jax.ShapeDtypeStruct | None:
    if given["type"] == "array":
        return jax.ShapeDtypeStruct(tuple(given["shape"]), np.dtype(given["dtype"]))
    if given["type"] == "float" and given["name"] not in kept:
        wide = jax.config.read("jax_enable_x64")
        return jax.ShapeDtypeStruct((), np.dtype("float64" if wide else "float32"), weak_type=True)
    return None


def _value(given: Mapping[str, Any]) -> float | int | tuple[int, ...]:
    if given["type"] == "ints":
        return tuple(int(part) for part in given["value"])
    return float(given["value"]) if given["type"] == "float" else int(given["value"])
