"""Loads a submission and calls it: what the student did, as the student's process tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp

from judge.runner.answers import Encoder, wait
from judge.runner.failure import describe
from judge.runner.hooks import unhook
from judge.runner.load import Source, leave, load
from judge.runner.mesh import MeshContext
from judge.runner.modules import CompiledModules
from judge.runner.wire import Buffer

Reply = tuple[dict[str, Any], list[Buffer]]

_array = jnp.array


class Live:
    """Serves `load`, `call` and `modules` for one submission."""

    def __init__(self) -> None:
        self._modules = CompiledModules()
        self._source = Source(b"", "", [])
        self._entry: Callable[..., Any] | None = None
        self._mesh = MeshContext()

    def handle(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        """The answer to one request of the protocol; an exit of the submission ends the process."""
        try:
            match header["request"]:
                case "load":
                    return self._load(header, buffers)
                case "call":
                    return self._call(header, buffers)
                case "modules":
                    kept = self._modules.bounded()
                    return {"modules": len(kept)}, list(kept)
                case unknown:
                    raise ValueError(f"unknown request {unknown!r}")
        except (SystemExit, KeyboardInterrupt) as error:
            leave(error)
        except BaseException as error:
            return {"error": describe(error, self._source.filename, self._source.lines)}, []

    def _load(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        content = buffers[0]
        assert isinstance(content, bytes), "a source is bytes"
        self._modules.install()
        self._source = Source.of(content, header["filename"])
        self._entry = load(self._source, header["entry"], header["parameters"])
        self._mesh = MeshContext()
        return {"loaded": True}, []

    def _call(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        assert self._entry is not None, "a submission is loaded before it is called"
        MeshContext.off()
        arguments = build(header["inputs"], buffers)
        self._mesh.put_back()
        out = self._entry(*arguments)
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
                arguments.append(_array(next(arrays)))
            case "ints":
                arguments.append(tuple(given["value"]))
            case "float":
                arguments.append(float(given["value"]))
            case _:
                arguments.append(int(given["value"]))
    return arguments
