"""Bars in a terminal: each coordinate of a gradient, or of an output that is no step, yours beside the reference.

Where a problem declares an output to be linear in the rate (`linear_in_lr` of `problem.yaml`), the step `w - w'` is the rate
times the gradient, and the gradient says more than the new weights: its sign, its size, and how many times too large it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge.model.problem import Spec
from judge.model.record import Counterexample

#: Coordinates of one output that are drawn: those that differ most.
MOST = 8
#: Part of the largest number that an eye can tell: what differs by less is drawn as right.
VISIBLE = 1e-5

Array = NDArray[np.float64]
#: (text, whether it is yours and unlike the reference)
Line = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Bars:
    """One output: `yours` and `reference` hold a number a label; `left_out` coordinates are not drawn."""

    title: str
    labels: tuple[str, ...]
    yours: tuple[float, ...]
    reference: tuple[float, ...]
    left_out: int = 0


def bars(spec: Spec, shown: Counterexample) -> tuple[Bars, ...]:
    """What to draw of a case: the outputs that differ; else every gradient; else the first output."""
    outputs: dict[str, tuple[Array, Array]] = {}
    for key, expected in shown.expected.items():
        yours, reference = _array(shown.actual.get(key)), _array(expected)
        if yours is not None and reference is not None and yours.shape == reference.shape:
            outputs[key] = yours, reference
    steps = {key: step for key, pair in outputs.items() if (step := _step(spec, shown.inputs, key, *pair))}
    unlike = [key for key, pair in outputs.items() if (_gap(*pair) > VISIBLE).any()]
    return tuple(
        _bars(key, *(steps.get(key) or (*outputs[key], f"`{key}`")))
        for key in unlike or list(steps) or list(outputs)[:1]
    )


def lines(drawn: Bars, *, width: int, full: str = "█") -> Iterator[Line]:
    """The bars as text of `width` columns: two rows a coordinate, negative numbers to the left of the axis."""
    yield f"{drawn.title}:", False
    label = max(map(len, drawn.labels), default=0)
    room = max(width - label - 26, 10)
    # As parts of the largest: the span of the largest floats is no float, and one by the smallest is none either.
    values = [value for value in (*drawn.yours, *drawn.reference) if math.isfinite(value)]
    largest = max(map(abs, values), default=0.0) or 1.0
    low, high = min([0.0, *values]) / largest, max([0.0, *values]) / largest
    scale = room / ((high - low) or 1.0)
    axis = round(-low * scale)
    for name, yours, reference in zip(drawn.labels, drawn.yours, drawn.reference, strict=True):
        unlike = bool(_gap(np.array(yours), np.array(reference)) > VISIBLE)
        yield f"  {name:{label}} yours     {yours:>11.5g} {_bar(yours / largest * scale, axis, full)}", unlike
        yield f"  {'':{label}} reference {reference:>11.5g} {_bar(reference / largest * scale, axis, full)}", False
    if drawn.left_out:
        yield f"  and {drawn.left_out} more that differ less", False


def _bar(long: float, axis: int, full: str) -> str:
    if not math.isfinite(long):
        return f"{'':{axis}}|"
    # Whatever is not zero has a bar that can be seen.
    columns = max(round(abs(long)), int(long != 0))
    return f"{full * min(columns, axis):>{axis}}|" if long < 0 else f"{'':{axis}}|{full * columns}"


def _bars(key: str, yours: Array, reference: Array, title: str) -> Bars:
    order = np.argsort(-_gap(yours, reference).reshape(-1), kind="stable")
    chosen = sorted(order[:MOST].tolist())
    places = list(np.ndindex(reference.shape))
    return Bars(
        title,
        tuple(f"{key}[{', '.join(map(str, places[one]))}]" if reference.ndim else key for one in chosen),
        tuple(yours.reshape(-1)[chosen].tolist()),
        tuple(reference.reshape(-1)[chosen].tolist()),
        reference.size - len(chosen),
    )


def _step(
    spec: Spec, inputs: Mapping[str, Any], key: str, yours: Array, reference: Array
) -> tuple[Array, Array, str] | None:
    """Your gradient, the reference's and what they are, where the output is a step from an input at a rate that is not zero."""
    for relation in spec.relations:
        start = _array(inputs.get(relation.outputs.get(key, "")))
        rate = inputs.get(relation.scalar or "")
        if relation.name != "linear_in_lr" or start is None or not rate:
            continue
        if reference.shape[reference.ndim - start.ndim :] != start.shape:
            continue
        with np.errstate(all="ignore"):
            pair = [(start - one) / rate for one in (yours, reference)]
        title = f"gradient of `{key}`, ({relation.outputs[key]} - new {key}) / {relation.scalar}"
        copies = [one.reshape(-1, *start.shape) for one in pair]
        if reference.ndim > start.ndim and all(len(one) and (one == one[:1]).all() for one in copies):
            return copies[0][0], copies[1][0], f"{title}, alike in all {len(copies[0])} copies"
        return pair[0], pair[1], title
    return None


def _gap(yours: Array, reference: Array) -> Array:
    """How far apart, in parts of the largest number of the reference; infinite where yours is no number."""
    largest = float(np.max(np.abs(reference), initial=0.0)) or 1.0
    with np.errstate(all="ignore"):
        gap = np.abs(yours / largest - reference / largest)
    return np.where(np.isnan(gap), np.inf, gap)


def _array(value: Any) -> Array | None:
    """Numbers of nested lists, of which `nan` and `inf` may be words; None for what holds none."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return array if array.size and value is not None else None
