"""`judge check`: one file, with a student's eyes."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from judge import bank as banks
from judge.assess import Context, Progress, assess
from judge.errors import UsageError
from judge.inspect_one import fault_of
from judge.load.submissions import find_submissions
from judge.model.inspection import Fault
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.oracle.client import Oracle
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings
from judge.store import require_libraries


def find(file: Path, slugs: Sequence[str], slug: str | None) -> Submission:
    """The submission in `file`.

    Raises:
        UsageError: there is no such file, or nothing tells which problem it is for.
    """
    if not file.exists() and not file.is_symlink():
        raise UsageError(f"{file}: there is no such file")
    found = find_submissions([file], slugs, problem=slug or _named(file, slugs))
    if len(found.submissions) != 1:
        known = ", ".join(sorted(slugs))
        told = "; ".join(found.notes)
        raise UsageError(
            f"{file}: which problem is it for? Say so with --problem ({known}){': ' if told else ''}{told}"
        )
    return found.submissions[0]


def _named(file: Path, slugs: Sequence[str]) -> str | None:
    """The slug that the file's name or one of its folders spells."""
    for part in (file.stem, *(folder.name for folder in file.resolve().parents)):
        wanted = part.lower().replace("_", "-")
        if wanted in slugs:
            return wanted
    return None


def check(
    problem: Problem, submission: Submission, settings: SandboxSettings, seed: int | None, progress: Progress
) -> tuple[Record, int, Fault | None]:
    """The record, the seed that its cases were drawn with, and the line where it goes wrong on its counterexample."""
    require_libraries()
    drawn = secrets.randbits(31) if seed is None else seed
    with Oracle(problem) as oracle, Session(settings) as session:
        bank = banks.draw_bank(problem, drawn, oracle)
        record = assess(Context(problem, bank, oracle, session, progress=progress), submission)
        fault = fault_of(session, oracle, submission, record)
    return record, drawn, fault


def exit_status(record: Record) -> int:
    return 0 if record.verdict is Verdict.ACCEPTED else 1
