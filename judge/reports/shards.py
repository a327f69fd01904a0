"""Which devices hold which part of each output, in words, for every report that tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from judge.model.record import Part, Sharding
from judge.reports.redact import spelled


@dataclass(frozen=True, slots=True)
class Row:
    """One part of one output. `differs` says that other devices hold the same part with other bits."""

    sharding: Sharding
    part: Part
    devices: str
    where: str
    values: str
    differs: bool


def rows(shardings: Iterable[Sharding]) -> Iterator[Row]:
    """A row a part, in the order of the outputs and of the lowest device."""
    for sharding in shardings:
        holders = Counter(part.index for part in sharding.parts)
        for part in sharding.parts:
            values = "" if part.values is None else spelled(part.values)
            where = _where(sharding.shape, part.index)
            yield Row(sharding, part, _ranges(part.devices), where, values, holders[part.index] > 1)


def told_of(shardings: Sequence[Sharding]) -> str:
    """The case that they are of, in words."""
    name = shardings[0].case
    return "the input above" if name == "counterexample" else name.replace("-", " ")


def _where(shape: Sequence[int], index: Sequence[tuple[int, int]]) -> str:
    """`all of it`, or the slices of a NumPy index."""
    whole = [(start, stop) == (0, size) for (start, stop), size in zip(index, shape, strict=False)]
    if all(whole):
        return "all of it"
    spans = (":" if all_ else f"{start}:{stop}" for (start, stop), all_ in zip(index, whole, strict=False))
    return f"[{', '.join(spans)}]"


def _ranges(devices: Sequence[int]) -> str:
    """`0-3, 6`: consecutive devices as a range."""
    runs: list[list[int]] = []
    for device in devices:
        if runs and device == runs[-1][-1] + 1:
            runs[-1].append(device)
        else:
            runs.append([device])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
