"""Where one submission after the other is assessed: a session of the sandbox, and an oracle a problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from judge.assess import Context, assess
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.oracle.client import Oracle
from judge.sandbox.session import Session


class Desk:
    """What is kept from one submission to the next: `session`, which it closes, and oracles. For one thread at a time."""

    def __init__(
        self, problems: Mapping[str, Problem], cases: Mapping[str, Bank], session: Session, *, stop_early: bool = False
    ) -> None:
        self._problems, self._cases, self._stop_early = problems, cases, stop_early
        self.session = session
        self._oracles: dict[str, Oracle] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process of this desk."""
        self.session.close()
        for oracle in self._oracles.values():
            oracle.close()

    def grade(self, submission: Submission) -> Record:
        """The record of a submission.

        Raises:
            FaultyFile: the author's code failed on a case of this submission.
            JudgeFault: the judge or the machine failed.
        """
        slug = submission.problem
        if slug not in self._oracles:
            self._oracles[slug] = Oracle(self._problems[slug])
        context = Context(
            self._problems[slug], self._cases[slug], self._oracles[slug], self.session, stop_early=self._stop_early
        )
        # What was noticed about the file is the run's, and must not be kept with the record.
        return assess(context, replace(submission, notes=()))
