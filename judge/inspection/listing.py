"""The source with what was held beside each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judge.inspection.fault import COLLECTIVES, FORMAL, differs, of_backward_pass
from judge.inspection.references import Match
from judge.inspection.source import Text
from judge.model.inspection import Entry, Row
from judge.model.trace import Step, Trace

STRUCTURE = frozenset({"enter", "loop", "branch"})
ALWAYS = STRUCTURE | COLLECTIVES | {"gradient", "input"}


def listing(trace: Trace, text: Text, matches: Mapping[int, Match], *, everything: bool = False) -> tuple[Row, ...]:
    """Every line of the source. A span shows the last value that it came to, its collectives and its gradients; with
    `everything`, every operation, those of backward passes among them."""
    chosen = trace.steps if everything else _chosen(trace.steps)
    entries: dict[int, list[Entry]] = {}
    for step in chosen:
        if step.span.line or step.op == "input":
            entries.setdefault(step.span.line, []).append(_entry(trace, step, text, matches))
    rows = [Row(0, "", tuple(entries[0]))] if 0 in entries else []
    rows += [Row(line, text.line(line), tuple(entries.get(line, ()))) for line in range(1, len(text.lines) + 1)]
    return tuple(rows)


def _chosen(steps: Sequence[Step]) -> list[Step]:
    # What JAX adds at a loop is its counter; what only the backward pass uses is no value of the expression.
    calls = {step.span for step in steps if step.op in STRUCTURE}
    behind = of_backward_pass(steps)
    within = {number for step in steps for number in step.parents if steps[number].span == step.span}
    last: dict[tuple[object, ...], int] = {}
    for step in steps:
        counter = bool(step.loop) and step.span in calls
        if not (step.number in behind or step.number in within or counter or step.op in ALWAYS):
            # A tree comes to several values, and a call that is repeated shows the last time.
            last[step.span, step.op, step.shape] = step.number
    # A change of form is shown where nothing else is.
    lines = {steps[number].span.line: number for number in last.values()}
    shown = {number for number in last.values() if steps[number].op not in FORMAL} | set(lines.values())
    return [step for step in steps if step.op in ALWAYS or step.number in shown]


def _entry(trace: Trace, step: Step, text: Text, matches: Mapping[int, Match]) -> Entry:
    before = trace.steps[step.parents[-1]] if step.op in COLLECTIVES and step.parents else None
    found = matches.get(step.number)
    # A multiple may be chance; where it goes wrong, it is told with the fault.
    reference = "" if found is None or found.factor != 1 else str(replace(found, also=None))
    unequal = not step.manual and differs(step)
    return Entry(_name(step if before is None else before, text), step, before, reference, unequal)


def _name(step: Step, text: Text) -> str:
    if step.op == "input" or (step.op == "enter" and step.label):
        return step.label
    if step.op == "gradient":
        return f"gradient{step.label}"
    return text.assigned(step.span) or text.expression(step.span)
