"""What is asked of whatever knows the right answers: the author's oracle, or what stands for one that is private."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

from judge.oracle.client import Inputs, Mistake, MistakeFailed, Outputs, Tolerance


class Reference(Protocol):
    """As `judge.oracle.client.Oracle` explains; each method raises `FaultyFile` where there is no answer."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def with_tolerances(self, many: Sequence[Inputs]) -> list[tuple[Outputs, Tolerance]]: ...
    def mistakes(self) -> list[Mistake]: ...
    def mistakes_with_tolerance(
        self, inputs: Inputs, names: Sequence[str]
    ) -> dict[str, tuple[Outputs, Tolerance] | MistakeFailed]: ...
