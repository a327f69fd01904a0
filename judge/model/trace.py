"""What one run of a submission held on each device, step by step: a claim of its process, to look at and not to judge by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judge.model.outcome import Answer, Ended, Load, Raised, Shard


@dataclass(frozen=True, slots=True)
class Span:
    """An expression of the student's file: lines from 1, columns from 0, the last one exclusive. Line 0 is none."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Moment:
    """The values of one step at one time. `iteration` counts the loops around it from 0, the outermost first; `held` has a
    shard for each device that got there."""

    iteration: tuple[int, ...]
    held: tuple[Shard, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One value that was computed.

    Attributes:
        number: its place in the trace; `parents` are the numbers of earlier steps whose values it was made from.
        span: the expression that asked for it.
        op: JAX's primitive, or `input` (an argument of `solve`), `enter` (an operand of a manual region), `gradient` (what
            `jax.grad` returned), `loop` (how often a loop ran) and `branch` (which branch was taken).
        shape: of the value; inside a manual region that of a shard.
        backward: whether it belongs to the backward pass of the expression.
        label: the name of an input or operand, the place in a tree of gradients; "" where there is none.
        axes: the mesh axes of a collective; of an `enter` step `place:axis` for every axis of it that is split.
        groups: the devices that take part in a collective together.
        manual: whether each device holds a value of its own; else shards are parts of one array.
        partial: whether only the first elements were kept, as a vector.
        loop: numbers of the loops around it, the outermost first.
        moments: in the order of time; empty where no value was kept.
    """

    number: int
    span: Span
    op: str
    parents: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    backward: bool
    label: str
    axes: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    manual: bool
    partial: bool
    loop: tuple[int, ...]
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """Every step that was kept, in order. `notes` are (line, sentence): what was not followed; `left_out` counts steps
    beyond the bound."""

    steps: tuple[Step, ...]
    notes: tuple[tuple[int, str], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Inspected:
    """A run that was looked at. `made` names the steps that each output came from.

    One of `load`, `ended` and `result` is set; `trace` goes with a result.
    """

    load: Load | None
    ended: Ended | None
    result: Answer | Raised | None
    made: Mapping[str, tuple[int, ...]]
    trace: Trace
