"""The line from which on a run goes wrong.

Copies that should be equal: from the output back to where each device went on with values of its own. Wrong numbers: from the
output back, as far as no value is one that the oracle has; what lies between the last right value and the output has gone wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from judge.checks.arrays import whole
from judge.inspection.references import Floats, Match
from judge.inspection.source import Text
from judge.model.inspection import Fault
from judge.model.outcome import Answer, OutputArray
from judge.model.problem import Output, Spec, Split
from judge.model.trace import Inspected, Step

COLLECTIVES = frozenset(
    {
        *("psum", "psum_invariant", "psum2", "pmax", "pmin", "all_gather", "all_gather_invariant", "reduce_scatter"),
        *("all_to_all", "ppermute", "pbroadcast", "ragged_all_to_all", "pgather"),
    }
)
#: Operations that only change the form of a value.
FORMAL = frozenset(
    {
        "broadcast_in_dim",
        "reshape",
        "squeeze",
        "transpose",
        "convert_element_type",
        "expand_dims",
        "copy",
        "slice",
        "ravel",
    }
)


def first_fault(
    spec: Spec,
    inspected: Inspected,
    text: Text,
    expected: Mapping[str, tuple[Floats, Floats]],
    times: Sequence[Mapping[int, Match]],
) -> Fault | None:
    """Where a run goes wrong; None where its outputs are right, or nothing leads to the fault. `times` is what
    `references.recognised` gives."""
    answer = inspected.result
    if not isinstance(answer, Answer):
        return None
    for key, described in spec.outputs.items():
        output = answer.outputs.get(key)
        if output is not None and _copied(described, expected.get(key)) and not _equal(output):
            return _copies(inspected, text, key)
    for key, pair in expected.items():
        output = answer.outputs.get(key)
        if output is not None and not _right(output, pair):
            found = (_numbers(inspected, text, key, matches, time) for time, matches in enumerate(times))
            return next((fault for fault in found if fault is not None), None)
    return None


def differs(step: Step) -> bool:
    """Whether devices hold different values, at some moment, of what has the same place on each."""
    for moment in step.moments:
        copies: dict[object, set[bytes]] = {}
        for shard in moment.held:
            if shard.data is not None:
                copies.setdefault(shard.index, set()).add(shard.data.tobytes())
        if any(len(each) > 1 for each in copies.values()):
            return True
    return False


def _copied(described: Output, expected: tuple[Floats, Floats] | None) -> bool:
    """Whether every device has to hold the same: the whole value, or a row of the same numbers."""
    if described.placement == "replicated":
        return True
    rows = isinstance(described.placement, Split) and described.placement.split == 0 and expected is not None
    return rows and expected is not None and bool((expected[0] == expected[0][:1]).all())


def _equal(output: OutputArray) -> bool:
    copies = [shard.data for shard in output.shards if shard.data is not None]
    return len({copy.tobytes() for copy in copies if copy.shape == copies[0].shape}) <= 1


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
    what = f"`{text.expression(last.span)}` becomes `{key}`, which has to be the same on every device"
    sentences = [f"{what}, and differs from device to device: no collective joins what each makes of its own rows"]
    gradient = next((one for one in reversed(different) if one.op == "gradient" and one is not last), None)
    if gradient is not None:
        sentences.append(
            f"line {gradient.span.line}: the gradient of each device's own rows goes there as it is; average it first"
        )
    return Fault(last.span.line, tuple(sentences))


def _numbers(inspected: Inspected, text: Text, key: str, matches: Mapping[int, Match], time: int) -> Fault | None:
    """Where the numbers of an output leave the reference's in iteration `time` of its loop, or where there is no loop."""
    steps, made = inspected.trace.steps, inspected.made.get(key, ())

    def stop(step: Step) -> bool:
        return step.op in ("input", "enter") or (step.number in matches and matches[step.number].right)

    reached = _back(steps, made, stop)
    wrong = [one for one in reached if not stop(one) and one.op not in FORMAL and one.span.line]
    if not wrong:
        return _another(steps, text, key, [matches[number] for number in made if number in matches], made)
    # The last thing known on the way says what went wrong; it began where that was first held.
    behind = of_backward_pass(steps)
    told = [
        one
        for one in wrong
        if (one.number not in behind or one.op in COLLECTIVES)
        and (found := matches.get(one.number)) is not None
        # A sum over the devices is wrong only where the reference has a part of it.
        and (found.factor != 1 or found.also is not None)
    ]
    first = next(one for one in told if _alike(matches[one.number], matches[told[-1].number])) if told else wrong[0]
    when = f"in iteration {time}, " if first.loop and time else ""
    told_of_it = f"it is {matches[first.number]}" if told else "neither it nor what follows is a value of the reference"
    sentences = [f"{when}{_called(first, text)} leads to the wrong `{key}`: {told_of_it}"]
    right = [one for one in reached if one.number in matches and matches[one.number].right and one.op not in FORMAL]
    if right:
        last = right[-1]
        sentences.append(f"line {last.span.line} is still right: {_called(last, text)} is {matches[last.number]}")
    return Fault(first.span.line, tuple(sentences))


def _another(steps: Sequence[Step], text: Text, key: str, held: Sequence[Match], made: Sequence[int]) -> Fault | None:
    """An output that is another value of the reference."""
    if len(held) != len(made) or not held or key in held[-1].reference.name:
        return None
    last = steps[made[-1]]
    return Fault(last.span.line, (f"{_called(last, text)} becomes `{key}`, and it is {held[-1]}",))


def of_backward_pass(steps: Sequence[Step]) -> frozenset[int]:
    """Steps of backward passes, and what was computed on the way forward for them alone."""
    forward = {parent for step in steps if not step.backward for parent in step.parents}
    backward = {parent for step in steps if step.backward for parent in step.parents}
    return frozenset(backward - forward) | {step.number for step in steps if step.backward}


def _alike(one: Match, other: Match) -> bool:
    return (one.reference.name, one.factor) == (other.reference.name, other.factor)


def _called(step: Step, text: Text) -> str:
    if step.op == "gradient":
        return "the gradient"
    expression = f"`{text.expression(step.span)}`"
    if not step.backward:
        return expression
    if step.op in COLLECTIVES:
        return f"the {step.op.removesuffix('_invariant')} that JAX adds in the backward pass of {expression}"
    return f"the backward pass of {expression}"


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
