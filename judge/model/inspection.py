"""What is told of a trace: the entries beside each line, and where it goes wrong."""

from __future__ import annotations

from dataclasses import dataclass

from judge.model.trace import Inspected, Step


@dataclass(frozen=True, slots=True)
class Entry:
    """One step beside its line.

    Attributes:
        name: what the value is called: the name it is assigned to, or the expression.
        step: the step itself.
        before: the operand of a collective; None for every other step.
        reference: which value of the oracle it is, "" where it is none that is known.
        unequal: whether devices that should hold copies of one value hold different ones.
    """

    name: str
    step: Step
    before: Step | None = None
    reference: str = ""
    unequal: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the source and its entries, in the order of the computation. Line 0 holds the inputs."""

    line: int
    text: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """`line` is where it begins, 0 where that is unknown; `sentences` say what is seen there, the first one the most."""

    line: int
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was seen of one run. `fault` is where it goes wrong; None where it does not, or nothing leads there."""

    inspected: Inspected
    rows: tuple[Row, ...]
    fault: Fault | None
