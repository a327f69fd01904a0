"""A case: inputs, what must come out, and how far off is too far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Value = NDArray[np.generic] | float | int | tuple[int, ...]
Group = Literal["examples", "hidden", "fuzzed"]
Dims = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """What a program is compiled for: the sizes of the dims, and the values of static scalars.

    Attributes:
        dims: (name, size) in the order of the YAML.
        static: (name, value) of `int` and `ints` inputs, in the order of the YAML.
    """

    dims: Dims
    static: tuple[tuple[str, int | tuple[int, ...]], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in (*self.dims, *self.static))


@dataclass(frozen=True, slots=True)
class Case:
    """One test of a submission.

    Attributes:
        id: unique in its bank, such as `example-1`, `hidden-zero-rate`, `fuzz-017`.
        group: where its points go.
        category: what may be said of it when it is hidden, such as "targets of 1e4".
        signature: dims and static values.
        inputs: by name, in call order; arrays in the dtype of the YAML, C order, never to be written to.
        expected: float64 (or bool, int) by output key, from the oracle.
        tolerance: float64 of the same shapes, each element the greatest difference that is right (`<=`).
        stratum: the range of data it was drawn from; "" for a pinned case given by its values.
    """

    id: str
    group: Group
    category: str
    signature: Signature
    inputs: Mapping[str, Value]
    expected: Mapping[str, NDArray[np.generic]]
    tolerance: Mapping[str, NDArray[np.float64]]
    stratum: str = ""

    @property
    def shareable(self) -> bool:
        """Whether its numbers may be shown to a student."""
        return self.group == "examples"


@dataclass(frozen=True, slots=True)
class Bank:
    """All cases of a problem for one seed, the same for every submission of a run.

    Attributes:
        seed: what it was drawn with.
        cases: pinned first, in the order of the YAML, then the fuzzed ones.
        throwaways: cases of the first example's signature, in no group, that only the live run and the program's check of it
            see. The first has the example's scalars and other values, and shows what is kept by shape or by scalar; a second,
            where the problem has float scalars, has others of these too, and shows what is compiled once a shape with a scalar
            inside.
        digest: SHA-256 over the seed, the cases and the throw-away cases; part of each cache key.
        unanswered: cases without expected values, from which relations start where only the answers to the examples are known;
            then there are no fuzzed and no throw-away cases.
    """

    seed: int
    cases: tuple[Case, ...]
    throwaways: tuple[Case, ...]
    digest: str
    unanswered: tuple[Case, ...] = ()

    def signatures(self) -> tuple[Signature, ...]:
        """Every signature once, the examples' first."""
        return tuple(dict.fromkeys(case.signature for case in self.cases))
