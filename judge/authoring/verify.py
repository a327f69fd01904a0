"""`judge verify`: a mutation test of a problem, before a student meets it.

Two rounds over the same threads. The first looks at each problem without running a solution: whether the oracle agrees with
the printed values, whether the checks refuse junk, whether every mistake is killed and told from the others, whether
the relations hold. The second grades every solution of every problem, in one queue, so that no thread waits for the last
problem of a long list.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from judge.assess import Context
from judge.authoring import solutions
from judge.authoring.analysis import Analysis, analyse
from judge.authoring.solutions import Solution, Tried
from judge.errors import FaultyFile, UsageError
from judge.executors.local import Local
from judge.load.problems import load_problem, require_whole
from judge.model.problem import Problem
from judge.model.verification import Verification
from judge.oracle.client import Oracle
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings

#: Told (things finished, things in all, the one just finished).
Watch = Callable[[int, int, str], None]


@dataclass(slots=True)
class Subject:
    """A problem under verification."""

    problem: Problem
    analysis: Analysis | None = None
    solutions: list[Solution] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0


def verify(
    problem: Problem, *, settings: SandboxSettings, seed: int, minimal: bool = False, jobs: int | None = None
) -> Verification:
    """Verify one problem that was loaded.

    Raises:
        JudgeFault: the judge or the machine failed.
    """
    (verification,) = _verified([Subject(problem)], settings, seed, minimal=minimal, jobs=jobs, watch=_nobody)
    return verification


def verify_problems(
    folders: Sequence[Path],
    *,
    settings: SandboxSettings,
    seed: int,
    minimal: bool = False,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> list[Verification]:
    """Verify problems, in the order of their folders. One that cannot be loaded has the faults of its loading.

    Raises:
        JudgeFault: the judge or the machine failed.
    """
    unloaded: dict[str, Verification] = {}
    subjects: list[Subject] = []
    for folder in folders:
        try:
            problem = load_problem(folder)
            require_whole(problem, "verify")
            subjects.append(Subject(problem))
        except FaultyFile as fault:
            unloaded[folder.name] = Verification(folder.name, tuple(map(str, fault.faults)))
        except UsageError as error:
            unloaded[folder.name] = Verification(folder.name, (str(error),))
    found = _verified(subjects, settings, seed, minimal=minimal, jobs=jobs, watch=watch or _nobody)
    by_slug = {**unloaded, **{one.slug: one for one in found}}
    return [by_slug[folder.name] for folder in folders]


def _nobody(done: int, total: int, name: str) -> None:
    """Nobody watches."""


def _verified(
    subjects: Sequence[Subject],
    settings: SandboxSettings,
    seed: int,
    *,
    minimal: bool,
    jobs: int | None,
    watch: Watch,
) -> list[Verification]:
    for subject in subjects:
        subject.solutions, faults = solutions.find(subject.problem)
        subject.faults += faults
    total = len(subjects) + sum(len(subject.solutions) for subject in subjects)
    threads, done = jobs or os.cpu_count() or 1, 0
    for name in _analyses(subjects, seed, minimal=minimal, jobs=threads):
        watch(done := done + 1, total, name)
    for name in _solutions(subjects, settings, jobs=threads):
        watch(done := done + 1, total, name)
    return [_verification(subject) for subject in subjects]


def _analyses(subjects: Sequence[Subject], seed: int, *, minimal: bool, jobs: int) -> Iterator[str]:
    def work(subject: Subject) -> Analysis:
        started = time.monotonic()
        try:
            with Oracle(subject.problem) as oracle:
                return analyse(subject.problem, oracle, seed, minimal=minimal)
        finally:
            subject.seconds += time.monotonic() - started

    @contextmanager
    def worker() -> Iterator[Callable[[Subject], Analysis]]:
        yield work

    for subject, result in Local(worker, jobs=jobs).run(subjects):
        if isinstance(result, FaultyFile):
            subject.faults += map(str, result.faults)
        elif isinstance(result, Exception):
            raise result
        else:
            subject.analysis = result
        yield subject.problem.slug


def _solutions(subjects: Sequence[Subject], settings: SandboxSettings, *, jobs: int) -> Iterator[str]:
    tasks = [(subject, one) for subject in subjects if subject.analysis is not None for one in subject.solutions]

    @contextmanager
    def worker() -> Iterator[Callable[[tuple[Subject, Solution]], Tried]]:
        with Session(settings) as session, _Bench(session) as bench:
            yield bench.run

    for (subject, solution), result in Local(worker, jobs=jobs).run(tasks):
        if isinstance(result, FaultyFile):
            subject.faults += map(str, result.faults)
        elif isinstance(result, Exception):
            raise result
        else:
            subject.tried.append(result)
        yield f"{subject.problem.slug}: {solution.name}"


class _Bench:
    """What one thread keeps between solutions: its session, and an oracle a problem."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._oracles: dict[str, Oracle] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for oracle in self._oracles.values():
            oracle.close()

    def run(self, task: tuple[Subject, Solution]) -> Tried:
        subject, solution = task
        assert subject.analysis is not None, "solutions run where there is a bank"
        problem = subject.problem
        if problem.slug not in self._oracles:
            self._oracles[problem.slug] = Oracle(problem)
        started = time.monotonic()
        context = Context(problem, subject.analysis.bank, self._oracles[problem.slug], self._session)
        tried = solutions.run(context, solution)
        subject.seconds += time.monotonic() - started
        return tried


def _verification(subject: Subject) -> Verification:
    order: Mapping[str, int] = {one.name: place for place, one in enumerate(subject.solutions)}
    tried = sorted(subject.tried, key=lambda one: order[one.solution.name])
    rows, faults = [], list(subject.faults)
    minimal: tuple[str, ...] = ()
    if subject.analysis is not None:
        solution_rows, solution_faults = solutions.judge(subject.problem, tried, subject.analysis.mistakes)
        rows = [*subject.analysis.rows, *solution_rows]
        faults += [*subject.analysis.faults, *solution_faults]
        minimal = subject.analysis.minimal
    named, right = solutions.recognised(tried)
    return Verification(
        subject.problem.slug, tuple(faults), tuple(rows), (right, named), minimal, round(subject.seconds, 2)
    )
