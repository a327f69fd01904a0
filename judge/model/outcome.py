"""What came back from the sandbox, rebuilt from bytes and checked, never a live object of a submission.

Names keep claims and facts apart: an `Answer` of a live run is what the student's process says it returned; `Usage` and
`Ended` are measured from outside it; `Facts` were read from a program in a process that no student code entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from judge.model.case import Signature
from judge.model.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Usage:
    """Measured outside the child: seconds of CPU (all threads) and of wall clock, and peak resident bytes."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """A child ended before it had answered. `verdict` is one of `ENDS`, the first reason recorded.

    `stage` is what it was doing (`load`, `first call`, `call`, `export`, `program`); `detail` one sentence with the limit
    that was hit or the exit status or signal.
    """

    verdict: Verdict
    stage: str
    detail: str


@dataclass(frozen=True, slots=True)
class Shard:
    """What one device holds: `index` is (start, stop) an axis; `data` is None where its dtype may not cross."""

    device: int
    index: tuple[tuple[int, int], ...]
    data: NDArray[np.generic] | None


@dataclass(frozen=True, slots=True)
class OutputArray:
    """One returned array. `kind` is `jax`, `numpy`, or the name of another type (then there are no shards)."""

    kind: str
    dtype: str
    shape: tuple[int, ...]
    shards: tuple[Shard, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What `solve` returned: `type` is `dict` or the name of what it was; `outputs` in the order returned."""

    type: str
    outputs: Mapping[str, OutputArray]


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception of the student's: `line` is the last line of their file in the traceback, 0 where there is none."""

    type: str
    message: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Load:
    """The submission could not be loaded: it raised at import, or there is no usable entry function."""

    raised: Raised


@dataclass(frozen=True, slots=True)
class LiveOutcome:
    """A live run. `answers` holds (label, answer) in call order, a label being a case id, or `again:` before one.

    When `load` is set there are no answers; when `ended` is set the answers before the end stand. `modules` are the
    StableHLO modules that the child says it compiled.
    """

    load: Load | None
    answers: tuple[tuple[str, Answer | Raised], ...]
    ended: Ended | None
    usage: Usage
    seconds: Mapping[str, float] = field(default_factory=dict)
    stdout: bytes = b""
    stderr: bytes = b""
    modules: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """An exported program. `scalars` holds the float arguments that had to stay Python values, by name."""

    signature: Signature
    scalars: tuple[tuple[str, float], ...]
    blob: bytes


@dataclass(frozen=True, slots=True)
class ExportOutcome:
    """Programs by signature, and why each of the others could not be traced."""

    load: Load | None
    programs: tuple[Program, ...]
    refused: Mapping[Signature, Raised]
    ended: Ended | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class Collective:
    """One collective of a program: its StableHLO name, replica groups, and line of the student's file (0: unknown)."""

    op: str
    groups: tuple[tuple[int, ...], ...]
    line: int


@dataclass(frozen=True, slots=True)
class InputSplit:
    """`input` is divided along `axis` in `parts` parts: `by` `manual` or `auto`."""

    input: str
    axis: int
    parts: int
    by: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Path:
    """One way from an input to an output: how its rows were split on the way in (`none`, `manual`, `auto`), and
    whether it crossed a reduction over all devices after that."""

    output: str
    input: str
    split: str
    reduced: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """What a program is, read from its StableHLO."""

    devices: int
    manual_regions: int
    collectives: tuple[Collective, ...]
    splits: tuple[InputSplit, ...]
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ProgramOutcome:
    """Program runs: `answers` by case id; `facts` and `failed` (why a program did not compile or run) by index into
    the list of programs that was sent; `seconds` of wall clock of `compile` and `cases`."""

    answers: Mapping[str, Answer]
    facts: Mapping[int, Facts]
    failed: Mapping[int, str]
    ended: Ended | None
    usage: Usage
    seconds: Mapping[str, float] = field(default_factory=dict)
