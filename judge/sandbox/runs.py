"""The runs of a submission, from cases to outcomes. What a submission does is in the outcome; only our own faults raise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, Self

from judge.model.case import Case, Signature
from judge.model.outcome import (
    Answer,
    Ended,
    ExportOutcome,
    Facts,
    LiveOutcome,
    Load,
    Program,
    ProgramOutcome,
    Raised,
    Usage,
)
from judge.model.problem import Problem
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.runner.wire import Buffer, Message
from judge.sandbox import replies, requests
from judge.sandbox.fields import Malformed
from judge.sandbox.session import ChildEnded
from judge.sandbox.settings import ChildLimits

#: Cases of one run request: few enough that a bad one loses little, enough that asking costs nothing.
CHUNK = 16
#: Bytes of all programs of a submission; an honest one has some 5 kB.
PROGRAMS_BYTES = 32 << 20
#: Told (label, answer) of a live call.
Seen = Callable[[str, Answer | Raised], None]


class Process(Protocol):
    """What is asked of a child; see `judge.sandbox.session.Child`."""

    @property
    def stdout(self) -> bytes: ...
    @property
    def stderr(self) -> bytes: ...
    def usage(self) -> Usage: ...
    def close(self) -> None: ...
    def request(
        self, header: Mapping[str, Any], buffers: Sequence[Buffer] = (), *, stage: str, cpu_s: float
    ) -> Message: ...


class Opener(Protocol):
    """What is asked of a session."""

    def open(self, kind: Any, *, devices: int, limits: ChildLimits) -> Process: ...


def run_live(
    session: Opener,
    problem: Problem,
    submission: Submission,
    calls: Iterable[tuple[str, Case]],
    *,
    want_modules: bool,
    seen: Seen = lambda label, answer: None,
) -> LiveOutcome:
    """Load a submission and call it with each of `calls`, (label, case), in one process; `seen` is told each answer as it comes.

    Raises:
        JudgeFault: no process could be had.
    """
    watch = _Watch()
    answers: list[tuple[str, Answer | Raised]] = []
    modules: tuple[bytes, ...] = ()
    load: Load | None = None
    with child_of(session, problem, "live") as child:
        try:
            with watch.timing("load"):
                load = load_into(child, problem, submission)
            if load is None:
                for label, answer in _calls(child, problem, calls, watch):
                    answers.append((label, answer))
                    seen(label, answer)
                if want_modules:
                    modules = _modules(child, problem)
        except ChildEnded as end:
            watch.ended = end.ended
    return LiveOutcome(
        load, tuple(answers), watch.ended, child.usage(), watch.seconds, child.stdout, child.stderr, modules
    )


def _calls(
    child: Process, problem: Problem, calls: Iterable[tuple[str, Case]], watch: _Watch
) -> Iterator[tuple[str, Answer | Raised]]:
    limits = problem.spec.limits
    seen: set[Signature] = set()
    for number, (label, case) in enumerate(calls):
        stage, cpu_s = ("call", limits.call_s) if case.signature in seen else ("first call", limits.first_call_s)
        seen.add(case.signature)
        with watch.timing("calls" if number else "first_call"):
            message = child.request(*requests.call(problem, case.inputs), stage=stage, cpu_s=cpu_s)
            with reading(child, stage):
                error = replies.raised(message.header)
                yield label, error or replies.answer(message.header.get("answer"), message.buffers)


def _modules(child: Process, problem: Problem) -> tuple[bytes, ...]:
    message = child.request({"request": "modules"}, stage="call", cpu_s=problem.spec.limits.call_s)
    with reading(child, "call"):
        return () if replies.raised(message.header) else replies.blobs(message.header, message.buffers)


def run_recorded(session: Opener, problem: Problem, solution: Submission, cases: Sequence[Case]) -> dict[bytes, bytes]:
    """What a problem's own solution compiles for `cases`, by key; nothing where it fails. Not to be asked of a stranger.

    Raises:
        JudgeFault: no process could be had.
    """
    limits = problem.spec.limits
    with child_of(session, problem, "live") as child:
        try:
            child.request({"request": "record"}, stage="load", cpu_s=limits.load_s)
            if load_into(child, problem, solution) is None:
                list(_calls(child, problem, [(case.id, case) for case in cases], _Watch()))
            message = child.request({"request": "executables"}, stage="call", cpu_s=limits.first_call_s)
            with reading(child, "call"):
                return replies.keyed(message.header, message.buffers)
        except ChildEnded:
            return {}


def run_export(session: Opener, problem: Problem, submission: Submission, cases: Sequence[Case]) -> ExportOutcome:
    """Export a submission for every signature of `cases`, once a value where floats must stay Python numbers.

    Raises:
        JudgeFault: no process could be had.
    """
    programs: list[Program] = []
    refused: dict[Signature, Raised] = {}
    ended: Ended | None = None
    load: Load | None = None
    with child_of(session, problem, "export") as child:
        try:
            load = load_into(child, problem, submission)
            if load is None:
                for signature, by_value in requests.by_signature(problem, cases).items():
                    for exported in _exports(child, problem, signature, list(by_value.values())):
                        if isinstance(exported, Raised):
                            refused[signature] = exported
                        else:
                            programs.append(exported)
                    _bounded(child, programs)
        except ChildEnded as end:
            ended = end.ended
    return ExportOutcome(load, tuple(programs), refused, ended, child.usage())


def _exports(
    child: Process, problem: Problem, signature: Signature, cases: Sequence[Case]
) -> Iterator[Program | Raised]:
    """Programs for one signature; `cases` differ in their floats."""
    for case in cases:
        message = child.request(requests.export(problem, case), stage="export", cpu_s=problem.spec.limits.first_call_s)
        with reading(child, "export"):
            if (error := replies.raised(message.header)) is not None:
                yield error
                return
            sent = dict(requests.floats(problem, case))
            kept = replies.scalars(message.header.get("scalars"), sent)
            yield Program(signature, kept, replies.blob(message.buffers))
        if not kept:
            return


def _bounded(child: Process, programs: Sequence[Program]) -> None:
    if sum(len(program.blob) for program in programs) > PROGRAMS_BYTES:
        child.close()
        raise ChildEnded(Ended(Verdict.MEMORY_LIMIT, "export", f"its programs have more than {PROGRAMS_BYTES} bytes"))


def run_program(
    session: Opener, problem: Problem, programs: Sequence[Program], cases: Sequence[Case]
) -> ProgramOutcome:
    """Run every case that a program was made for; cases without an answer are missing from `answers`.

    Raises:
        JudgeFault: no process could be had.
    """
    answers: dict[str, Answer] = {}
    ended: Ended | None = None
    with ProgramRunner(session, problem, programs) as runner:
        try:
            for number, program in enumerate(programs):
                fitting = [case for case in cases if case.id not in answers and requests.fits(program, case)]
                answers.update(runner.answers(number, fitting))
        except ChildEnded as end:
            ended = end.ended
    return ProgramOutcome(answers, runner.facts, runner.failed, ended, runner.usage(), runner.seconds)


def run_facts(session: Opener, problem: Problem, modules: Sequence[bytes]) -> tuple[Facts, ...]:
    """Facts of modules that a live run says it compiled; those that cannot be read are left out.

    Raises:
        JudgeFault: no process could be had.
    """
    found: list[Facts] = []
    if not modules:
        return ()
    with child_of(session, problem, "program") as child:
        try:
            for module in modules:
                message = child.request(
                    *requests.facts(problem, module), stage="program", cpu_s=problem.spec.limits.program_s
                )
                with reading(child, "program"):
                    if replies.raised(message.header) is None:
                        found.append(replies.facts(message.header.get("facts"), problem.spec.devices, None))
        except ChildEnded:
            pass
    return tuple(found)


class ProgramRunner:
    """A process that keeps programs compiled and answers cases, until it is left.

    Attributes:
        facts: by index into `programs`, of those that were prepared.
        failed: why a program did not compile or run, by the same index; it is not tried again.
        seconds: of wall clock, of `compile` and `cases`.
    """

    def __init__(self, session: Opener, problem: Problem, programs: Sequence[Program]) -> None:
        self.facts: dict[int, Facts] = {}
        self.failed: dict[int, str] = {}
        self._watch = _Watch()
        self.seconds = self._watch.seconds
        self._problem = problem
        self._programs = tuple(programs)
        self._child = session.open("program", devices=problem.spec.devices, limits=limits_of(problem))
        self._spent = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._child.close()

    def usage(self) -> Usage:
        return self._child.usage()

    def evaluate(self, case: Case) -> Answer | None:
        """The answer to one case; None where no program was made for it, where it fails, and once the process has ended."""
        for number, program in enumerate(self._programs):
            if not self._spent and requests.fits(program, case):
                try:
                    return self.answers(number, [case]).get(case.id)
                except ChildEnded:
                    self._spent = True
        return None

    def answers(self, number: int, cases: Sequence[Case]) -> dict[str, Answer]:
        """Answers of program `number` by case id; none once it has failed.

        Raises:
            ChildEnded: the process ended, with every program in it.
        """
        found: dict[str, Answer] = {}
        self._prepare(number)
        for start in range(0, len(cases), CHUNK):
            if number not in self.failed:
                found.update(self._run(number, cases[start : start + CHUNK]))
        return found

    def _prepare(self, number: int) -> None:
        if number in self.facts or number in self.failed:
            return
        with self._watch.timing("compile"):
            message = self._request(*requests.prepare(self._problem, number, self._programs[number]))
        with reading(self._child, "program"):
            if (error := replies.raised(message.header)) is not None:
                self.failed[number] = _told(error)
                return
            spec = self._problem.spec
            self.facts[number] = replies.facts(message.header.get("facts"), spec.devices, list(spec.inputs))

    def _run(self, number: int, cases: Sequence[Case]) -> dict[str, Answer]:
        with self._watch.timing("cases"):
            message = self._request(*requests.run(self._problem, number, self._programs[number], cases))
        with reading(self._child, "program"):
            if (error := replies.raised(message.header)) is not None:
                self.failed[number] = _told(error)
                return {}
            answers = replies.layout(message.header.get("layout"), message.buffers, len(cases))
        return {case.id: answer for case, answer in zip(cases, answers, strict=True)}

    def _request(self, header: Mapping[str, Any], buffers: Sequence[Buffer]) -> Message:
        return self._child.request(header, buffers, stage="program", cpu_s=self._problem.spec.limits.program_s)


class _Watch:
    """Wall seconds by name, and how the process ended."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.ended: Ended | None = None

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - started


def limits_of(problem: Problem) -> ChildLimits:
    """The limits of every child that serves a problem."""
    limits = problem.spec.limits
    return ChildLimits(
        memory_bytes=limits.memory_mb << 20,
        output_bytes=limits.output_kb << 10,
        wall_factor=limits.wall_factor,
        load_s=limits.load_s,
    )


@contextmanager
def child_of(session: Opener, problem: Problem, kind: str) -> Iterator[Process]:
    """A child of a kind with the problem's devices and limits, closed in the end."""
    child = session.open(kind, devices=problem.spec.devices, limits=limits_of(problem))
    try:
        yield child
    finally:
        child.close()


@contextmanager
def reading(child: Process, stage: str) -> Iterator[None]:
    """What does not hold together ends the child: whatever it said next would be worth as little."""
    try:
        yield
    except Malformed as error:
        child.close()
        raise ChildEnded(Ended(Verdict.RUNTIME_ERROR, stage, f"the answer could not be read: {error}")) from None


def load_into(child: Process, problem: Problem, submission: Submission) -> Load | None:
    """Load a submission; why it cannot be, or None.

    Raises:
        ChildEnded: the process ended, or did not keep to the protocol.
    """
    message = child.request(*requests.load(problem, submission), stage="load", cpu_s=problem.spec.limits.load_s)
    with reading(child, "load"):
        error = replies.raised(message.header)
        if error is None and message.header.get("loaded") is not True:
            raise Malformed("neither loaded nor failed")
    return None if error is None else Load(error)


def _told(error: Raised) -> str:
    return f"{error.type}: {error.message}" if error.message else error.type
