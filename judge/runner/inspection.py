"""Runs a submission once on one input, and tells what every device held at each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from judge.runner.answers import Encoder, key_text, wait
from judge.runner.failure import describe, name_of
from judge.runner.hooks import unhook
from judge.runner.live import build
from judge.runner.load import Source, leave, load
from judge.runner.mesh import MeshContext
from judge.runner.recording import Marks, Recorder
from judge.runner.tape import Tape
from judge.runner.wire import Buffer

Reply = tuple[dict[str, Any], list[Buffer]]


class Inspection:
    """Serves `load` and `inspect` for one submission."""

    def __init__(self) -> None:
        self._source = Source(b"", "", [])
        self._entry: Callable[..., Any] | None = None
        self._mesh = MeshContext()

    def handle(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        """The answer to one request of the protocol; an exit of the submission ends the process."""
        try:
            match header["request"]:
                case "load":
                    return self._load(header, buffers)
                case "inspect":
                    return self._inspect(header["inputs"], buffers)
                case unknown:
                    raise ValueError(f"unknown request {unknown!r}")
        except (SystemExit, KeyboardInterrupt) as error:
            leave(error)
        except BaseException as error:
            return {"error": self._told(error)}, []

    def _load(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        content = buffers[0]
        assert isinstance(content, bytes), "a source is bytes"
        Marks.install()
        self._source = Source.of(content, header["filename"])
        self._entry = load(self._source, header["entry"], header["parameters"])
        self._mesh = MeshContext()
        return {"loaded": True}, []

    def _inspect(self, inputs: Sequence[Mapping[str, Any]], buffers: Sequence[Buffer]) -> Reply:
        """With `raised` in place of `answer` where `solve` raises, recorded or not: what came before is told all the same."""
        tape = Tape(self._source.filename, len(jax.devices()))
        recorder = Recorder(tape)
        encoder = Encoder()
        told: dict[str, Any]
        try:
            out = self._called(inputs, buffers, recorder)
            wait(out)
            told = {"answer": encoder.answer(out), "made": _made(recorder, out)}
        except Exception as error:
            told = self._plainly(inputs, buffers, encoder, tape, error)
        return {**told, "trace": tape.encoded(encoder)}, encoder.buffers

    def _called(self, inputs: Sequence[Mapping[str, Any]], buffers: Sequence[Buffer], recorder: Recorder | None) -> Any:
        assert self._entry is not None, "a submission is loaded before it is called"
        MeshContext.off()
        arguments = build(inputs, buffers)
        if recorder is not None:
            for given, value in zip(inputs, arguments, strict=True):
                recorder.input(given["name"], value)
        self._mesh.put_back()
        try:
            return self._entry(*arguments) if recorder is None else recorder.run(self._entry, *arguments)
        finally:
            unhook()

    def _plainly(
        self,
        inputs: Sequence[Mapping[str, Any]],
        buffers: Sequence[Buffer],
        encoder: Encoder,
        tape: Tape,
        first: Exception,
    ) -> dict[str, Any]:
        """Once more without recording: only what raises then, too, is the submission's fault."""
        try:
            out = self._called(inputs, buffers, None)
            wait(out)
        except Exception as error:
            return {"raised": self._told(error)}
        told = self._told(first)
        tape.note(told["line"], f"the run could not be followed any further ({name_of(type(first))})")
        return {"answer": encoder.answer(out), "made": {}}

    def _told(self, error: BaseException) -> dict[str, Any]:
        return describe(error, self._source.filename, self._source.lines)


def _made(recorder: Recorder, out: object) -> dict[str, list[int]]:
    """The steps that made each output."""
    if type(out) is not dict:
        return {}
    return {key_text(key, number): list(recorder.made(value)) for number, (key, value) in enumerate(out.items())}
