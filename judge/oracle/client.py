"""The author's oracle and mistakes, as the judge calls them.

They run in a worker process without JAX and under a time limit, so whatever is wrong with them becomes a `FaultyFile` that names
the file, and never a hang. After a time-out or a crash the next call starts another worker.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from judge import tolerance
from judge.errors import Fault, FaultyFile
from judge.model.case import Value
from judge.model.problem import ArrayInput, DType, FloatInput, IntInput, Problem
from judge.oracle.extents import concrete, extents, signature
from judge.oracle.process import Process, Stopped
from judge.runner import wire

Inputs = Mapping[str, Value]
Outputs = dict[str, NDArray[np.generic]]
Tolerance = dict[str, NDArray[np.float64]]
#: Cases a request, so that the time limit of one stays a limit on few of them.
BATCH = 16
#: Importing NumPy on a busy machine is not the author's fault.
LOAD_EXTRA_S = 30.0


class OracleStopped(FaultyFile):
    """The author's code did not answer in time or ended its process: it will not do better on another case."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A known mistake: its name with dashes, and the hint for a student who made it."""

    name: str
    hint: str


@dataclass(frozen=True, slots=True)
class MistakeFailed:
    """A mistake has no answer for a case, as some have not; `message` says why."""

    message: str


class Oracle:
    """The oracle and the mistakes of one problem. A context manager; may be shared by threads, which then take turns.

    Every method that runs the author's code raises `FaultyFile` when that code is wrong. Outputs are float64, int64 or bool,
    in the order of the YAML. Inputs are those of a `Case`; float32 arrays reach the author's code as float64.
    """

    def __init__(self, problem: Problem, *, time_limit_s: float = 10.0, memory_mb: int = 4096) -> None:
        self.problem = problem
        self._limit_s = time_limit_s
        self._memory_mb = memory_mb
        self._ids = itertools.count(1)
        self._lock = threading.RLock()
        self._process: Process | None = None
        self._loaded: Mapping[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker. The oracle can be used again afterwards."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
            self._process = None

    def solve(self, inputs: Inputs) -> Outputs:
        """The expected outputs: of the keys and shapes of the YAML, all finite."""
        (outputs, _), *_ = self._evaluate("solve", [inputs], draws=0)
        return outputs

    def with_tolerance(self, inputs: Inputs) -> tuple[Outputs, Tolerance]:
        """Expected outputs, and the tolerance of each element as `judge.tolerance` defines it."""
        return self.with_tolerances([inputs])[0]

    def with_tolerances(self, many: Sequence[Inputs]) -> list[tuple[Outputs, Tolerance]]:
        """`with_tolerance` of many cases in few requests."""
        settings = self.problem.spec.tolerance
        answers = self._evaluate("solve", many, draws=settings.draws)
        return [
            (outputs, tolerance.tolerance(outputs, unit, atol=settings.atol, safety=settings.safety))
            for outputs, unit in answers
        ]

    def intermediates(self, inputs: Inputs) -> tuple[Outputs, Tolerance] | None:
        """What the oracle says of values on the way, the first axis by device, with their tolerances; None when oracle.py
        defines no `intermediates`."""
        settings = self.problem.spec.tolerance
        with self._lock:
            self._running()
            if not self._loaded["oracle"]["intermediates"]:
                return None
            answer, buffers = self._ask("intermediates", [inputs], draws=settings.draws)[0]
        rest = iter(buffers)
        values = self._outputs(answer, rest)
        for name, value in values.items():
            if value.shape[:1] != (self.problem.spec.devices,):
                message = f"`{name}` of `intermediates` has shape {value.shape}"
                remedy = f"let the first axis be that of the {self.problem.spec.devices} devices"
                raise self._fault("oracle.py", 0, message, remedy)
        unit = {key: np.asarray(next(rest), np.float64) for key in answer["keys"]}
        return values, tolerance.tolerance(values, unit, atol=settings.atol, safety=settings.safety)

    def mistakes(self) -> list[Mistake]:
        """The mistakes in the order of mistakes.py; none where there is no such file."""
        with self._lock:
            self._running()
            return [Mistake(entry["name"], entry["hint"]) for entry in self._loaded["mistakes"]]

    def mistake_outputs(self, name: str, inputs: Inputs) -> Outputs | MistakeFailed:
        """What the mistake `name` answers; of the right keys and shapes, but not always finite."""
        answer, buffers = self._ask(name, [inputs], draws=0)[0]
        return self._mistaken(inputs, answer, iter(buffers))

    def all_mistakes(self, inputs: Inputs) -> dict[str, Outputs | MistakeFailed]:
        """`mistake_outputs` of every mistake, by name."""
        return {mistake.name: self.mistake_outputs(mistake.name, inputs) for mistake in self.mistakes()}

    def mistakes_with_tolerance(
        self, inputs: Inputs, names: Sequence[str]
    ) -> dict[str, tuple[Outputs, Tolerance] | MistakeFailed]:
        """Each mistake's outputs with the tolerance at its own scale, which may be NaN where it is not finite."""
        settings = self.problem.spec.tolerance
        found: dict[str, tuple[Outputs, Tolerance] | MistakeFailed] = {}
        for name in names:
            answer, buffers = self._ask(name, [inputs], draws=settings.draws)[0]
            rest = iter(buffers)
            outputs = self._mistaken(inputs, answer, rest)
            if isinstance(outputs, MistakeFailed):
                found[name] = outputs
                continue
            unit = {key: np.asarray(next(rest), np.float64) for key in answer["keys"]}
            found[name] = outputs, tolerance.tolerance(outputs, unit, atol=settings.atol, safety=settings.safety)
        return found

    def _evaluate(self, function: str, many: Sequence[Inputs], draws: int) -> list[tuple[Outputs, Tolerance]]:
        results: list[tuple[Outputs, Tolerance]] = []
        for start in range(0, len(many), BATCH):
            batch = many[start : start + BATCH]
            for inputs, (answer, buffers) in zip(batch, self._ask(function, batch, draws=draws), strict=True):
                rest = iter(buffers)
                outputs = self._outputs(answer, rest)
                unit = {key: np.asarray(next(rest), np.float64) for key in answer["keys"]} if draws else {}
                checked = self._checked(inputs, outputs)
                results.append((checked, {key: unit[key] for key in checked} if draws else {}))
        return results

    def _ask(self, function: str, many: Sequence[Inputs], *, draws: int) -> list[tuple[Any, list[wire.Buffer]]]:
        """(answer, its buffers) a case."""
        described, buffers = [], []
        for inputs in many:
            entries, arrays = self._described(inputs)
            described.append(entries)
            buffers += arrays
        request = {"op": "evaluate", "function": function, "cases": described, "draws": draws}
        file = "oracle.py" if function in ("solve", "intermediates") else "mistakes.py"
        with self._lock:
            self._running()
            message = self._request(request, buffers, self._limit_s, file, f"`{function.replace('-', '_')}`")
        rest = iter(message.buffers)
        per_key = 2 if draws else 1
        return [
            (answer, list(itertools.islice(rest, per_key * len(answer.get("keys", ())))))
            for answer in message.header["answers"]
        ]

    def _described(self, inputs: Inputs) -> tuple[list[dict[str, Any]], list[wire.Buffer]]:
        entries: list[dict[str, Any]] = []
        arrays: list[wire.Buffer] = []
        for name, described in self.problem.spec.inputs.items():
            value = inputs[name]
            if isinstance(described, ArrayInput):
                entries.append({"type": "array"})
                arrays.append(np.asarray(value, dtype=described.dtype))
            elif isinstance(described, FloatInput):
                entries.append({"type": "float", "value": float(value)})  # type: ignore[arg-type]  # by the spec
            elif isinstance(described, IntInput):
                entries.append({"type": "int", "value": int(value)})  # type: ignore[arg-type]  # by the spec
            else:
                entries.append({"type": "ints", "value": [int(one) for one in value]})  # type: ignore[union-attr]
        return entries, arrays

    def _running(self) -> None:
        if self._process is not None:
            return
        if not self.problem.oracle_file.is_file():
            raise self._fault(
                "oracle.py", 0, "there is no such file", "write the reference, `def solve(...)`, in NumPy"
            )
        self._process = Process(self.problem.folder, self._memory_mb)
        request = {
            "op": "load",
            "parameters": list(self.problem.spec.inputs),
            "mistakes": self.problem.mistakes_file.is_file(),
        }
        self._loaded = {}
        try:
            self._loaded = self._request(
                request, (), self._limit_s + LOAD_EXTRA_S, "oracle.py", "loading it or mistakes.py"
            ).header
        except FaultyFile:
            self.close()
            raise

    def _request(
        self, request: Mapping[str, Any], buffers: Sequence[wire.Buffer], limit_s: float, file: str, what: str
    ) -> wire.Message:
        assert self._process is not None, "the caller has started it"
        header = {"id": next(self._ids), "cpu_s": limit_s, **request}
        try:
            message = self._process.ask(header, buffers, limit_s)
        except Stopped as stopped:
            self._process = None
            line = self._loaded.get("oracle", {}).get("line", 0) if file == "oracle.py" else 0
            remedy = "look for an endless loop or too much work" if "within" in str(stopped) else "let it return"
            raise self._fault(file, line, f"{what} {stopped}", remedy, kind=OracleStopped) from None
        if "error" in message.header:
            raise self._told(message.header["error"])
        return message

    def _outputs(self, answer: Mapping[str, Any], rest: Iterator[wire.Buffer]) -> Outputs:
        if "error" in answer:
            raise self._told(answer["error"])
        return {key: np.asarray(next(rest)) for key in answer["keys"]}

    def _mistaken(
        self, inputs: Inputs, answer: Mapping[str, Any], rest: Iterator[wire.Buffer]
    ) -> Outputs | MistakeFailed:
        if "error" in answer:
            return MistakeFailed(answer["error"]["message"])
        outputs = self._outputs(answer, rest)
        wrong = self._wrong(inputs, outputs)
        return MistakeFailed(wrong) if wrong else self._in_order(outputs)

    def _checked(self, inputs: Inputs, outputs: Outputs) -> Outputs:
        wrong = self._wrong(inputs, outputs)
        if wrong:
            remedy = "let `solve` return what `outputs` of problem.yaml lists"
            raise self._fault("oracle.py", self._loaded["oracle"]["line"], f"`solve` {wrong}", remedy)
        ordered = self._in_order(outputs)
        for key, value in ordered.items():
            if not np.isfinite(value).all():
                message = f"`{key}` of `solve` is not finite for {self._sizes_told(inputs)}"
                remedy = "correct the formula, or keep such inputs out of the cases and the fuzz ranges"
                raise self._fault("oracle.py", self._loaded["oracle"]["line"], message, remedy)
        return ordered

    def _in_order(self, outputs: Outputs) -> Outputs:
        """As the YAML orders them; a whole number where a float is wanted becomes one."""
        spec = self.problem.spec
        return {
            key: outputs[key].astype(np.float64) if _kind(spec.outputs[key].dtype) == "f" else outputs[key]
            for key in spec.outputs
        }

    def _wrong(self, inputs: Inputs, outputs: Outputs) -> str:
        """What is wrong with keys, shapes or kinds of number; "" when nothing is."""
        spec = self.problem.spec
        if set(outputs) != set(spec.outputs):
            return f"returned the keys {sorted(outputs)}, not {sorted(spec.outputs)}"
        sizes = extents(spec, inputs)
        for key, output in spec.outputs.items():
            shape, value = concrete(output.shape, sizes), outputs[key]
            if value.shape != shape:
                return f"returned `{key}` of shape {value.shape}, not {shape}, for {self._sizes_told(inputs)}"
            kind = _kind(output.dtype)
            if value.dtype.kind != kind and (kind, value.dtype.kind) != ("f", "i"):
                return f"returned `{key}` as {value.dtype}, which is no {output.dtype[0]}"
        return ""

    def _sizes_told(self, inputs: Inputs) -> str:
        return str(signature(self.problem.spec, inputs)) or "its inputs"

    def _told(self, error: Mapping[str, Any]) -> FaultyFile:
        return self._fault(error["file"], error["line"], error["message"], error["remedy"])

    def _fault(
        self, file: str, line: int, message: str, remedy: str, *, kind: type[FaultyFile] = FaultyFile
    ) -> FaultyFile:
        problem = self.problem
        return kind(f"problem {problem.slug}", [Fault(problem.folder / file, line or None, message, remedy)])


def _kind(dtypes: tuple[DType, ...]) -> str:
    return str(np.dtype(dtypes[0]).kind)
