"""The terminal's view of an inspection: the source, and under each line what every device held there.

Whatever the student wrote, source and names included, stands behind a bar or is spelled so that it does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape

from judge.model.inspection import Entry, Fault, Inspection, Row
from judge.model.outcome import Raised, Shard
from judge.model.trace import Inspected, Moment, Step
from judge.reports.redact import logged, quoted

if TYPE_CHECKING:
    from rich.console import Console

#: Elements of one shard, shards of one value, and moments of one step that are spelled out.
ELEMENTS = 6
SHARDS = 8
MOMENTS = 3
INDENT = " " * 9


def show(console: Console, heading: str, found: Inspection) -> None:
    """`render` below a heading."""
    console.print(escape(logged(heading)), style="bold", highlight=False)
    for line in render(found):
        console.print(escape(line), highlight=False)


def show_fault(console: Console, fault: Fault | None) -> None:
    """Where a submission goes wrong, set off by an empty line; nothing where that is not known."""
    for line in ("", *fault_lines(fault)) if fault is not None else ():
        console.print(escape(line), highlight=False)


def render(found: Inspection) -> list[str]:
    """Every line of the source with its values, then where it goes wrong and what was not followed."""
    if found.inspected.load is not None:
        return _raised("it cannot be loaded", found.inspected.load.raised)
    if found.inspected.ended is not None:
        return [f"it ended early: {logged(found.inspected.ended.detail)}"]
    lines = [line for row in found.rows for line in _row(row)]
    if isinstance(found.inspected.result, Raised):
        lines += ["", *_raised("it raised", found.inspected.result)]
    elif found.fault is not None:
        lines += ["", *fault_lines(found.fault)]
    return [*lines, *_notes(found.inspected)]


def fault_lines(fault: Fault) -> list[str]:
    """Where a submission goes wrong, in a few lines."""
    first, *others = (_text(sentence) for sentence in fault.sentences)
    place = f"line {fault.line}: " if fault.line else ""
    return [f"it goes wrong here: {place}{first}", *(f"  {one}" for one in others)]


def _row(row: Row) -> Iterator[str]:
    yield f"{row.line:>4} {quoted(row.text)}" if row.line else "inputs"
    entered = [entry for entry in row.entries if entry.step.op == "enter"]
    if entered:
        yield from _entered(entered)
    for entry in row.entries:
        if entry.step.op != "enter":
            yield from _entry(entry)


def _entered(entries: Sequence[Entry]) -> Iterator[str]:
    """The operands of a manual region: those that are split, with what each device got, then those that are not."""
    for entry in entries:
        if entry.step.axes:
            splits = " and ".join(_split(one) for one in entry.step.axes)
            yield from _moments(entry.step, f"split {_called(entry)}, {splits}:  ")
    rest = [_called(entry) for entry in entries if not entry.step.axes]
    if rest:
        yield f"{INDENT}whole on every device: {', '.join(rest)}"


def _split(axis: str) -> str:
    place, _, name = axis.partition(":")
    return f"axis {logged(place)} over mesh axis {_text(name)}"


def _entry(entry: Entry) -> Iterator[str]:
    step = entry.step
    if step.op == "loop":
        yield f"{INDENT}loop  {_said(step, ' times')}"
        return
    if step.op == "branch":
        yield f"{INDENT}branch taken  {_said(step, '')}"
        return
    if step.axes:
        name = step.op.removesuffix("_invariant")
        backward = " (backward)" if step.backward else ""
        yield f"{INDENT}{name} of {_text(entry.name)}{backward} over {_text(', '.join(step.axes))}{_groups(step)}"
        if entry.before is not None:
            yield from _moments(entry.before, "  before  ")
        yield from _moments(step, "  after   ", entry.reference)
        return
    yield from _moments(step, f"{_called(entry)}{_layout(entry)}:  ", entry.reference)


def _called(entry: Entry) -> str:
    """Name, dtype and shape."""
    step = entry.step
    backward = " (backward)" if step.backward else ""
    return f"{_text(entry.name)} {logged(step.dtype, most=40)}[{','.join(map(str, step.shape))}]{backward}"


def _groups(step: Step) -> str:
    if not step.groups:
        return ""
    told = "; ".join(_devices(group) for group in step.groups[:SHARDS])
    return f", devices {told}{'; ...' if len(step.groups) > SHARDS else ''}"


def _on(numbers: Sequence[int]) -> str:
    return f"on device{'s' if len(numbers) > 1 else ''} {_devices(numbers)}"


def _devices(numbers: Sequence[int]) -> str:
    """`0-7`, or the numbers one by one."""
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]}-{numbers[-1]}"
    return " ".join(map(str, numbers))


def _layout(entry: Entry) -> str:
    """How one array lies over several devices outside a manual region."""
    step = entry.step
    held = step.moments[-1].held if step.moments else ()
    if step.manual or len(held) < 2:
        return ""
    parts = [len({shard.index[axis] for shard in held}) for axis in range(min(map(len, (one.index for one in held))))]
    split = [f"axis {axis} in {count} parts" for axis, count in enumerate(parts) if count > 1]
    return (
        f", {' and '.join(split)} over {len(held)} devices"
        if split
        else f", whole on {len(held)} devices{', whose copies differ' if entry.unequal else ''}"
    )


def _said(step: Step, unit: str) -> str:
    """What a loop or branch says: one number, or the devices of each."""
    devices: dict[int, list[int]] = {}
    for shard in step.moments[0].held if step.moments else ():
        if shard.data is not None:
            devices.setdefault(int(shard.data), []).append(shard.device)
    if len(devices) == 1:
        return f"{next(iter(devices))}{unit}"
    return "; ".join(f"{number}{unit} {_on(ids)}" for number, ids in devices.items())


def _moments(step: Step, lead: str = "", reference: str = "") -> Iterator[str]:
    """One line where all fits, else a line a device and iteration below the name."""
    shown = step.moments if len(step.moments) <= MOMENTS else (*step.moments[: MOMENTS - 1], step.moments[-1])
    lines = []
    for moment in shown:
        when = f"iteration {', '.join(map(str, moment.iteration))}:  " if moment.iteration else ""
        lines += [when + line for line in _values(step, moment)]
    known = f"   = {_text(reference)}" if reference else ""
    if len(lines) <= 1:
        yield f"{INDENT}{lead}{lines[0] if lines else 'its values were not kept'}{known}"
        return
    yield f"{INDENT}{lead.rstrip()}{known}"
    yield from (f"{INDENT}    {line}" for line in lines)


def _values(step: Step, moment: Moment) -> list[str]:
    """One line where all devices hold the same or one number each, else a line a device."""
    held = moment.held
    ids = [shard.device for shard in held]
    where = f" {_on(ids)}" if step.manual or len(held) > 1 else ""
    if len({_bytes(shard) for shard in held}) == 1 and len({shard.index for shard in held}) == 1:
        return [f"{_array(held[0].data, partial=step.partial)}{where}"]
    if all(shard.data is not None and shard.data.size == 1 for shard in held):
        numbers = ", ".join(_number(shard.data.reshape(-1)[0]) for shard in held[:64] if shard.data is not None)
        return [f"{numbers}{where}"]
    lines = [f"device {shard.device}: {_array(shard.data, partial=step.partial)}" for shard in held[:SHARDS]]
    return [*lines, *([f"... {len(held) - SHARDS} devices more"] if len(held) > SHARDS else [])]


def _bytes(shard: Shard) -> bytes:
    return b"" if shard.data is None else shard.data.tobytes()


def _array(value: NDArray[np.generic] | None, *, partial: bool) -> str:
    if value is None:
        return "not kept"
    flat = value.reshape(-1)
    if flat.size == 1:
        return _number(flat[0])
    if flat.size > ELEMENTS or partial:
        more = "" if partial else f" ({flat.size} in all)"
        return f"[{', '.join(_number(one) for one in flat[:ELEMENTS])}, ...]{more}"
    return _nested(value)


def _nested(value: NDArray[np.generic]) -> str:
    if value.ndim == 0:
        return _number(value[()])
    return f"[{', '.join(_nested(row) for row in value)}]"


def _number(value: object) -> str:
    if isinstance(value, np.bool_ | bool):
        return str(bool(value))
    return f"{value:.6g}" if isinstance(value, np.floating) else str(value)


def _raised(what: str, raised: Raised) -> list[str]:
    place = f" on line {raised.line}" if raised.line else ""
    return [f"{what}{place}: {_text(raised.type)}: {_text(raised.message)}"]


def _notes(inspected: Inspected) -> list[str]:
    lines = [f"{f'line {line}: ' if line else ''}{_text(note)}" for line, note in inspected.trace.notes]
    if inspected.trace.left_out:
        lines.append(f"{inspected.trace.left_out} steps beyond the bound were left out")
    return ["", "not followed:", *(f"  {line}" for line in lines)] if lines else []


def _text(text: str) -> str:
    """A student's words inside a line of ours."""
    return quoted(logged(text, most=400)).removeprefix("| ")
