"""A class, from files to records: the straight line, and nothing else.

What is unchanged since the last run (submission, problem, seed, libraries, judge) is not graded again. Every record is on
disk before the next one counts as done, so a run that is killed loses only what it was doing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from judge import bank as banks
from judge import decide
from judge import store as stores
from judge.assess import STOPPED
from judge.credit import credit, summary, unmatched
from judge.errors import FaultyFile, JudgeError, JudgeFault, UsageError
from judge.executors.machine import Machine
from judge.executors.target import Target
from judge.load.course import read_course
from judge.load.problems import entry_of, load_problems, problem_folders, require_whole
from judge.load.roster import read_roster
from judge.load.submissions import find_submissions
from judge.model.case import Bank
from judge.model.course import Course
from judge.model.problem import Problem
from judge.model.record import Record
from judge.model.roster import Roster
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.oracle.client import Oracle
from judge.reports import environment
from judge.reports.files import NAMES, files
from judge.reports.redact import plain
from judge.sandbox.layers import Layers
from judge.sandbox.settings import SandboxSettings
from judge.warm import warmed


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
        roster: a list of the students; None for whoever has handed in.
        course: a `course.yaml`; None for none.
        base: results of an earlier run to take seed, banks and unchanged records from; nothing is written there.
        cluster: where to grade; None is this machine.
        stop_early: run nothing but the examples of a submission that is wrong on one of them.
    """

    paths: tuple[Path, ...]
    problems: Path
    only: str | None
    out: Path
    jobs: int | None
    seed: int | None
    fresh: bool
    settings: SandboxSettings
    roster: Path | None = None
    course: Path | None = None
    base: Path | None = None
    cluster: Target | None = None
    stop_early: bool = False


@dataclass(slots=True)
class Graded:
    """What came of it. `judged` are those of this run, `reused` were unchanged; `interrupted` is set by Ctrl-C.

    `environment` says where it was graded: versions, and the layers of the sandbox as tried at the start. `course` is what
    `credit.summary` says, {} where there is neither a course nor a roster.
    """

    seed: int
    records: list[Record] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faulty: dict[str, FaultyFile] = field(default_factory=dict)
    environment: dict[str, Any] = field(default_factory=dict)
    course: dict[str, Any] = field(default_factory=dict)
    judged: list[Record] = field(default_factory=list)
    reused: int = 0
    interrupted: bool = False


#: Told (records finished, records in all, the one just finished or None).
Watch = Callable[[int, int, Record | None], None]


def grade(request: Request, watch: Watch) -> Graded:
    """Grade what is there.

    Raises:
        UsageError: nothing to grade, or a place that cannot be used.
        FaultyFile: the roster or the course has faults.
        JudgeFault: results cannot be written, or nothing can be run.
    """
    stores.require_libraries()
    slugs = [folder.name for folder in problem_folders(request.problems)]
    course = None if request.course is None else read_course(request.course, slugs)
    roster = None if request.roster is None else read_roster(request.roster)
    slugs = slugs if course is None else list(course.spec.problems)
    # A problem is loaded before its submissions only for a notebook, of which what the entry function needs is kept.
    entry = cache(lambda slug: entry_of(request.problems / slug))
    found = find_submissions(request.paths, slugs, problem=request.only, roster=roster, entry=entry)
    if not found.submissions:
        looked = ", ".join(str(path) for path in request.paths)
        raise UsageError("\n".join([f"no submission was found in {looked}", *map(plain, found.notes)]))
    store = stores.Store(request.out, base=request.base, seed_file=None if course is None else course.seed_file)
    store.open()
    graded = Graded(store.seed(request.seed), notes=list(found.notes))
    usable, graded.faulty = load_problems(request.problems, {one.problem for one in found.submissions})
    for problem in usable.values():
        require_whole(problem, "grade with")
    cases = _banks(usable, graded, store)
    todo = []
    for submission in found.submissions:
        record = _without_running(submission, usable, cases, graded, store, request)
        if record is None:
            todo.append(submission)
        else:
            graded.records.append(record)
    watch(len(graded.records), len(found.submissions), None)
    if todo:
        with _executor(request, todo, usable, cases) as executor:
            _run(
                executor,
                todo,
                usable,
                cases,
                graded,
                store,
                lambda record: watch(len(graded.records), len(found.submissions), record),
            )
            graded.environment = _environment(request, executor.layers)
            graded.notes += executor.notes
    else:
        graded.environment = _kept_environment(request)
    _settle_course(graded, found.submissions, course, roster, found.only)
    return graded


def _environment(request: Request, layers: Layers | None) -> dict[str, Any]:
    return environment.describe(layers, stores.versions(), unsafe=request.settings.unsafe)


def _kept_environment(request: Request) -> dict[str, Any]:
    """Trying the sandbox takes seconds: where nothing is to be run, it is what was found when something was."""
    try:
        kept = stores.read_environment(request.base or request.out)
    except UsageError:
        kept = {}
    return kept if kept.get("versions") == stores.versions() else _environment(request, None)


def _settle_course(
    graded: Graded, submissions: Sequence[Submission], course: Course | None, roster: Roster | None, only: str | None
) -> None:
    """Put into each record what this run knows of its submission, whether it was judged now or before: where the file lies,
    what was noticed about it, and what the course makes of its score."""
    known = {(one.student, one.problem): one for one in submissions}
    for place, record in enumerate(graded.records):
        submission = known[record.student, record.problem]
        graded.records[place] = replace(
            record,
            file=str(submission.file),
            notes=(*submission.notes, *record.notes),
            credit=None if course is None else credit(record, submission.handed_in, course),
        )
    graded.course = summary(course, roster, graded.records, only=only)
    if course is not None:
        graded.notes += unmatched(course, roster, graded.records)


def _banks(problems: dict[str, Problem], graded: Graded, store: stores.Store) -> dict[str, Bank]:
    """The case bank of each problem, kept or drawn. A problem whose oracle fails moves to the faulty ones."""
    found = {}
    for slug, problem in list(problems.items()):
        places = store.bank_files(slug, stores.key(problem.digest, str(graded.seed)))
        bank = next((one for one in map(banks.load_bank, places) if one is not None), None)
        if bank is None:
            try:
                with Oracle(problem) as oracle:
                    bank = banks.draw_bank(problem, graded.seed, oracle)
            except FaultyFile as fault:
                graded.faulty[slug] = fault
                del problems[slug]
                continue
            store.write(places[0], banks.dump_bank(bank))
        found[slug] = bank
    return found


def record_key(submission: Submission, problem: Problem, bank: Bank, *, stopped: bool = False) -> str:
    """What a record depends on. One that was `stopped` early is another than the whole."""
    return stores.key(
        submission.sha256, submission.fault, problem.digest, bank.digest, *(["stopped"] if stopped else [])
    )


def _without_running(
    submission: Submission,
    problems: Mapping[str, Problem],
    cases: Mapping[str, Bank],
    graded: Graded,
    store: stores.Store,
    request: Request,
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
    keys = [record_key(submission, problem, bank, stopped=stopped) for stopped in {False, request.stop_early}]
    found = (store.kept(submission.student, slug, key) for key in keys if not request.fresh)
    kept = next((one for one in found if one is not None), None)
    if kept is None or kept.verdict is Verdict.UNGRADED:
        return None
    if not kept.confined and not request.settings.unsafe:
        # It was made where nothing kept the submission from changing it.
        return None
    graded.reused += 1
    return kept


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
    )


class Executor(Protocol):
    """Where assessments run."""

    @property
    def layers(self) -> Layers:
        """What confined the submissions."""

    @property
    def notes(self) -> list[str]:
        """What a grader should know about the place."""

    def run(self, tasks: Sequence[Submission]) -> Iterator[tuple[Submission, Record | Exception]]:
        """Every submission with its record, or what kept it from one, as they end."""

    def stop(self) -> None:
        """Begin nothing more."""


def _executor(
    request: Request, todo: Sequence[Submission], problems: Mapping[str, Problem], cases: Mapping[str, Bank]
) -> AbstractContextManager[Executor]:
    settings = request.settings
    if request.cluster is None:
        counts = Counter(submission.problem for submission in todo)
        known = warmed([(problems[slug], cases[slug], count) for slug, count in counts.items()], settings)
        settings = replace(settings, executables=known)
        return Machine(problems, cases, settings, request.jobs, stop_early=request.stop_early)
    if request.stop_early:
        raise UsageError("--stop-early is for this machine; leave it or --cluster away")
    try:
        from judge.executors.connect import cluster
    except ModuleNotFoundError as missing:
        raise UsageError(f"--cluster needs Dask ({missing}); install it: pip install 'jax-judge[cluster]'") from missing
    return cluster(request.cluster, problems, cases, unsafe=settings.unsafe)


def _run(
    executor: Executor,
    todo: Sequence[Submission],
    problems: Mapping[str, Problem],
    cases: Mapping[str, Bank],
    graded: Graded,
    store: stores.Store,
    finished: Callable[[Record], None],
) -> None:
    left = {id(submission): submission for submission in todo}
    try:
        for submission, result in executor.run(todo):
            record = _settle(submission, result, problems[submission.problem], cases[submission.problem])
            store.keep(record)
            del left[id(submission)]
            graded.records.append(record)
            graded.judged.append(record)
            finished(record)
    except KeyboardInterrupt:
        graded.interrupted = True
    finally:
        executor.stop()
    for submission in left.values():
        why = "the run was interrupted before this submission was graded; run the same command again"
        graded.records.append(ungraded(submission, _max_score(problems[submission.problem]), why))


def _settle(submission: Submission, result: Record | Exception, problem: Problem, bank: Bank) -> Record:
    if isinstance(result, Record):
        return replace(result, key=record_key(submission, problem, bank, stopped=STOPPED in result.notes))
    if isinstance(result, FaultyFile | JudgeFault):
        return ungraded(submission, _max_score(problem), str(result))
    # A bug of ours: it must not take the class along, and must not become a score.
    why = f"the judge failed ({type(result).__name__}: {result}); please report it"
    return ungraded(submission, _max_score(problem), why)


def write(graded: Graded, out: Path) -> None:
    """Write every report of a run; nothing where the same results have been written before.

    Raises:
        JudgeFault: a file cannot be written; the records are kept.
    """
    store, stamp = stores.Store(out), _stamp(graded)
    if store.written() == stamp and all((out / name).is_file() for name in NAMES):
        return
    # What is half written when the run is killed must not be taken for whole.
    store.set_written("")
    content = stores.results(graded.seed, graded.environment, graded.records, course=graded.course, notes=graded.notes)
    for name, report in files(content, graded.records):
        store.write(out / name, report)
    store.set_written(stamp)


def _stamp(graded: Graded) -> str:
    """A digest of all that reports are made from. What a record's key stands for need not be gone through again."""
    rest = ("key", "student", "problem", "file", "verdict", "score", "reason", "notes", "credit", "seconds", "usage")
    records = [[str(getattr(record, name)) for name in rest] for record in graded.records]
    about = [graded.seed, graded.environment, graded.course, graded.notes]
    return stores.key(json.dumps(about, sort_keys=True), json.dumps(sorted(records)))


def exit_status(graded: Graded, *, strict: bool) -> int:
    """2 a problem is broken, 3 something stayed ungraded or was interrupted, 1 not accepted and `strict`, else 0."""
    if graded.faulty:
        return JudgeError.status
    if graded.interrupted or any(record.verdict is Verdict.UNGRADED for record in graded.records):
        return JudgeFault.status
    return int(strict and any(record.verdict is not Verdict.ACCEPTED for record in graded.records))
