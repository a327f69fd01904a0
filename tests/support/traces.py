"""Traces made by hand, for tests of what only looks at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from judge.model.outcome import Answer, Shard
from judge.model.trace import Inspected, Moment, Span, Step, Trace


def held(*values: ArrayLike, device: int = 0) -> tuple[Shard, ...]:
    """One value a device, each whole."""
    arrays = [np.asarray(value) for value in values]
    return tuple(
        Shard(device + place, tuple((0, size) for size in array.shape), array) for place, array in enumerate(arrays)
    )


class Maker:
    """Adds steps one by one, on 2 devices unless they say otherwise."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, op: str, *values: ArrayLike, line: int = 1, parents: Sequence[int] = (), **changed: Any) -> int:
        """A step in a manual region that holds `values`, one a device; its number."""
        shards = held(*(np.asarray(value, np.float32) for value in values))
        first = shards[0].data if shards else None
        fields: dict[str, Any] = {
            "span": Span(line, 4, line, 9),
            "parents": tuple(parents),
            "shape": () if first is None else first.shape,
            "dtype": "float32",
            "backward": False,
            "label": "",
            "axes": (),
            "groups": (),
            "manual": True,
            "partial": False,
            "loop": (),
            "moments": (Moment((), shards),) if shards else (),
        }
        self.steps.append(Step(number=len(self.steps), op=op, **{**fields, **changed}))
        return len(self.steps) - 1

    def trace(self) -> Trace:
        return Trace(tuple(self.steps), (), 0)

    def inspected(self, answer: Answer, made: Mapping[str, Sequence[int]]) -> Inspected:
        return Inspected(None, None, answer, {key: tuple(ids) for key, ids in made.items()}, self.trace())
