"""The author's own cases: their inputs, and whether the oracle agrees with the digits that the YAML prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from judge.bank.make import Draft, fault, in_call_order
from judge.bank.values import uniform
from judge.errors import Fault
from judge.model.case import Value
from judge.model.problem import ArrayInput, IntInput, PinnedCase, Problem
from judge.oracle.client import Oracle
from judge.oracle.extents import extents


def pinned_drafts(problem: Problem) -> list[Draft]:
    """`example-1`, ... for the visible cases and `hidden-NAME` for the others, in the order of the YAML.

    Raises:
        FaultyFile: inputs that do not fit the problem.
    """
    drafts, examples = [], 0
    for pinned in problem.spec.cases:
        inputs = pinned_inputs(problem, pinned)
        stratum = pinned.rule.stratum if pinned.rule is not None else ""
        if pinned.visible:
            examples += 1
            drafts.append(Draft(f"example-{examples}", "examples", pinned.category, inputs, stratum))
        else:
            category = pinned.category or pinned.name.replace("-", " ")
            drafts.append(Draft(f"hidden-{pinned.name}", "hidden", category, inputs, stratum))
    return drafts


def pinned_inputs(problem: Problem, pinned: PinnedCase) -> dict[str, Value]:
    """The inputs of a pinned case in call order; arrays in the dtype of the YAML."""
    spec, where = problem.spec, f"case {pinned.name}"
    try:
        if pinned.rule is None:
            inputs = in_call_order(
                spec, {name: _given(spec.inputs[name], v) for name, v in (pinned.inputs or {}).items()}
            )
        else:
            rng = np.random.Generator(np.random.PCG64(pinned.rule.seed))
            whole = {n: v for n, v in pinned.rule.values.items() if isinstance(spec.inputs.get(n), IntInput)}
            sizes = {**pinned.rule.dims, **{name: int(value) for name, value in whole.items()}}  # type: ignore[arg-type]
            arrays = uniform(spec, spec.fuzz.strata[pinned.rule.stratum], sizes, rng)
            inputs = in_call_order(spec, {**pinned.rule.values, **arrays})
        extents(spec, inputs)
    except KeyError as error:
        message, remedy = f"{error} is missing or unknown", "give each input of the problem"
        raise fault(problem, where, message, remedy, line=_line(problem, pinned)) from None
    except (ValueError, TypeError) as error:
        raise fault(problem, where, str(error), "correct the inputs", line=_line(problem, pinned)) from None
    return inputs


def _given(described: object, value: Any) -> Any:
    return np.array(value, dtype=described.dtype) if isinstance(described, ArrayInput) else value


def check_pinned(problem: Problem, oracle: Oracle) -> list[Fault]:
    """A fault for each pinned output that the oracle does not agree with, to the digits printed.

    The digits are those of the value in the case that has most after the point: `[1.11, 0.2, 121.0]` is held to two, for a
    statement drops the zeros at the end and not the digits.
    """
    faults = []
    for pinned in problem.spec.cases:
        expected = oracle.solve(pinned_inputs(problem, pinned))
        half = 0.5 * 10.0 ** -_digits(pinned.outputs)
        for key in problem.spec.outputs:
            if key not in pinned.outputs:
                message, remedy = f"case {pinned.name} has no output `{key}`", "add it"
            else:
                message = _disagrees(pinned.outputs[key], expected[key], half)
                message = message and f"case {pinned.name}, `{key}`: {message}"
                remedy = "correct the value, or the oracle"
            if message:
                faults.append(Fault(problem.folder / "problem.yaml", _line(problem, pinned), message, remedy))
    return faults


def _disagrees(printed: Any, expected: np.ndarray[Any, Any], half: float) -> str:
    """What is wrong with a printed output; "" when the oracle agrees."""
    try:
        given = np.array(printed, dtype=np.float64)
    except (ValueError, TypeError):
        return "it is no array of numbers"
    if given.shape != expected.shape:
        return f"its shape is {given.shape}, the oracle's {expected.shape}"
    value = expected.astype(np.float64)
    # A digit of slack for a value that lies just between two printed ones.
    off = np.abs(given - value) > half * (1 + 1e-6) + 1e-12 * np.abs(value)
    if not off.any():
        return ""
    index = tuple(int(i) for i in np.argwhere(off)[0])
    place = f" at {list(index)}" if index else ""
    return f"it says {given[index]:.12g}{place}, the oracle {value[index]:.12g}"


def _digits(outputs: Any) -> int:
    return max((max(0, -exponent) for exponent in map(_exponent, _numbers(outputs))), default=0)


def _exponent(value: float) -> int:
    exponent = Decimal(repr(float(value))).as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from _numbers(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _line(problem: Problem, pinned: PinnedCase) -> int | None:
    """The line of the case's name: the models keep none, and names are unique."""
    try:
        lines = (problem.folder / "problem.yaml").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    name = re.compile(rf"""\bname:\s*["']?{re.escape(pinned.name)}["']?\s*(?:[,}}#].*)?$""")
    return next((number for number, text in enumerate(lines, 1) if name.search(text)), None)
