"""Turns a submission into a program. Shown shapes, dtypes and static values; never the values of arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import export

from judge.runner.hooks import unhook
from judge.runner.mesh import MeshContext
from judge.runner.serve import Reply, Submitted
from judge.runner.stablehlo import PROGRAM_BYTES
from judge.runner.tracing import Helps
from judge.runner.wire import Buffer

_export = export.export
_jit = jax.jit
_set_mesh = jax.set_mesh


class Export(Submitted):
    """Serves `export`."""

    def __init__(self) -> None:
        super().__init__()
        self._helps = Helps()

    def install(self) -> None:
        self._helps.install()

    def serve(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:  # noqa: ARG002  no buffers go with it
        if header["request"] != "export":
            raise ValueError(f"unknown request {header['request']!r}")
        return self._export(header["inputs"])

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
        function, avals = traceable(self.entry, inputs, kept)
        self.mesh.put_back()
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
