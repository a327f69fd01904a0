"""One submission: outcomes -> findings -> record.

The order is: the live run of the examples, since whatever cannot be loaded needs nothing else; the export; the program on
the whole bank; and live stand-ins for what could not be exported or confirmed. Stand-ins are drawn afresh, so a submission
that prints what it is shown gives nothing of the bank away.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from judge import bank as banks
from judge import decide, evidence, explain_failure, reason
from judge.checks import check_answer, relations
from judge.checks.structure import structure
from judge.errors import JudgeFault
from judge.evidence import AGAIN, Evidence
from judge.model.case import Bank, Case, Signature
from judge.model.outcome import Answer, ExportOutcome, Facts, LiveOutcome, Program, ProgramOutcome, Raised, Usage
from judge.model.problem import Problem
from judge.model.record import Finding, Record
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.oracle.reference import Reference
from judge.sandbox import runs
from judge.sandbox.session import Session

#: Ends of a program run that are the submission's. Any other end leaves the live run as the evidence.
PROGRAM_LIMITS = frozenset({Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT})
KEPT_STDOUT = 4000
STOPPED = "an example is wrong, and --stop-early was given: no other case was run, and their points are not earned"
Progress = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Context:
    """What every submission of a problem shares. A context belongs to one thread: its session and oracle do.

    Attributes:
        cases: the bank; one that is still coming is waited for after the examples have run.
        budget: evaluations that the search for a counterexample may spend.
        valve_s: seconds of wall clock after which a search is given up, its counterexample dropped whole.
        witness: shown the whole evidence and the live run of each submission, for who measures the problem with it.
        stop_early: run nothing but the examples where one of them is wrong.
        progress: told (stage, sentence) as the assessment goes on: each example as soon as it has run.
    """

    problem: Problem
    cases: Bank | banks.Coming
    oracle: Reference
    session: Session
    budget: int = 300
    valve_s: float = 60.0
    progress: Progress = lambda stage, text: None
    witness: Callable[[Evidence, LiveOutcome], None] = lambda total, live: None
    stop_early: bool = False

    @property
    def bank(self) -> Bank:
        return self.cases if isinstance(self.cases, Bank) else self.cases.bank()

    @property
    def examples(self) -> Sequence[Case]:
        known = self.cases.cases if isinstance(self.cases, Bank) else self.cases.examples
        return [case for case in known if case.group == "examples"]


@dataclass(slots=True)
class Work:
    """What an assessment has gathered so far."""

    started: float = field(default_factory=time.monotonic)
    seconds: dict[str, float] = field(default_factory=dict)
    usages: list[Usage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stdout: bytes = b""
    programs: tuple[Program, ...] = ()
    facts: tuple[Facts, ...] = ()
    structure_evidence: str | None = None
    confined: bool = True

    def timed(self, stage: str, started: float, usage: Usage) -> None:
        self.seconds[stage] = round(self.seconds.get(stage, 0.0) + time.monotonic() - started, 3)
        self.usages.append(usage)


def assess(context: Context, submission: Submission) -> Record:
    """Grade one submission.

    Raises:
        JudgeFault: the judge or the machine failed; the caller records the submission as ungraded.
    """
    if submission.unreadable:
        raise JudgeFault(submission.unreadable)
    if submission.fault:
        finding = Finding(Verdict.LOAD_ERROR, "load", "live", "", "", submission.fault, submission.fault)
        return _record(context, submission, Work(), Evidence(findings=[finding]), live_only=True)
    work = Work()
    live = _live(context, submission, work)
    whole = evidence.of_live(context.problem.spec, _shown(context.bank), live)
    if live.load is not None or live.ended is not None or not whole.answers:
        return _record(context, submission, work, whole, live_only=True)
    if context.stop_early and whole.failed:
        work.notes.append(STOPPED)
        return _record(context, submission, work, whole, live_only=True)
    program, stand_in_for = _program(context, submission, work, whole)
    total = Evidence(list(whole.findings), set(whole.passed), dict(whole.failed), dict(whole.answers))
    _merge(total, program, context.bank)
    stand_ins = _stand_ins(context, submission, work, stand_in_for, total)
    total.findings.extend(_structure(context, work))
    context.witness(total, live)
    return _record(context, submission, work, total, live_only=not work.programs, stand_ins=stand_ins)


def _shown(bank: Bank) -> dict[str, Case]:
    examples = [case for case in bank.cases if case.group == "examples"]
    return {case.id: case for case in (*examples, *bank.throwaways)}


def _live(context: Context, submission: Submission, work: Work) -> LiveOutcome:
    tell = functools.partial(_tell, context)
    work.confined = context.session.confinement().safe
    started = time.monotonic()
    live = runs.run_live(
        context.session, context.problem, submission, _live_calls(context), want_modules=False, seen=tell
    )
    work.timed("live", started, live.usage)
    work.seconds.update({name: round(value, 3) for name, value in live.seconds.items()})
    work.stdout = live.stdout
    return live


def _live_calls(context: Context) -> Iterator[tuple[str, Case]]:
    yield from ((case.id, case) for case in context.examples)
    yield from ((case.id, case) for case in context.bank.throwaways)
    yield AGAIN + context.examples[0].id, context.examples[0]


def _tell(context: Context, label: str, answer: Answer | Raised) -> None:
    """Tell who waits how an example went, as soon as it has run. The verdict comes later, from all the evidence."""
    # Neither the throw-away cases nor a repeated example have the id of an example.
    case = next((one for one in context.examples if one.id == label), None)
    if case is not None:
        found = evidence.of_answer(context.problem.spec, case, answer, "live")
        text = f"{found[0].verdict.value}: {found[0].sentence}" if found else "right"
        context.progress(reason.called(case), text)


def _program(
    context: Context, submission: Submission, work: Work, live: Evidence
) -> tuple[Evidence, dict[Signature, str]]:
    """Evidence of the exported program, and for each signature that a live stand-in must speak for, why."""
    bank, spec = context.bank, context.problem.spec
    started = time.monotonic()
    cases = (*bank.cases, *bank.throwaways, *bank.unanswered)
    export = runs.run_export(context.session, context.problem, submission, cases)
    work.timed("export", started, export.usage)
    if not export.programs:
        evidence.not_reproducible(live, Evidence())
        return Evidence(), dict.fromkeys(bank.signatures(), _why_not(export))
    trials = relations.derive(spec, replace(bank, cases=bank.cases + bank.unanswered))
    derived = [case for trial in trials for case in trial.derived]
    started = time.monotonic()
    ran = runs.run_program(context.session, context.problem, export.programs, (*cases, *derived))
    work.timed("program", started, ran.usage)
    work.seconds.update({name: round(value, 3) for name, value in ran.seconds.items()})
    found = evidence.of_program(spec, (*bank.cases, *bank.throwaways), ran)
    if ran.ended is not None and ran.ended.verdict in PROGRAM_LIMITS:
        found.findings.append(reason.of_end(ran.ended, "program", ""))
    examples = [case for case in bank.cases if case.group == "examples"]
    if evidence.unfaithful(live, found, examples):
        work.notes.append("the exported program differs from the live run on an example; judged live")
        evidence.not_reproducible(live, Evidence())
        return Evidence(), dict.fromkeys(bank.signatures(), "its program differs from the live run")
    evidence.not_reproducible(live, found)
    found.findings += _broken_relations(context, trials, ran)
    found.forget(case.id for case in bank.throwaways)
    work.programs = export.programs
    work.facts = tuple(ran.facts[i] for i in sorted(ran.facts))
    work.structure_evidence = "program" if work.facts else None
    return found, _unanswered(bank, export, ran, found)


def _broken_relations(context: Context, trials: Sequence[relations.Trial], ran: ProgramOutcome) -> list[Finding]:
    """Relations that the program breaks. Where the oracle says that its answers are right all the same, it is the data that
    hides a change, and nothing is wrong."""
    spec, oracle = context.problem.spec, context.oracle
    findings: list[Finding] = []
    for trial in trials:
        finding = relations.judge(spec, trial, ran.answers)
        if finding is None:
            continue
        if context.problem.examples_only:
            # Nothing here could say that the data hides a change.
            findings.append(finding)
            continue
        known = oracle.with_tolerances([case.inputs for case in trial.derived])
        wrong = (
            one.verdict is not Verdict.WRONG_PLACEMENT
            for case, (expected, tolerance) in zip(trial.derived, known, strict=True)
            for one in check_answer(
                spec, replace(case, expected=expected, tolerance=tolerance), ran.answers[case.id], "program"
            )
        )
        if any(wrong):
            findings.append(finding)
    return findings


def _why_not(export: ExportOutcome) -> str:
    if export.ended is not None:
        return export.ended.detail
    raised = export.load.raised if export.load else next(iter(export.refused.values()), None)
    return "it was not exported" if raised is None else reason.told(raised)


def _unanswered(bank: Bank, export: ExportOutcome, ran: ProgramOutcome, found: Evidence) -> dict[Signature, str]:
    """Signatures some of whose cases have no answer of a program, unless a limit ended the run."""
    if ran.ended is not None and ran.ended.verdict in PROGRAM_LIMITS:
        return {}
    answered = found.passed | set(found.failed)
    failures = "; ".join(dict.fromkeys(ran.failed.values()))
    return {
        case.signature: reason.told(export.refused[case.signature])
        if case.signature in export.refused
        else failures or (ran.ended.detail if ran.ended else "it was not exported")
        for case in bank.cases
        if case.id not in answered
    }


def _merge(total: Evidence, program: Evidence, bank: Bank) -> None:
    """The program speaks for hidden and fuzzed cases; an example is right only where both runs say so."""
    total.findings.extend(program.findings)
    groups = {case.id: case.group for case in bank.cases}
    for case_id in program.passed:
        if groups[case_id] != "examples":
            total.passed.add(case_id)
    for case_id, found in program.failed.items():
        total.passed.discard(case_id)
        total.failed.setdefault(case_id, []).extend(found)
    for case_id, answer in program.answers.items():
        if groups[case_id] != "examples" or case_id in program.failed:
            total.answers[case_id] = answer


def _stand_ins(
    context: Context, submission: Submission, work: Work, wanted: Mapping[Signature, str], total: Evidence
) -> dict[str, Case]:
    """Run the stand-ins of `wanted`, and those that confirm a placement which only the program shows."""
    bank, spec = context.bank, context.problem.spec
    doubtful = _doubtful_placements(bank, total)
    signatures = list(dict.fromkeys([*wanted, *doubtful]))
    if not signatures:
        return {}
    by_signature = {
        signature: banks.stand_in(context.problem, bank, context.oracle, signature, place)
        for place, signature in enumerate(signatures)
    }
    cases = {case.id: case for case in by_signature.values()}
    started = time.monotonic()
    live = runs.run_live(context.session, context.problem, submission, list(cases.items()), want_modules=not work.facts)
    work.timed("stand-ins", started, live.usage)
    found = evidence.of_live(spec, cases, live)
    evidence.not_reproducible(found, Evidence())
    if doubtful and not any(one.verdict is Verdict.WRONG_PLACEMENT for one in found.findings):
        evidence.forgive_placement(total)
    if live.modules:
        work.facts = runs.run_facts(context.session, context.problem, live.modules)
        work.structure_evidence = "claimed"
    if wanted:
        work.notes.append(
            f"{len(wanted)} of {len(bank.signatures())} shapes judged live: {next(iter(wanted.values()))}"
        )
    replaced = [case for case in bank.cases if case.signature in wanted and case.id not in total.passed]
    evidence.spread(found, {one: by_signature[one] for one in signatures}, replaced, total)
    total.answers.update(found.answers)
    return cases


def _doubtful_placements(bank: Bank, total: Evidence) -> list[Signature]:
    """Signatures where the program alone shows a wrong placement; the live run has told about the examples' own."""
    if any(one.verdict is Verdict.WRONG_PLACEMENT and one.source == "live" for one in total.findings):
        return []
    wrong = {one.case for one in total.findings if one.verdict is Verdict.WRONG_PLACEMENT}
    return list(dict.fromkeys(case.signature for case in bank.cases if case.id in wrong))


def _structure(context: Context, work: Work) -> list[Finding]:
    spec = context.problem.spec
    if not work.programs and spec.structure.export == "required":
        sentence = "the solution cannot be exported, and this problem asks for that."
        return [Finding(Verdict.WRONG_STRUCTURE, "structure", "structure", "", "", sentence, sentence)]
    return structure(spec, work.facts, "program" if work.structure_evidence == "program" else "live")


def _record(
    context: Context,
    submission: Submission,
    work: Work,
    total: Evidence,
    *,
    live_only: bool,
    stand_ins: Mapping[str, Case] | None = None,
) -> Record:
    spec, bank = context.problem.spec, context.bank
    decision = decide.decide(spec, total.findings, _tallies(bank, total), structure_read=bool(work.facts))
    known = {**_shown(bank), **{case.id: case for case in (*bank.cases, *bank.unanswered)}, **(stand_ins or {})}
    compared = time.monotonic()
    told = explain_failure.explain(context, work.programs, decision.leading, total, known)
    work.seconds["explain"] = round(time.monotonic() - compared, 3)
    in_children = sum(work.seconds.get(name, 0.0) for name in ("live", "export", "program", "stand-ins"))
    work.seconds["compare"] = round(max(0.0, compared - work.started - in_children), 3)
    loaded = decision.verdict is not Verdict.LOAD_ERROR
    return Record(
        student=submission.student,
        problem=submission.problem,
        file=str(submission.file),
        sha256=submission.sha256,
        verdict=decision.verdict,
        score=decision.score,
        max_score=decision.max_score,
        evidence=None if not loaded else ("live" if live_only or stand_ins else "program"),
        structure_evidence=work.structure_evidence,
        reason=told.reason,
        mistake=told.mistake,
        hint=told.hint,
        counterexample=told.counterexample,
        groups=decision.groups,
        seconds=dict(work.seconds),
        usage=_usage(work.usages),
        notes=(*submission.notes, *work.notes),
        confined=work.confined,
        stdout=work.stdout[:KEPT_STDOUT].decode("utf-8", "replace"),
        collectives=_collectives(work.facts),
        cases=_cases(bank, total),
        shards=told.shards,
    )


def _tallies(bank: Bank, total: Evidence) -> dict[str, decide.Tally]:
    first = next(case.id for case in bank.cases if case.group == "examples")
    # A throw-away case has no group: what it shows is a fault of the first example's shape.
    passed = total.passed - ({first} if any(case.id in total.failed for case in bank.throwaways) else set())
    tallies = {}
    for group in ("examples", "hidden", "fuzzed"):
        ids = [case.id for case in bank.cases if case.group == group]
        if ids:
            tallies[group] = decide.Tally(sum(one in passed for one in ids), len(ids))
    return tallies


def _usage(usages: Sequence[Usage]) -> dict[str, float]:
    return {
        "cpu_s": round(sum(one.cpu_s for one in usages), 3),
        "wall_s": round(sum(one.wall_s for one in usages), 3),
        "peak_mb": round(max((one.peak_bytes for one in usages), default=0) / 2**20, 1),
    }


def _collectives(facts: Sequence[Facts]) -> tuple[Mapping[str, object], ...]:
    seen = {(one.op, one.groups, one.line): None for some in facts for one in some.collectives}
    return tuple({"op": op, "groups": [list(group) for group in groups], "line": line} for op, groups, line in seen)


def _cases(bank: Bank, total: Evidence) -> tuple[Mapping[str, object], ...]:
    rows = []
    for case in bank.cases:
        sizes = [one.size for one in total.failed.get(case.id, ()) if one.size is not None]
        rows.append(
            {
                "id": case.id,
                "group": case.group,
                "category": case.category,
                "passed": case.id in total.passed,
                "error": max(sizes) if sizes and max(sizes) != float("inf") else None,
            }
        )
    return tuple(rows)
