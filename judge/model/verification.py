"""What `judge verify` found out about a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Section = Literal["oracle", "checks", "relations", "mistakes", "solutions", "limits"]


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was looked at.

    Attributes:
        section: which part of the verification.
        name: of the mistake, solution, check or relation.
        result: what came out, such as the case that kills a mistake or the verdict of a solution.
        figure: how far it is from the line, with its unit; "" where nothing was measured.
        fine: False where it is a fault.
    """

    section: Section
    name: str
    result: str
    figure: str = ""
    fine: bool = True


@dataclass(frozen=True, slots=True)
class Verification:
    """A verified problem.

    Attributes:
        slug: of the problem.
        faults: sentences, each with its remedy; none means that the problem may be used.
        rows: everything that was looked at.
        recognised: wrong solutions that say which mistake they make: (recognised as it, all of them).
        minimal: ids of few pinned cases that kill every mistake that pinned cases can; empty unless it was asked for.
        seconds: of work on this problem, added over all threads.
    """

    slug: str
    faults: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    recognised: tuple[int, int] = (0, 0)
    minimal: tuple[str, ...] = ()
    seconds: float = 0.0
