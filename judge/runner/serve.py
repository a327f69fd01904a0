"""What every child does that serves a submission: loads its source, answers requests, tells what failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judge.runner.failure import describe
from judge.runner.load import Source, leave, load
from judge.runner.mesh import MeshContext
from judge.runner.wire import Buffer

Reply = tuple[dict[str, Any], list[Buffer]]


class Submitted:
    """Serves `load` for one submission, and hands every other request to `serve`."""

    def __init__(self) -> None:
        self.source = Source(b"", "", [])
        self.mesh = MeshContext()
        self._entry: Callable[..., Any] | None = None

    @property
    def entry(self) -> Callable[..., Any]:
        assert self._entry is not None, "a submission is loaded before it is asked for anything"
        return self._entry

    def handle(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        """The answer to one request of the protocol; an exit of the submission ends the process."""
        try:
            return self._load(header, buffers) if header["request"] == "load" else self.serve(header, buffers)
        except (SystemExit, KeyboardInterrupt) as error:
            leave(error)
        except BaseException as error:
            return {"error": self.told(error)}, []

    def told(self, error: BaseException) -> dict[str, Any]:
        """`error` of the protocol, with the last line of the submission's own file that it went through."""
        return describe(error, self.source.filename, self.source.lines)

    def install(self) -> None:
        """Put in place what must be there before the submission is imported."""
        raise NotImplementedError

    def serve(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        """The answer to a request that is not `load`; whatever it raises is told as the submission's."""
        raise NotImplementedError

    def _load(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Reply:
        content = buffers[0]
        assert isinstance(content, bytes), "a source is bytes"
        self.install()
        self.source = Source.of(content, header["filename"])
        self._entry = load(self.source, header["entry"], header["parameters"])
        self.mesh = MeshContext()
        return {"loaded": True}, []
