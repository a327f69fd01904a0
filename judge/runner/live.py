"""Loads a submission and calls it: what the student did, as the student's process tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax

from judge.runner.answers import Encoder, wait
from judge.runner.hooks import unhook
from judge.runner.mesh import MeshContext
from judge.runner.modules import CompiledModules
from judge.runner.serve import Reply, Submitted
from judge.runner.wire import Buffer

_put = jax.device_put


class Live(Submitted):
    """Serves `call` and `modules`; of a solution of the problem's own `record` and `executables` too."""

    def __init__(self) -> None:
        super().__init__()
        self._modules = CompiledModules()

    def install(self) -> None:
        self._modules.install()

    def serve(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        match header["request"]:
            case "call":
                return self._call(header, buffers)
            case "modules":
                kept = self._modules.bounded()
                return {"modules": len(kept)}, list(kept)
            case "record":
                self._modules.recording = True
                return {"recording": True}, []
            case "executables":
                found = self._modules.recorded()
                return {"keys": [key.hex() for key in found]}, list(found.values())
            case unknown:
                raise ValueError(f"unknown request {unknown!r}")

    def _call(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        MeshContext.off()
        arguments = build(header["inputs"], buffers)
        self.mesh.put_back()
        out = self.entry(*arguments)
        unhook()
        wait(out)
        encoder = Encoder()
        # Not bound to a name: a frame that holds it would look to a curious submission like something worth finding.
        return {"answer": encoder.answer(out)}, encoder.buffers


def build(inputs: Sequence[Mapping[str, Any]], buffers: Sequence[Buffer]) -> list[Any]:
    """Fresh arguments in call order. Arrays are uncommitted copies on the default device: a submission may donate them."""
    arrays = iter(buffers)
    arguments: list[Any] = []
    for given in inputs:
        match given["type"]:
            case "array":
                # Nothing is compiled for it, as `jnp.array` would for every new shape.
                arguments.append(_put(next(arrays), may_alias=False))
            case "ints":
                arguments.append(tuple(given["value"]))
            case "float":
                arguments.append(float(given["value"]))
            case _:
                arguments.append(int(given["value"]))
    return arguments
