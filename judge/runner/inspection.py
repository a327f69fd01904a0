"""Runs a submission once on one input, and tells what every device held at each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax

from judge.runner.answers import Encoder, key_text, wait
from judge.runner.failure import name_of
from judge.runner.hooks import unhook
from judge.runner.live import build
from judge.runner.mesh import MeshContext
from judge.runner.recording import Marks, Recorder
from judge.runner.serve import Reply, Submitted
from judge.runner.tape import Tape
from judge.runner.wire import Buffer


class Inspection(Submitted):
    """Serves `inspect`."""

    def install(self) -> None:
        Marks.install()

    def serve(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        if header["request"] != "inspect":
            raise ValueError(f"unknown request {header['request']!r}")
        return self._inspect(header["inputs"], buffers)

    def _inspect(self, inputs: Sequence[Mapping[str, Any]], buffers: Sequence[Buffer]) -> Reply:
        """With `raised` in place of `answer` where `solve` raises, recorded or not: what came before is told all the same."""
        tape = Tape(self.source.filename, len(jax.devices()))
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
        MeshContext.off()
        arguments = build(inputs, buffers)
        if recorder is not None:
            for given, value in zip(inputs, arguments, strict=True):
                recorder.input(given["name"], value)
        self.mesh.put_back()
        try:
            return self.entry(*arguments) if recorder is None else recorder.run(self.entry, *arguments)
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
            return {"raised": self.told(error)}
        told = self.told(first)
        tape.note(told["line"], f"the run could not be followed any further ({name_of(type(first))})")
        return {"answer": encoder.answer(out), "made": {}}


def _made(recorder: Recorder, out: object) -> dict[str, list[int]]:
    """The steps that made each output."""
    if type(out) is not dict:
        return {}
    return {key_text(key, number): list(recorder.made(value)) for number, (key, value) in enumerate(out.items())}
