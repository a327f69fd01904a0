"""What came of one call on an input of a student's own, beside what the oracle says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an output.

    `tolerances` is how many times the tolerance `yours` is off, infinite where that has no sense. Where nothing knows what is
    right, `oracle` is None and `tolerances` zero.
    """

    place: str
    yours: float
    oracle: float | None
    tolerances: float


@dataclass(frozen=True, slots=True)
class Output:
    """One output.

    Attributes:
        key: its name.
        described: what came back: dtype, shape, and where it lies.
        elements: the worst ones, in their order; none where it cannot be compared.
        more: how many elements are not among them; none of them is worse.
        copies: (devices, what they hold) where devices that should hold the same do not; else empty.
    """

    key: str
    described: str
    elements: tuple[Element, ...] = ()
    more: int = 0
    copies: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """The call.

    Attributes:
        faults: sentences, the gravest first; none means that whatever was checked is right.
        outputs: what came back; none where nothing did.
        compared: whether the oracle has spoken. Where it is private the values are shown, and not judged.
        stdout: what was printed.
    """

    faults: tuple[str, ...]
    outputs: tuple[Output, ...]
    compared: bool
    stdout: str
