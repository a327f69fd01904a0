"""From source bytes to the student's function, with as little of this process in its way as possible."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

from judge.runner.failure import LoadError

_exit = os._exit


@dataclass(frozen=True, slots=True)
class Source:
    """A submission before it runs: its bytes, the name that tracebacks show, and its lines."""

    content: bytes
    filename: str
    lines: list[str]

    @classmethod
    def of(cls, content: bytes, filename: str) -> Source:
        return cls(content, filename, content.decode("utf-8", "replace").splitlines())


def load(source: Source, entry: str, parameters: list[str]) -> Callable[..., Any]:
    """Execute the source as a fresh module and return its function `entry`.

    Raises:
        LoadError: there is none, or it cannot be called with `parameters` by position.
        BaseException: whatever the source raises.
    """
    code = compile(source.content, source.filename, "exec", dont_inherit=True)
    module = ModuleType(_module_name(source.filename))
    module.__file__ = source.filename
    # Dataclasses and pytrees look their module up here.
    sys.modules[module.__name__] = module
    # An entry without a modification time is never checked against a file, so no file of that name is opened.
    linecache.cache[source.filename] = (
        len(source.content),
        None,
        [line + "\n" for line in source.lines],
        source.filename,
    )
    exec(code, module.__dict__)
    return entry_function(module.__dict__, entry, parameters)


def _module_name(filename: str) -> str:
    """The stem of the file; a file called `jax.py` must not stand in for JAX."""
    stem = os.path.splitext(os.path.basename(filename))[0] or "submission"
    taken = stem == "__main__" or stem in sys.modules or stem in sys.stdlib_module_names
    return f"submission_{stem}" if taken else stem


def entry_function(names: dict[str, Any], entry: str, parameters: list[str]) -> Callable[..., Any]:
    """The function `entry` among the names of a module; `LoadError` says what is wrong with it."""
    wanted = f"{entry}({', '.join(parameters)})"
    found = dict.get(names, entry)
    if found is None:
        raise LoadError(f"the file defines no function {entry!r}; it must define {wanted}")
    if not callable(found):
        raise LoadError(f"{entry!r} is not a function; the file must define {wanted}")
    _refuse_parameters(found, entry, wanted, len(parameters))
    function: Callable[..., Any] = found
    return _plain_function(function, entry, wanted)


def _plain_function(found: Callable[..., Any], entry: str, wanted: str) -> Callable[..., Any]:
    """`found`, or what says so when it is called if calling it would only make a coroutine or a generator.

    The file loads, so this is a fault of the call; and a coroutine that nobody awaits would warn of itself.
    """
    inner = _guarded(inspect.unwrap, found) or found
    for refused, what in (
        (inspect.iscoroutinefunction, "async"),
        (inspect.isasyncgenfunction, "an async generator"),
        (inspect.isgeneratorfunction, "a generator"),
    ):
        if _guarded(refused, inner):
            message = f"{entry!r} is {what}; it must be a plain function {wanted} that returns its result"

            def refuse(*_: Any, message: str = message) -> NoReturn:
                raise TypeError(message)

            return refuse
    return found


def _refuse_parameters(found: Any, entry: str, wanted: str, count: int) -> None:
    signature = _guarded(inspect.signature, found)
    if type(signature) is not inspect.Signature:
        return
    try:
        inspect.Signature.bind(signature, *[None] * count)
    except TypeError:
        has = _guarded(str, signature) or "(...)"
        raise LoadError(f"{entry}{has[:200]} cannot be called with {count} positional arguments; "
                        f"it must be {wanted}") from None  # fmt: skip


def _guarded(function: Callable[[Any], Any], value: Any) -> Any:
    """`function(value)`, or None where it raises: objects of the student's may answer anything."""
    try:
        return function(value)
    except Exception:
        return None


def leave(error: SystemExit | KeyboardInterrupt) -> NoReturn:
    """End the process as the interpreter would, so that the outside sees an exit and not an exception."""
    status = 130
    if isinstance(error, SystemExit):
        code = error.code
        status = 0 if code is None else code & 0xFF if type(code) is int else 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            continue
    _exit(status)
