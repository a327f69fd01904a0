"""The source with what was held beside each line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judge.inspection.fault import FORMAL, known_value
from judge.inspection.references import Reference
from judge.inspection.source import Text
from judge.model.trace import Span, Step, Trace

COLLECTIVES = frozenset(
    {
        *("psum", "psum_invariant", "psum2", "pmax", "pmin", "all_gather", "all_gather_invariant", "reduce_scatter"),
        *("all_to_all", "ppermute", "pbroadcast", "ragged_all_to_all", "pgather"),
    }
)
STRUCTURE = frozenset({"enter", "loop", "branch"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One step beside its line: what it is called, the step, the operand of a collective, and what the reference says."""

    name: str
    step: Step
    before: Step | None = None
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the source and its entries, in the order of the computation. Line 0 holds the inputs."""

    line: int
    text: str
    entries: tuple[Entry, ...]


def listing(trace: Trace, text: Text, known: tuple[Reference, ...], *, everything: bool = False) -> tuple[Row, ...]:
    """Every line of the source. A span shows the last value that it came to, its collectives and its gradients; with
    `everything`, every operation, those of backward passes among them."""
    chosen = trace.steps if everything else _chosen(trace.steps)
    entries: dict[int, list[Entry]] = {}
    for step in chosen:
        if step.span.line or step.op == "input":
            entries.setdefault(step.span.line, []).append(_entry(trace, step, text, known))
    rows = [Row(0, "", tuple(entries[0]))] if 0 in entries else []
    rows += [Row(line, text.line(line), tuple(entries.get(line, ()))) for line in range(1, len(text.lines) + 1)]
    return tuple(rows)


def _chosen(steps: Sequence[Step]) -> list[Step]:
    last: dict[Span, int] = {}
    calls = {step.span for step in steps if step.op in STRUCTURE}
    for step in steps:
        if not step.backward and step.op not in STRUCTURE | COLLECTIVES | {"gradient", "input"}:
            last[step.span] = step.number
    lines = {span.line: number for span, number in last.items()}
    return [
        step
        for step in steps
        if step.op in STRUCTURE | COLLECTIVES | {"gradient", "input"}
        # What JAX adds at a loop is its counter. A change of form is shown where nothing else is.
        or (last.get(step.span) == step.number and not (step.loop and step.span in calls))
        and (step.op not in FORMAL or lines[step.span.line] == step.number)
    ]


def _entry(trace: Trace, step: Step, text: Text, known: tuple[Reference, ...]) -> Entry:
    before = trace.steps[step.parents[-1]] if step.op in COLLECTIVES and step.parents else None
    found = known_value(step, known)
    return Entry(_name(step, text), step, before, "" if found is None else str(found))


def _name(step: Step, text: Text) -> str:
    if step.op == "input" or (step.op == "enter" and step.label):
        return step.label
    if step.op == "gradient":
        return "gradient"
    return text.assigned(step.span) or text.expression(step.span)
