"""Hypothesis as a library: one seed, one sequence of draws, in any process.

Two things of Hypothesis stand in the way. It is not safe for threads: one lock lets them take turns. And it mixes literal
constants of the modules that happen to be loaded from outside `site-packages` into what it draws, so that a seed would mean other
values under `judge grade`, under pytest and in an installed judge, and it keeps what it found in a folder where the command
was typed. While the judge draws, no such constants are.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
_LOCK = threading.Lock()


def _no_constant(*_: Any, **__: Any) -> None:
    return None


@contextmanager
def steady() -> Iterator[None]:
    """For the one thread inside, draws depend on nothing but the seed."""
    with _LOCK:
        # Named as it is in this version: another one fails here and not by drawing other cases.
        usual = HypothesisProvider._maybe_draw_constant  # noqa: SLF001
        HypothesisProvider._maybe_draw_constant = _no_constant  # type: ignore[method-assign]  # noqa: SLF001
        try:
            yield
        finally:
            HypothesisProvider._maybe_draw_constant = usual  # type: ignore[method-assign]  # noqa: SLF001


def settled(max_examples: int, phases: tuple[Phase, ...]) -> settings:
    """Settings that leave nothing to profiles, databases or clocks."""
    return settings(
        max_examples=max_examples,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        backend="hypothesis",
    )


def collect(strategy: SearchStrategy[T], count: int, seed: int) -> list[T]:
    """Up to `count` values of `strategy`; fewer when it has no more to give."""
    drawn: list[T] = []

    @seeded(seed)
    @settled(count, (Phase.generate,))
    @given(strategy)
    def keep(value: T) -> None:
        drawn.append(value)

    with steady():
        keep()
    return drawn[:count]
