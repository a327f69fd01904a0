"""A trace rebuilt from what an inspection child sent: every field checked, every array of the shape that its step says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge.model.outcome import OutputArray, Shard
from judge.model.trace import Moment, Span, Step, Trace
from judge.runner.wire import MAX_AXES, Buffer
from judge.sandbox import replies
from judge.sandbox.fields import Malformed, integer, items, mapping, one_of, text

MAX_STEPS = 8000
MAX_LINE = 1 << 31
MAX_DEVICE = 1 << 16
MAX_EXTENT = 1 << 40
#: Iterations of a loop that are kept: the first ones, and the last in the last place. As in `judge.runner.tape`.
ITERATIONS = 5
#: Moments of one step: two loops, one in the other.
MAX_MOMENTS = ITERATIONS**2
Context = tuple[tuple[str, int, int], ...]
Slots = tuple[int, ...]


def trace(header: object, left: list[Buffer]) -> Trace:
    """The `trace` of an answer; takes its buffers off `left`."""
    given = mapping(header, "a trace")
    reader = _Reader()
    entries = items(given.get("steps"), "steps", MAX_STEPS)
    steps = [reader.step(mapping(entry, "a step"), left) for entry in entries]
    notes = [mapping(entry, "a note") for entry in items(given.get("notes"), "notes")]
    return Trace(
        tuple(steps),
        tuple((integer(one.get("line"), "a line", MAX_LINE), text(one.get("text"), "a note")) for one in notes),
        integer(given.get("left_out"), "a count of steps", 1 << 40),
    )


def made(header: object, steps: int) -> Mapping[str, tuple[int, ...]]:
    """The steps that made each output."""
    given = mapping(header, "the makers of the outputs")
    return {text(key, "a key"): _numbers(ids, "steps", steps) for key, ids in given.items()}


class _Reader:
    """Reads steps in order; remembers where each stands and what loops and branches said."""

    def __init__(self) -> None:
        self._contexts: list[Context] = []
        self._held: list[dict[int, NDArray[np.generic]]] = []
        self._ops: list[str] = []

    def step(self, entry: Mapping[str, Any], left: list[Buffer]) -> Step:
        number = len(self._ops)
        shape = tuple(integer(n, "an extent", MAX_EXTENT) for n in items(entry.get("shape"), "a shape", MAX_AXES))
        context = self._context(entry.get("within"), number)
        value = replies.array(entry.get("value"), left)
        manual, partial = _bool(entry.get("manual"), "manual"), _bool(entry.get("partial"), "partial")
        loops = tuple(outer for op, outer, _ in context if op == "loop")
        outside = integer(entry.get("outside"), "a count of loops", MAX_AXES)
        layout = _Layout(manual, len(loops), outside, None if partial else shape)
        self._contexts.append(context)
        self._held.append({shard.device: shard.data for shard in value.shards if shard.data is not None})
        self._ops.append(text(entry.get("op"), "an operation"))
        return Step(
            number,
            Span(*_span(entry.get("span"))),
            self._ops[-1],
            _numbers(entry.get("parents"), "parents", number),
            shape,
            text(entry.get("dtype"), "a dtype"),
            _bool(entry.get("backward"), "backward"),
            text(entry.get("label"), "a label"),
            tuple(text(one, "an axis") for one in items(entry.get("axes"), "axes", MAX_AXES)),
            tuple(_numbers(group, "a group", MAX_DEVICE) for group in items(entry.get("groups"), "groups")),
            manual,
            partial,
            loops,
            tuple(self._moments(context, value, layout)),
        )

    def _context(self, value: object, number: int) -> Context:
        context: Context = ()
        for entry in items(value, "what a step stands in", MAX_AXES):
            op, outer, branch = (*items(entry, "a loop or branch", 3), None, None, None)[:3]
            op = one_of(op, ("loop", "branch"))
            outer = integer(outer, "a loop or branch", number - 1)
            if self._ops[outer] != op or self._contexts[outer] != context:
                raise Malformed("a step in a loop or branch that is none")
            context = (*context, (op, outer, integer(branch, "a branch", 1 << 16)))
        return context

    def _moments(self, context: Context, value: OutputArray, layout: _Layout) -> Iterator[Moment]:
        for slots in itertools.islice(itertools.product(range(ITERATIONS), repeat=layout.loops), MAX_MOMENTS):
            held, iteration = [], None
            for shard in value.shards:
                data, index = layout.part(shard, slots)
                number = self._iteration(context, shard.device, slots)
                if number is not None:
                    held.append(Shard(shard.device, index, data))
                    iteration = iteration or number
            if held:
                yield Moment(iteration or (), tuple(held))

    def _iteration(self, context: Context, device: int, slots: Slots) -> tuple[int, ...] | None:
        """Which iteration of each loop a device's values in `slots` are of; None where it did not get there."""
        numbers: list[int] = []
        for op, outer, branch in context:
            said = self._said(outer, device, slots[: len(numbers)])
            if said is None:
                return None
            if op == "branch":
                if said != branch:
                    return None
                continue
            slot = slots[len(numbers)]
            if slot >= min(said, ITERATIONS):
                return None
            numbers.append(said - 1 if slot == ITERATIONS - 1 else slot)
        return tuple(numbers)

    def _said(self, number: int, device: int, slots: Slots) -> int | None:
        """What the loop or branch step says of a device."""
        if device not in self._held[number]:
            return None
        values = self._held[number][device].reshape(-1)
        place = 0
        for slot in slots:
            place = place * ITERATIONS + slot
        if values.dtype.kind != "i" or place >= values.size:
            raise Malformed("a loop or branch that says nothing of a device")
        return int(values[place])


class _Layout:
    """How a shard's buffer is laid out: an axis for each loop around the manual region, one for the device, one for each loop
    inside, then the value."""

    def __init__(self, manual: bool, loops: int, outside: int, shape: tuple[int, ...] | None) -> None:
        if outside > (loops if manual else 0):
            raise Malformed("a region in more loops than there are")
        self.loops = loops
        self._manual = manual
        self._outside = outside
        self._shape = shape

    def part(self, shard: Shard, slots: Slots) -> tuple[NDArray[np.generic], tuple[tuple[int, int], ...]]:
        """The value in `slots`, and where in the whole value it stands."""
        data = shard.data
        assert data is not None, "a shard of an array has its data"
        device = (0,) if self._manual else ()
        lead = (*slots[: self._outside], *device, *slots[self._outside :])
        extents = [ITERATIONS] * self.loops
        extents[self._outside : self._outside] = [1] * len(device)
        if data.shape[: len(lead)] != tuple(extents):
            raise Malformed("a value without a place for each device and iteration")
        part: NDArray[np.generic] = data[(*lead, ...)]
        if self._manual and self._shape is not None and part.shape != self._shape:
            raise Malformed("a value that is not of its step's shape")
        if self._manual or self._shape is None:
            return part, tuple((0, extent) for extent in part.shape)
        if len(shard.index) != len(lead) + len(self._shape):
            raise Malformed("a value with other axes than its step")
        return part, shard.index[len(lead) :]


def _span(value: object) -> tuple[int, int, int, int]:
    numbers = items(value, "a span", 4)
    if len(numbers) != 4:
        raise Malformed("a span that has no four ends")
    line, column, end_line, end_column = (integer(one, "an end", MAX_LINE) for one in numbers)
    return line, column, end_line, end_column


def _numbers(value: object, what: str, below: int) -> tuple[int, ...]:
    return tuple(integer(one, what, below - 1) for one in items(value, what, MAX_STEPS))


def _bool(value: object, what: str) -> bool:
    if type(value) is not bool:
        raise Malformed(f"{what} is true or false")
    return value


def rest(buffers: Sequence[Buffer]) -> None:
    """Nothing may be left over."""
    if buffers:
        raise Malformed("more buffers than values")
