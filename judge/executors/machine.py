"""A class on this machine: a desk a thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Self

from judge.executors.desk import Desk
from judge.executors.local import Local
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.sandbox.layers import layers_of, require
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings


class Machine:
    """Grades here, `jobs` submissions at a time; None is one a core.

    Raises:
        UsageError: too little confines here, and the settings do not say `unsafe`.
        JudgeFault: nothing can be run.
    """

    def __init__(
        self,
        problems: Mapping[str, Problem],
        cases: Mapping[str, Bank],
        settings: SandboxSettings,
        jobs: int | None,
        *,
        stop_early: bool = False,
    ) -> None:
        self._stop_early = stop_early
        self.notes: list[str] = []
        self._problems, self._cases, self._settings = problems, cases, settings
        self._desks: list[Desk] = []
        self._local: Local[Submission, Record] = Local(self._desk, jobs=jobs or os.cpu_count() or 1)
        # Its launcher answers for all of them, and is the first desk's: starting one takes a second. Whether it confines
        # enough is decided by what was tried, with every layer that is off named.
        first = Session(replace(settings, unsafe=True))
        try:
            self.layers = layers_of(first)
            require(self.layers, unsafe=settings.unsafe)
        except BaseException:
            first.close()
            raise
        first.settings = settings
        self._open = [first]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for session in self._open:
            session.close()

    def run(self, tasks: Sequence[Submission]) -> Iterator[tuple[Submission, Record | Exception]]:
        """Every submission with its record, or what kept it from one, as they end."""
        return self._local.run(tasks)

    def stop(self) -> None:
        """Begin nothing more, and end what runs."""
        self._local.stop()
        for desk in self._desks:
            # The oracles are their threads' to close: they may be answering.
            desk.session.close()

    @contextmanager
    def _desk(self) -> Iterator[Callable[[Submission], Record]]:
        try:
            session = self._open.pop()
        except IndexError:
            session = Session(self._settings)
        with Desk(self._problems, self._cases, session, stop_early=self._stop_early) as desk:
            self._desks.append(desk)
            yield desk.grade
