"""Cases as the runner is told about them: headers and buffers, and no expected value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge.model.case import Case, Signature, Value
from judge.model.outcome import Program
from judge.model.problem import ArrayInput, FloatInput, IntsInput, Problem
from judge.model.submission import Submission
from judge.runner.wire import Buffer

Header = dict[str, Any]
Scalars = tuple[tuple[str, float], ...]


def source_name(problem: Problem) -> str:
    """The file name under which a submission's code appears in tracebacks and in programs."""
    return f"{problem.slug}.py"


def load(problem: Problem, submission: Submission) -> tuple[Header, list[Buffer]]:
    header = {
        "request": "load",
        "filename": source_name(problem),
        "entry": problem.spec.entry,
        "parameters": list(problem.spec.inputs),
    }
    return header, [submission.source]


def call(problem: Problem, inputs: Mapping[str, Value], request: str = "call") -> tuple[Header, list[Buffer]]:
    """`call` of a live run, or `inspect`: every input with its value."""
    described: list[Header] = []
    buffers: list[Buffer] = []
    for name, given in problem.spec.inputs.items():
        value = inputs[name]
        if isinstance(given, ArrayInput):
            described.append({"name": name, "type": "array"})
            buffers.append(_array(value))
        else:
            described.append(_scalar(name, given, value))
    return {"request": request, "inputs": described}, buffers


def export(problem: Problem, case: Case) -> Header:
    """`export` for the signature and the floats of a case: shapes and dtypes of arrays, never their values."""
    inputs: list[Header] = []
    for name, given in problem.spec.inputs.items():
        value = case.inputs[name]
        if isinstance(given, ArrayInput):
            inputs.append({"name": name, "type": "array", "dtype": given.dtype, "shape": list(_array(value).shape)})
        else:
            inputs.append(_scalar(name, given, value))
    return {"request": "export", "inputs": inputs}


def prepare(problem: Problem, number: int, program: Program) -> tuple[Header, list[Buffer]]:
    inputs = problem.spec.inputs
    header = {
        "request": "prepare",
        "program": number,
        "inputs": list(inputs),
        "scalars": [name for name, _ in program.scalars],
        "static": [name for name, given in inputs.items() if not isinstance(given, ArrayInput | FloatInput)],
        "line_file": source_name(problem),
    }
    return header, [program.blob]


def run(problem: Problem, number: int, program: Program, cases: Sequence[Case]) -> tuple[Header, list[Buffer]]:
    """`run` of cases that `fits` the program: a stack an argument."""
    kept = {name for name, _ in program.scalars}
    buffers: list[Buffer] = []
    for name, given in problem.spec.inputs.items():
        if isinstance(given, ArrayInput):
            buffers.append(np.stack([_array(case.inputs[name]) for case in cases]))
        elif isinstance(given, FloatInput) and name not in kept:
            buffers.append(np.array([case.inputs[name] for case in cases], np.float64))
    return {"request": "run", "program": number, "cases": len(cases)}, buffers


def facts(problem: Problem, module: bytes) -> tuple[Header, list[Buffer]]:
    header = {"request": "facts", "devices": problem.spec.devices, "line_file": source_name(problem)}
    return header, [module]


def floats(problem: Problem, case: Case) -> Scalars:
    """The values of the float inputs of a case."""
    return tuple(
        (name, float(_number(case.inputs[name])))
        for name, given in problem.spec.inputs.items()
        if isinstance(given, FloatInput)
    )


def by_signature(problem: Problem, cases: Sequence[Case]) -> dict[Signature, dict[Scalars, Case]]:
    """For each signature one case of each combination of floats, in the order of the cases."""
    found: dict[Signature, dict[Scalars, Case]] = {}
    for case in cases:
        found.setdefault(case.signature, {}).setdefault(floats(problem, case), case)
    return found


def fits(program: Program, case: Case) -> bool:
    """Whether the program was made for the case's signature and for the floats that it holds as constants."""
    return program.signature == case.signature and all(case.inputs[name] == value for name, value in program.scalars)


def _scalar(name: str, given: object, value: Value) -> Header:
    if isinstance(given, FloatInput):
        return {"name": name, "type": "float", "value": float(_number(value))}
    if isinstance(given, IntsInput):
        assert isinstance(value, tuple), "an `ints` input holds a tuple"
        return {"name": name, "type": "ints", "value": [int(part) for part in value]}
    return {"name": name, "type": "int", "value": int(_number(value))}


def _array(value: Value) -> NDArray[np.generic]:
    assert isinstance(value, np.ndarray), "an array input holds an array"
    return value


def _number(value: Value) -> float | int:
    assert isinstance(value, int | float), "a scalar input holds a number"
    return value
