"""A class, from files to records: the straight line, and nothing else.

What is unchanged since the last run (submission, problem, seed, libraries, judge) is not graded again. Every record is on
disk before the next one counts as done, so a run that is killed loses only what it was doing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from judge import bank as banks
from judge import decide
from judge import store as stores
from judge.assess import Context, assess
from judge.errors import FaultyFile, JudgeError, JudgeFault, UsageError
from judge.executors.local import Local
from judge.load.problems import load_problems
from judge.load.submissions import find_submissions
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.oracle.client import Oracle
from judge.reports import environment
from judge.reports.files import files
from judge.reports.redact import plain
from judge.sandbox.layers import find_layers, require
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings


@dataclass(frozen=True, slots=True)
class Request:
    """What `judge grade` was asked.

    Attributes:
        paths: where to look for submissions.
        problems: the folder of problems.
        only: slug of the one problem that every file is for; None where folders and names tell.
        out: where results go.
        jobs: submissions at a time; None is one a core.
        seed: of the case banks; None is the one kept in `out`, or a new one.
        fresh: grade everything again.
    """

    paths: tuple[Path, ...]
    problems: Path
    only: str | None
    out: Path
    jobs: int | None
    seed: int | None
    fresh: bool
    settings: SandboxSettings


@dataclass(slots=True)
class Graded:
    """What came of it. `reused` of the records were unchanged; `interrupted` is set by Ctrl-C.

    `environment` says where it was graded: versions, and the layers of the sandbox as tried at the start.
    """

    seed: int
    records: list[Record] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faulty: dict[str, FaultyFile] = field(default_factory=dict)
    environment: dict[str, Any] = field(default_factory=dict)
    reused: int = 0
    interrupted: bool = False


#: Told (records finished, records in all, the one just finished or None).
Watch = Callable[[int, int, Record | None], None]


def grade(request: Request, watch: Watch) -> Graded:
    """Grade what is there.

    Raises:
        UsageError: nothing to grade, or a place that cannot be used.
        JudgeFault: results cannot be written, or nothing can be run.
    """
    stores.require_libraries()
    problems, faulty = load_problems(request.problems)
    found = find_submissions(request.paths, [*problems, *faulty], problem=request.only)
    if not found.submissions:
        looked = ", ".join(str(path) for path in request.paths)
        raise UsageError("\n".join([f"no submission was found in {looked}", *map(plain, found.notes)]))
    store = stores.Store(request.out)
    store.open()
    graded = Graded(store.seed(request.seed), notes=list(found.notes))
    wanted = {submission.problem for submission in found.submissions}
    graded.faulty = {slug: fault for slug, fault in faulty.items() if slug in wanted}
    usable = {slug: problem for slug, problem in problems.items() if slug in wanted}
    cases = _banks(usable, graded, store)
    layers = find_layers(request.settings)
    require(layers, unsafe=request.settings.unsafe)
    graded.environment = environment.describe(layers, stores.versions(), unsafe=request.settings.unsafe)
    todo = []
    for submission in found.submissions:
        record = _without_running(submission, usable, cases, graded, store, fresh=request.fresh, safe=layers.safe)
        if record is None:
            todo.append(submission)
        else:
            graded.records.append(record)
    watch(len(graded.records), len(found.submissions), None)
    _run(
        request,
        todo,
        usable,
        cases,
        graded,
        store,
        lambda record: watch(len(graded.records), len(found.submissions), record),
    )
    return graded


def _banks(problems: dict[str, Problem], graded: Graded, store: stores.Store) -> dict[str, Bank]:
    """The case bank of each problem, kept or drawn. A problem whose oracle fails moves to the faulty ones."""
    found = {}
    for slug, problem in list(problems.items()):
        place = store.bank_file(slug, stores.key(problem.digest, str(graded.seed)))
        bank = banks.load_bank(place)
        if bank is None:
            try:
                with Oracle(problem) as oracle:
                    bank = banks.draw_bank(problem, graded.seed, oracle)
            except FaultyFile as fault:
                graded.faulty[slug] = fault
                del problems[slug]
                continue
            store.write(place, banks.dump_bank(bank))
        found[slug] = bank
    return found


def record_key(submission: Submission, problem: Problem, bank: Bank) -> str:
    return stores.key(submission.sha256, submission.fault, problem.digest, bank.digest)


def _without_running(
    submission: Submission,
    problems: Mapping[str, Problem],
    cases: Mapping[str, Bank],
    graded: Graded,
    store: stores.Store,
    *,
    fresh: bool,
    safe: bool,
) -> Record | None:
    """The record of what needs no run: a broken problem's, an unreadable file's, an unchanged one's."""
    slug = submission.problem
    if slug in graded.faulty:
        count = len(graded.faulty[slug].faults)
        told = "1 fault" if count == 1 else f"{count} faults"
        return ungraded(submission, 0.0, f"The problem {slug} has {told}; ask its author, then grade again.")
    problem, bank = problems[slug], cases[slug]
    if submission.unreadable:
        return ungraded(submission, _max_score(problem), submission.unreadable)
    kept = None if fresh else store.kept(submission.student, slug)
    if kept is None or kept.key != record_key(submission, problem, bank) or kept.verdict is Verdict.UNGRADED:
        return None
    if safe and not kept.confined:
        # It was made where nothing kept the submission from changing it.
        return None
    graded.reused += 1
    return replace(kept, file=str(submission.file), notes=kept.notes)


def _max_score(problem: Problem) -> float:
    return decide.total_points(problem.spec.points)


def ungraded(submission: Submission, max_score: float, why: str) -> Record:
    """The record of a submission that the judge could not grade: no score, which is not a score of zero."""
    return Record(
        student=submission.student,
        problem=submission.problem,
        file=str(submission.file),
        sha256=submission.sha256,
        verdict=Verdict.UNGRADED,
        score=None,
        max_score=max_score,
        evidence=None,
        structure_evidence=None,
        reason=f"{why[:1].upper()}{why[1:]}",
        mistake=None,
        hint=None,
        counterexample=None,
        groups=(),
        seconds={},
        usage={},
        notes=submission.notes,
    )


def _run(
    request: Request,
    todo: Sequence[Submission],
    problems: Mapping[str, Problem],
    cases: Mapping[str, Bank],
    graded: Graded,
    store: stores.Store,
    finished: Callable[[Record], None],
) -> None:
    sessions: list[Session] = []

    @contextmanager
    def worker() -> Iterator[Callable[[Submission], Record]]:
        with Session(request.settings) as session:
            sessions.append(session)
            with _Desk(problems, cases, session) as desk:
                yield desk.grade

    jobs = request.jobs or os.cpu_count() or 1
    local: Local[Submission, Record] = Local(worker, jobs=jobs)
    left = {id(submission): submission for submission in todo}
    try:
        for submission, result in local.run(todo):
            record = _settle(submission, result, problems[submission.problem], cases[submission.problem])
            store.keep(record)
            del left[id(submission)]
            graded.records.append(record)
            finished(record)
    except KeyboardInterrupt:
        graded.interrupted = True
    finally:
        local.stop()
        if left:
            for session in sessions:
                session.close()
    for submission in left.values():
        why = "the run was interrupted before this submission was graded; run the same command again"
        graded.records.append(ungraded(submission, _max_score(problems[submission.problem]), why))


def _settle(submission: Submission, result: Record | Exception, problem: Problem, bank: Bank) -> Record:
    if isinstance(result, Record):
        return replace(result, key=record_key(submission, problem, bank))
    if isinstance(result, FaultyFile | JudgeFault):
        return ungraded(submission, _max_score(problem), str(result))
    # A bug of ours: it must not take the class along, and must not become a score.
    why = f"the judge failed ({type(result).__name__}: {result}); please report it"
    return ungraded(submission, _max_score(problem), why)


class _Desk:
    """What one worker keeps between submissions: its session, and an oracle a problem."""

    def __init__(self, problems: Mapping[str, Problem], cases: Mapping[str, Bank], session: Session) -> None:
        self._problems, self._cases, self._session = problems, cases, session
        self._oracles: dict[str, Oracle] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for oracle in self._oracles.values():
            oracle.close()

    def grade(self, submission: Submission) -> Record:
        slug = submission.problem
        if slug not in self._oracles:
            self._oracles[slug] = Oracle(self._problems[slug])
        context = Context(self._problems[slug], self._cases[slug], self._oracles[slug], self._session)
        return assess(context, submission)


def write(graded: Graded, out: Path) -> None:
    """Write every report of a run.

    Raises:
        JudgeFault: a file cannot be written; the records are kept.
    """
    store = stores.Store(out)
    for name, content in files(stores.results(graded.seed, graded.environment, graded.records), graded.records):
        store.write(out / name, content)


def exit_status(graded: Graded, *, strict: bool) -> int:
    """2 a problem is broken, 3 something stayed ungraded or was interrupted, 1 not accepted and `strict`, else 0."""
    if graded.faulty:
        return JudgeError.status
    if graded.interrupted or any(record.verdict is Verdict.UNGRADED for record in graded.records):
        return JudgeFault.status
    return int(strict and any(record.verdict is not Verdict.ACCEPTED for record in graded.records))
