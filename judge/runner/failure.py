"""What an exception of the student's becomes on the wire.

No traceback is formatted here: `linecache` opens whatever file a frame names, and the student chooses that name. The text
of a line comes from the source bytes that this process was given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any

MESSAGE_CHARS = 2000
NAME_CHARS = 200
TEXT_CHARS = 300
FRAMES = 20_000

# JAX's messages name the file that asked for a trace, which is ours; where it lies is nobody's business.
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
_TYPE_NAME = type.__dict__["__name__"].__get__
_TRACEBACK = BaseException.__dict__["__traceback__"].__get__


class LoadError(Exception):
    """The source holds no usable entry function."""


def name_of(kind: type) -> str:
    """The name of a type without asking its metaclass."""
    return str.__getitem__(_TYPE_NAME(kind), slice(NAME_CHARS))


def describe(error: BaseException, filename: str, lines: list[str]) -> dict[str, Any]:
    """The `error` of an answer: type, bounded message, and the last frame in the student's file.

    A `__str__` of the student's runs here; one that never returns is ended from outside.
    """
    line = _line(error, filename)
    text = lines[line - 1].strip()[:TEXT_CHARS] if 0 < line <= len(lines) else ""
    return {"type": name_of(type(error)), "message": _message(error), "line": line, "text": text}


def _message(error: BaseException) -> str:
    try:
        text = str(error)
        # str() may hand on an instance of a subclass, whose other methods are the student's.
        text = str.__getitem__(text, slice(2 * MESSAGE_CHARS))
    except BaseException:
        return ""
    return _ADDRESS.sub("0x...", text.replace(_OURS, ""))[:MESSAGE_CHARS]


def _line(error: BaseException, filename: str) -> int:
    last = 0
    for traceback in _chain(_TRACEBACK(error)):
        if traceback.tb_frame.f_code.co_filename == filename:
            last = traceback.tb_lineno or last
    if not last and type(error) in (SyntaxError, IndentationError, TabError):
        assert isinstance(error, SyntaxError)
        if type(error.filename) is str and error.filename == filename and type(error.lineno) is int:
            last = max(error.lineno, 0)
    return last


def _chain(traceback: TracebackType | None) -> Iterator[TracebackType]:
    # A traceback can be made to point at itself.
    for _ in range(FRAMES):
        if traceback is None:
            return
        yield traceback
        traceback = traceback.tb_next
