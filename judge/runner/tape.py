"""What was computed, step by step: where in the source, from which steps, and the arrays themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from judge.runner.answers import Encoder
from judge.runner.private import source_info
from judge.runner.wire import DTYPES

Span = tuple[int, int, int, int]
Ids = tuple[int, ...]
Values = list[Any]
NOWHERE: Span = (0, 0, 0, 0)
#: Shards of all steps together: what bounds the header and the buffers of the answer.
SHARDS = 8000
#: Elements that are kept of one step on one device, and iterations of a loop: the first ones and the last.
ELEMENTS = 1024
ITERATIONS = 5
NOTES = 20


@dataclass(slots=True)
class Step:
    """One value that was computed.

    Attributes:
        span: line, column, last line and last column of the student's expression; `NOWHERE` where there is none.
        op: the primitive; `input`, `enter`, `loop` and `branch` are the judge's own.
        parents: steps whose values it was made from.
        shape, dtype: of the value, a shard's inside a manual region.
        axes: mesh axes of a collective; of `enter` those that split the operand.
        groups: device ids that take part in a collective together.
        within: `("loop", id, 0)` and `("branch", id, number)` from the outside in.
        manual: whether every device holds a value of its own, on a leading axis.
        outside: how many loops stand around the manual region; their axes come before that of the devices.
        place: how the leading axis of a manual value lies over the devices.
        partial: whether only the first `ELEMENTS` elements were kept, as a vector.
    """

    span: Span
    op: str
    parents: Ids
    shape: tuple[int, ...]
    dtype: str
    backward: bool = False
    label: str = ""
    axes: tuple[str, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    within: tuple[tuple[str, int, int], ...] = ()
    manual: bool = False
    outside: int = 0
    place: Any = None
    partial: bool = False
    value: Any = None


@dataclass(slots=True)
class Tape:
    """The steps in the order of the computation. `notes` are (line, sentence): what could not be followed, and why."""

    filename: str
    devices: int
    steps: list[Step] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    left_out: int = 0

    @property
    def full(self) -> bool:
        return (len(self.steps) + 1) * self.devices > SHARDS

    def add(self, step: Step) -> int:
        """The id of the step."""
        self.steps.append(step)
        return len(self.steps) - 1

    def note(self, line: int, text: str) -> None:
        if len(self.notes) < NOTES and (line, text) not in self.notes:
            self.notes.append((line, text))

    def forget(self, length: int) -> None:
        """Drop every step from number `length` on."""
        del self.steps[length:]

    def span(self, traceback: Any) -> Span:
        """The innermost expression of the student's file in a traceback of JAX's."""
        frames = source_info.user_frames(traceback) if traceback is not None else ()
        for frame in frames:
            if frame.file_name == self.filename:
                return frame.start_line, frame.start_column, frame.end_line, frame.end_column
        return NOWHERE

    def encoded(self, encoder: Encoder) -> dict[str, Any]:
        """`trace` of the protocol; the values become buffers of the encoder."""
        steps = [
            {
                "span": list(step.span),
                "op": step.op,
                "parents": list(step.parents),
                "shape": list(step.shape),
                "dtype": step.dtype,
                "backward": step.backward,
                "label": step.label,
                "axes": list(step.axes),
                "groups": [list(group) for group in step.groups],
                "within": [list(one) for one in step.within],
                "manual": step.manual,
                "outside": step.outside,
                "partial": step.partial,
                "value": encoder.output(step.value),
            }
            for step in self.steps
        ]
        notes = [{"line": line, "text": text} for line, text in self.notes]
        return {"steps": steps, "notes": notes, "left_out": self.left_out}


@dataclass(slots=True)
class Scope:
    """Where a replay stands: what has been kept there, and the mesh and axes of the manual region around it."""

    values: Values = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    mesh: Any = None
    manual: tuple[str, ...] = ()

    def inner(self) -> Scope:
        """A place inside, where nothing has been kept yet."""
        return Scope(mesh=self.mesh, manual=self.manual)


def kept(value: Any) -> tuple[Any, bool]:
    """What is kept of a value: at most `ELEMENTS` elements in a dtype that may cross; whether something is missing."""
    if value.dtype.name not in DTYPES:
        value = value.astype(jnp.float32)
    if value.size <= ELEMENTS:
        return value, False
    return value.reshape(-1)[:ELEMENTS], True


def can_be_kept(value: Any) -> bool:
    """Whether it is an array of numbers; keys of random generators and tokens are none."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and not jnp.issubdtype(dtype, jax.dtypes.extended) and np.dtype(dtype).kind in "biufV"


def together(several: Sequence[Ids]) -> Ids:
    """The ids of several, each once, in order."""
    return tuple(dict.fromkeys(one for ids in several for one in ids))
