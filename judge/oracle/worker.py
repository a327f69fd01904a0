"""The process that runs an author's `oracle.py` and `mistakes.py`. Started as `python -I worker.py FOLDER MEMORY_MB`.

The code is trusted and may still be wrong: endless, greedy, chatty. So it gets the limits of a process; standard input and
output carry frames of `judge.runner.wire` and are taken away before the author's code is loaded, so that nothing it prints
becomes part of the protocol. JAX is refused: an oracle that shares its code with the solutions would share their faults.

The first request is `load`; one frame answers each request, under the same `id`. Headers, [buffers]:

    load      parameters: [name], mistakes: bool, cpu_s               -> oracle: {line, intermediates}, mistakes: [{name, hint}]
    evaluate  function, cases: [[input...]...], draws, cpu_s [arrays] -> answers: [answer...] [arrays]

`function` is `solve`, `intermediates` or the name of a mistake. An input is `{"type": "array"}` (the next buffer),
`{"type": "float" | "int" | "ints", "value"}`. Float arrays reach the author's code as read-only float64. An answer is
`{"keys": [...]}` with a buffer for each key, then, with `draws`, a buffer for the unit of each; or `{"error": {"file", "line",
"message", "remedy"}}`. An `error` in place of `answers` or `oracle` concerns all of it.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

# `-I` keeps the current folder off the path. The judge is the one that this file belongs to, installed or not.
_ROOT = str(Path(__file__).resolve().parents[2])
sys.path.insert(0, _ROOT)
from judge import tolerance  # noqa: E402  once it can be found
from judge.runner import wire  # noqa: E402

sys.path.remove(_ROOT)

CAPS = wire.Caps(header_bytes=16 << 20, body_bytes=1 << 30, buffers=200_000)
REFUSED = ("jax", "jaxlib", "flax", "torch", "tensorflow")
Answer = dict[str, NDArray[np.generic]]


class Faulty(Exception):
    """The author's code did not do what it must. Answered as an `error`."""

    def __init__(self, file: str, line: int, message: str, remedy: str) -> None:
        super().__init__(message)
        self.told = {"file": file, "line": line, "message": message, "remedy": remedy}


class _NoJax:
    """Refuses what an oracle must not be made of."""

    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] in REFUSED:
            raise ImportError(f"{name} may not be imported here: an oracle is NumPy only")


@dataclass(slots=True)
class Author:
    """The loaded functions by name, each with the name of its file."""

    functions: dict[str, tuple[Callable[..., Any], str]] = field(default_factory=dict)
    intermediates: bool = False
    oracle_line: int = 0
    hints: list[dict[str, str]] = field(default_factory=list)


def load(folder: Path, request: dict[str, Any]) -> Author:
    """Load `oracle.py`, and `mistakes.py` when `request` says that there is one."""
    sys.path.insert(0, str(folder))
    author, parameters = Author(), list(request["parameters"])
    module = _module(folder, "oracle.py")
    solve = _function(module, "solve")
    if solve is None:
        raise Faulty("oracle.py", 0, "it has no function `solve`", "define `def solve(...)`, the reference in NumPy")
    _check_parameters(solve, parameters, "oracle.py")
    author.functions["solve"] = solve, "oracle.py"
    author.oracle_line = solve.__code__.co_firstlineno
    held = _function(module, "intermediates")
    if held is not None:
        _check_parameters(held, parameters, "oracle.py")
        author.functions["intermediates"] = held, "oracle.py"
        author.intermediates = True
    if request["mistakes"]:
        for function in _public(_module(folder, "mistakes.py")):
            _check_parameters(function, parameters, "mistakes.py")
            author.hints.append(_mistake(author, function))
    return author


def _mistake(author: Author, function: Any) -> dict[str, str]:
    line, name = function.__code__.co_firstlineno, function.__name__.replace("_", "-")
    hint = " ".join((function.__doc__ or "").split())
    if not hint:
        raise Faulty(
            "mistakes.py",
            line,
            f"`{function.__name__}` has no docstring",
            "write the hint that a student should read there",
        )
    if name in author.functions:
        raise Faulty("mistakes.py", line, f"`{function.__name__}` is no name for a mistake", "call it something else")
    author.functions[name] = function, "mistakes.py"
    return {"name": name, "hint": hint}


def _module(folder: Path, file: str) -> ModuleType:
    path = folder / file
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, "a .py file has a loader"
    module = importlib.util.module_from_spec(spec)
    # Before it runs: mistakes.py may import oracle.py, and dataclasses look their module up.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # noqa: BLE001  `exit()` in an oracle is a fault like any other
        raise _raised(error, folder, file, "while it was loaded") from None
    return module


def _function(module: ModuleType, name: str) -> Any:
    value = vars(module).get(name)
    return value if inspect.isfunction(value) else None


def _public(module: ModuleType) -> Iterator[Any]:
    """The public functions that the module itself defines, in the order of the file."""
    for name, value in vars(module).items():
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_"):
            yield value


def _check_parameters(function: Any, wanted: list[str], file: str) -> None:
    """By name and order, which finds swapped parameters; an unused one may begin with an underscore."""
    found = [name.removeprefix("_") for name in inspect.signature(function).parameters]
    if found != wanted:
        raise Faulty(
            file,
            function.__code__.co_firstlineno,
            f"`{function.__name__}` takes ({', '.join(found)})",
            f"let it take the inputs of problem.yaml in their order: ({', '.join(wanted)})",
        )


def _raised(error: BaseException, folder: Path, file: str, when: str) -> Faulty:
    line, text = 0, f"{type(error).__name__}: {error}".splitlines()[0][:500]
    remedy = "correct the line"
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).parent == folder:
        return Faulty(Path(error.filename).name, error.lineno or 0, text, remedy)
    trace = error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.parent == folder:
            file, line = path.name, trace.tb_lineno
        trace = trace.tb_next
    if "read-only" in str(error) or "writeable" in str(error):
        remedy = "inputs may not be changed: work on a copy (`w = w - step`, not `w -= step`)"
    elif isinstance(error, MemoryError):
        remedy = "it needs more memory than an oracle may have"
    return Faulty(file, line, f"it raised {text} {when}", remedy)


def evaluate(
    author: Author, folder: Path, request: dict[str, Any], buffers: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Answers, and their buffers, of one function on each case."""
    function, file = author.functions[request["function"]]
    answers: list[Any] = []
    sent: list[Any] = []
    rest = iter(buffers)
    for described in request["cases"]:
        values = [_value(entry, rest) for entry in described]
        try:
            answer = _call(function, file, folder, values)
            unit = _unit(function, file, folder, values, answer, request["draws"]) if request["draws"] else {}
        except Faulty as faulty:
            answers.append({"error": faulty.told})
            continue
        answers.append({"keys": list(answer)})
        sent += [*answer.values(), *unit.values()]
    return answers, sent


def _value(entry: dict[str, Any], rest: Iterator[Any]) -> Any:
    if entry["type"] != "array":
        return tuple(entry["value"]) if entry["type"] == "ints" else entry["value"]
    array = next(rest)
    return array.astype(np.float64) if array.dtype.kind == "f" else np.array(array)


def _call(function: Any, file: str, folder: Path, values: Sequence[Any]) -> Answer:
    """What the author's function returns for fresh, read-only copies of `values`: float64, int64 or bool by key."""
    line = function.__code__.co_firstlineno
    given = [np.array(value) if isinstance(value, np.ndarray) else value for value in values]
    for value in given:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    try:
        with np.errstate(all="ignore"):
            returned = function(*given)
    except BaseException as error:  # noqa: BLE001  the same
        raise _raised(error, folder, file, f"in `{function.__name__}`") from None
    if type(returned) is not dict or not all(type(key) is str for key in returned):
        raise Faulty(
            file, line, f"`{function.__name__}` returned {_spelled(returned)}", "return a dict of arrays by name"
        )
    return {key: _array(value, key, function.__name__, file, line) for key, value in returned.items()}


def _spelled(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _array(value: object, key: str, name: str, file: str, line: int) -> NDArray[np.generic]:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, MemoryError) as error:
        raise Faulty(file, line, f"`{key}` of `{name}` is no array: {error}", "return arrays of numbers") from None
    if array.dtype.kind not in "fiub":
        raise Faulty(file, line, f"`{key}` of `{name}` has dtype {array.dtype}", "return floats, ints or bools")
    # A copy: the author's function may hand out one buffer again and again.
    return np.array(array, dtype={"f": np.float64, "b": np.bool_}.get(array.dtype.kind, np.int64))


def _unit(
    function: Any, file: str, folder: Path, values: Sequence[Any], answer: Answer, draws: int
) -> dict[str, NDArray[np.float64]]:
    def again(moved: Sequence[Any]) -> Answer:
        other = _call(function, file, folder, moved)
        if {key: value.shape for key, value in other.items()} != {key: value.shape for key, value in answer.items()}:
            raise Faulty(
                file,
                function.__code__.co_firstlineno,
                f"`{function.__name__}` returns other keys or shapes when a value changes in its last bit",
                "let keys and shapes depend on the shapes of the inputs alone",
            )
        return other

    unit = tolerance.perturb_unit(again, values, answer, draws)
    repeated = again(values)
    if any(repeated[key].tobytes() != value.tobytes() for key, value in answer.items()):
        raise Faulty(
            file,
            function.__code__.co_firstlineno,
            f"`{function.__name__}` returns something else when it is called again with the same inputs",
            "keep no state and draw no random numbers",
        )
    return unit


def limit_cpu(seconds: float) -> None:
    """Let this request use `seconds` more of CPU. The client watches the clock; this ends a worker that lost its client."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 2
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def limit_memory(megabytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    wanted = megabytes << 20
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    except (ValueError, OSError):
        # macOS knows the limit and does not take it.
        return


def take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's streams, moved to descriptors of their own; 0, 1 and 2 lead nowhere afterwards."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return requests, replies


def serve(folder: Path, requests: BinaryIO, replies: BinaryIO) -> None:
    author = Author()
    while (message := wire.read_frame(requests.read, CAPS)) is not None:
        request = dict(message.header)
        buffers: list[wire.Buffer] = []
        limit_cpu(request["cpu_s"])
        reply: dict[str, Any]
        try:
            if request["op"] == "load":
                author = load(folder, request)
                oracle = {"line": author.oracle_line, "intermediates": author.intermediates}
                reply = {"oracle": oracle, "mistakes": author.hints}
            else:
                answers, buffers = evaluate(author, folder, request, message.buffers)
                reply = {"answers": answers}
        except Faulty as faulty:
            reply = {"error": faulty.told}
        replies.write(wire.encode({"id": request["id"], **reply}, buffers))
        replies.flush()


def main() -> None:
    folder, memory_mb = Path(sys.argv[1]), int(sys.argv[2])
    requests, replies = take_streams()
    # The folder of a problem is not the place for compiled files.
    sys.dont_write_bytecode = True
    sys.meta_path.insert(0, _NoJax())
    limit_memory(memory_mb)
    serve(folder, requests, replies)
    # The author's threads and exit handlers have no say in when this process ends.
    os._exit(0)


if __name__ == "__main__":
    main()
