"""The line from which on a run goes wrong.

Copies that should be equal: from the output back to where each device went on with values of its own. Wrong numbers: from the
output back, as far as no value is one that the oracle has; what lies between the last right value and the output has gone wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from judge.checks.arrays import whole
from judge.inspection.references import Floats, Match, Reference, match
from judge.inspection.source import Text
from judge.model.outcome import Answer, OutputArray
from judge.model.problem import Spec
from judge.model.trace import Inspected, Step

#: Operations that only change the form of a value.
FORMAL = frozenset(
    {"broadcast_in_dim", "reshape", "squeeze", "transpose", "convert_element_type", "expand_dims", "copy", "slice"}
)


@dataclass(frozen=True, slots=True)
class Fault:
    """`line` is where it begins, 0 where that is unknown; `sentences` say what is seen there, the first one the most."""

    line: int
    sentences: tuple[str, ...]


def first_fault(
    spec: Spec,
    inspected: Inspected,
    text: Text,
    expected: Mapping[str, tuple[Floats, Floats]],
    known: tuple[Reference, ...],
) -> Fault | None:
    """Where a run goes wrong; None where its outputs are right, or nothing leads to the fault."""
    answer = inspected.result
    if not isinstance(answer, Answer):
        return None
    for key, described in spec.outputs.items():
        output = answer.outputs.get(key)
        if output is not None and described.placement == "replicated" and not _equal_copies(output):
            return _copies(inspected, text, key)
    for key, pair in expected.items():
        output = answer.outputs.get(key)
        if output is not None and not _right(output, pair):
            return _numbers(inspected, text, key, known)
    return None


def differs(step: Step) -> bool:
    """Whether devices hold different values at some moment of a step that has one a device."""
    return step.manual and any(
        len({shard.data.tobytes() for shard in moment.held if shard.data is not None}) > 1 for moment in step.moments
    )


def _equal_copies(output: OutputArray) -> bool:
    copies = [shard.data for shard in output.shards if shard.data is not None and shard.data.shape == output.shape]
    return len({copy.tobytes() for copy in copies}) <= 1


def _right(output: OutputArray, pair: tuple[Floats, Floats]) -> bool:
    value, (wanted, tolerance) = whole(output), pair
    if value is None or value.shape != wanted.shape:
        # Another check has the words for that.
        return True
    difference = np.abs(np.asarray(value, np.float64) - wanted)
    return bool(np.all(difference <= tolerance))


def _copies(inspected: Inspected, text: Text, key: str) -> Fault | None:
    steps = inspected.trace.steps
    made = [steps[number] for number in inspected.made.get(key, ()) if differs(steps[number])]
    if not made:
        return None
    last = made[-1]
    different = [one for one in _back(steps, (last.number,), lambda one: not differs(one)) if differs(one)]
    sentences = [
        f"`{text.expression(last.span)}` becomes `{key}`, which has to be the same on every device, and holds other values "
        f"on each: no collective joins the devices' own rows on the way to it"
    ]
    gradient = next((one for one in reversed(different) if one.op == "gradient" and one is not last), None)
    if gradient is not None:
        sentences.append(
            f"line {gradient.span.line}: the gradient of each device's own rows goes there as it is; average it first"
        )
    return Fault(last.span.line, tuple(sentences))


def _numbers(inspected: Inspected, text: Text, key: str, known: tuple[Reference, ...]) -> Fault | None:
    steps = inspected.trace.steps
    matches = {one.number: found for one in steps if (found := known_value(one, known)) is not None}

    def stop(step: Step) -> bool:
        return step.op in ("input", "enter") or (step.number in matches and matches[step.number].right)

    made = inspected.made.get(key, ())
    reached = list(_back(steps, made, stop))
    wrong = [one for one in reached if not stop(one) and one.op not in FORMAL and one.span.line]
    if not wrong:
        return None
    first = next((one for one in wrong if one.number in matches), wrong[0])
    told = f"it holds {matches[first.number]}" if first.number in matches else "it holds no value of the reference"
    what = "the gradient" if first.op == "gradient" else f"`{text.expression(first.span)}`"
    sentences = [f"{what} leads to the wrong `{key}`: {told}"]
    right = [one for one in reached if one.number in matches and matches[one.number].right and one.span.line]
    if right:
        last = right[-1]
        sentences.append(f"line {last.span.line} before it is right: it holds {matches[last.number]}")
    return Fault(first.span.line, tuple(sentences))


def known_value(step: Step, known: tuple[Reference, ...]) -> Match | None:
    """What a step holds of the reference, at its last moment."""
    return match(step, step.moments[-1], known) if step.moments and step.op not in ("input", "enter") else None


def _back(steps: tuple[Step, ...], start: Iterable[int], stop: object) -> list[Step]:
    """The steps that lead to those of `start`, in order; what lies before a step where `stop` holds is left out."""
    assert callable(stop), "a test of a step"
    seen: set[int] = set()
    todo = list(start)
    while todo:
        number = todo.pop()
        if number not in seen:
            seen.add(number)
            if not stop(steps[number]):
                todo += steps[number].parents
    return [steps[number] for number in sorted(seen)]
