"""Executables of a problem's own solutions, compiled once on a machine and handed to every launcher.

A submission that computes eagerly compiles forty small modules for every shape, and most of them are those of any other solution
of the problem. What is kept changes no verdict: a module that is found was compiled from the same text by the same compiler.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from judge import store
from judge.load.submissions import find_submissions
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.model.submission import Submission
from judge.sandbox import executables, runs
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings

#: From this many submissions of a problem on, compiling for all of them costs less than each compiling for itself.
WORTH = 20


def place(problem: Problem, settings: SandboxSettings) -> Path | None:
    """Where the executables of a problem are kept on this machine; None where they are not."""
    root = executables.folder()
    key = store.key(problem.digest, executables.processor(), *settings.flags)
    return None if root is None else root / f"{problem.slug}-{key[:24]}.executables"


def warm(problem: Problem, bank: Bank, settings: SandboxSettings) -> Path | None:
    """Run the accepted solutions of a problem on its examples, and keep what they compile.

    Returns:
        The file; None where nothing is kept on this machine, or there is no solution.

    Raises:
        JudgeFault: no process could be had.
        OSError: the file cannot be written.
    """
    file = place(problem, settings)
    solutions = _solutions(problem)
    if file is None or not solutions:
        return None
    examples = [case for case in bank.cases if case.group == "examples"]
    found: dict[bytes, bytes] = {}
    with Session(settings) as session:
        for solution in solutions:
            found.update(runs.run_recorded(session, problem, solution, examples))
    executables.write(file, found)
    return file


def warmed(problems: Sequence[tuple[Problem, Bank, int]], settings: SandboxSettings) -> tuple[Path, ...]:
    """Files for a run over (problem, bank, number of submissions): those that are there, and those that are worth making."""
    files = []
    for problem, bank, count in problems:
        file = place(problem, settings)
        if file is not None and not file.exists() and count >= WORTH:
            # A cache that cannot be written is none; the run is only slower.
            with contextlib.suppress(OSError):
                file = warm(problem, bank, settings)
        if file is not None and file.exists():
            files.append(file)
    return tuple(files)


def _solutions(problem: Problem) -> list[Submission]:
    folder = problem.folder / "solutions" / "accepted"
    if not folder.is_dir():
        return []
    return find_submissions([folder], [problem.slug], problem=problem.slug).submissions
