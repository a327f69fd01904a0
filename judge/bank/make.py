"""Cases from their inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from judge.errors import Fault, FaultyFile
from judge.model.case import Case, Group, Signature, Value
from judge.model.problem import ArrayInput, FloatInput, IntInput, Problem, Scalar, Spec
from judge.oracle.extents import signature
from judge.oracle.reference import Reference

#: Draws that may be tried before ranges are said to give nothing new.
ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Draft:
    """A case before the oracle has spoken."""

    id: str
    group: Group
    category: str
    inputs: Mapping[str, Value]
    stratum: str = ""


def finish(problem: Problem, oracle: Reference, drafts: Sequence[Draft]) -> list[Case]:
    """The drafts with signature, expected values and tolerances."""
    answers = oracle.with_tolerances([draft.inputs for draft in drafts])
    return [
        Case(
            id=draft.id,
            group=draft.group,
            category=draft.category,
            signature=signature(problem.spec, draft.inputs),
            inputs=draft.inputs,
            expected=expected,
            tolerance=tolerance,
            stratum=draft.stratum,
        )
        for draft, (expected, tolerance) in zip(drafts, answers, strict=True)
    ]


def seed_of(*parts: object) -> int:
    """64 bits that depend on every part; parts are strings, ints and tuples of them."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big")


def in_call_order(spec: Spec, values: Mapping[str, Value | Scalar]) -> dict[str, Value]:
    """Arrays as they are and no longer to be written to; scalars as the Python type of their input.

    Raises:
        KeyError: the name of an input that has no value.
    """
    inputs: dict[str, Value] = {}
    for name, described in spec.inputs.items():
        value = values[name]
        if isinstance(described, ArrayInput):
            array = np.ascontiguousarray(value, dtype=described.dtype).reshape(np.shape(value))
            array.flags.writeable = False
            inputs[name] = array
        elif isinstance(described, FloatInput):
            inputs[name] = float(value)  # type: ignore[arg-type]  # the loader has checked it
        elif isinstance(described, IntInput):
            inputs[name] = int(value)  # type: ignore[arg-type]
        else:
            inputs[name] = tuple(int(one) for one in value)  # type: ignore[union-attr]
    return inputs


def float_scalars(spec: Spec, inputs: Mapping[str, Value]) -> tuple[tuple[str, float], ...]:
    """(name, value) of the float inputs, in call order."""
    return tuple((name, float(inputs[name])) for name, one in spec.inputs.items() if isinstance(one, FloatInput))  # type: ignore[arg-type]


def sizes_of(one: Signature) -> dict[str, int]:
    """Sizes of dims, and values of `int` inputs, which may stand in shapes."""
    return {**dict(one.dims), **{name: value for name, value in one.static if isinstance(value, int)}}


def key(inputs: Mapping[str, Value]) -> tuple[object, ...]:
    """Equal for two cases exactly when their inputs are equal bit for bit."""
    return tuple(
        (name, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else (name, repr(value))
        for name, value in inputs.items()
    )


def fault(problem: Problem, where: str, message: str, remedy: str, *, line: int | None = None) -> FaultyFile:
    file = problem.folder / "problem.yaml"
    return FaultyFile(f"problem {problem.slug}", [Fault(file, line, f"{where}: {message}", remedy)])
