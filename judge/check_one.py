"""`judge check`: one file, with a student's eyes.

A student waits for the first example and reads the rest as it comes. So the cases are drawn while the examples run, and each
example is told as soon as it has run.
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from judge import bank as banks
from judge.assess import Context, Progress, assess
from judge.errors import UsageError
from judge.evidence import Evidence
from judge.explain_failure import shown_case
from judge.load.layouts import plain_slug
from judge.load.problems import nearest
from judge.load.submissions import find_submissions
from judge.model.problem import Problem
from judge.model.record import Counterexample, Record
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.sandbox.session import Session
from judge.sandbox.unconfined import notice
from judge.store import require_libraries


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of it.

    Attributes:
        record: as a grader's, but of fresh cases.
        seed: what those were drawn with.
        shown: a case whose numbers are worth drawing: the counterexample, or the first example where all is right.
    """

    record: Record
    seed: int
    shown: Counterexample | None


def find(file: Path, slugs: Sequence[str], slug: str | None, entry: Callable[[str], str]) -> Submission:
    """The submission in `file`; `entry` names the function that a problem asks for.

    Raises:
        UsageError: there is no such file, or nothing tells which problem it is for.
    """
    if not file.exists() and not file.is_symlink():
        raise UsageError(f"{file}: there is no such file")
    if file.is_dir():
        raise UsageError(f"{file} is a folder; name the file in it that is to be run")
    wanted = slug or _named(file, slugs)
    if wanted is None:
        raise UsageError(f"{file}: its name is no problem's; say which it is for with --problem ({', '.join(slugs)})")
    if plain_slug(wanted) not in slugs:
        raise UsageError(f"there is no problem {wanted!r}; {nearest(plain_slug(wanted), slugs)}")
    found = find_submissions([file], slugs, problem=wanted, entry=entry)
    if len(found.submissions) != 1:
        raise UsageError("; ".join(found.notes) or f"{file} is no submission")
    (submission,) = found.submissions
    return replace(submission, notes=(*submission.notes, *_defined_twice(submission)))


def _defined_twice(submission: Submission) -> Iterator[str]:
    """A note where a function is defined again at the top level: the last one counts, and may not be the one that is meant."""
    try:
        body = ast.parse(submission.source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines: dict[str, list[int]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines.setdefault(node.name, []).append(node.lineno)
    for name, places in lines.items():
        if len(places) > 1:
            yield f"{name} is defined in lines {', '.join(map(str, places))}; the last one counts"


def _named(file: Path, slugs: Sequence[str]) -> str | None:
    """The slug that the file's name or one of its folders spells."""
    for part in (file.stem, *(folder.name for folder in file.resolve().parents)):
        wanted = part.lower().replace("_", "-")
        if wanted in slugs:
            return wanted
    return None


@contextmanager
def desk(
    problem: Problem, session: Session, seed: int | None, progress: Progress, *, command: str
) -> Iterator[Callable[[Submission], Checked]]:
    """What checks one's own file, as often as it changes, on cases drawn once: with `seed`, or with a fresh one.

    Where nothing confines it, `progress` is told so before it runs, with what to put `command` behind.
    """
    require_libraries()
    drawn = secrets.randbits(31) if seed is None else seed
    with banks.reference(problem) as oracle, closing(banks.Coming(problem, drawn, oracle)) as cases:
        if not (held := session.confinement()).safe:
            progress("note", notice(held, command))

        def check(submission: Submission) -> Checked:
            answers: list[Evidence] = []
            context = Context(
                problem, cases, oracle, session, progress=progress, witness=lambda total, _: answers.append(total)
            )
            record = assess(context, submission)
            return Checked(record, drawn, record.counterexample or _first_example(context, record, answers))

        yield check


def _first_example(context: Context, record: Record, answers: Sequence[Evidence]) -> Counterexample | None:
    if record.verdict is not Verdict.ACCEPTED or not answers:
        return None
    first = context.examples[0]
    return shown_case(first, answers[0].answers.get(first.id))


def exit_status(record: Record) -> int:
    return 0 if record.verdict is Verdict.ACCEPTED else 1
