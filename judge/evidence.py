"""What the outcomes of one submission say, put together. Pure: outcomes and cases in, findings and passed cases out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from judge import reason
from judge.checks import check_answer
from judge.model.case import Case, Signature
from judge.model.outcome import Answer, LiveOutcome, ProgramOutcome, Raised
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict

AGAIN = "again:"


@dataclass(slots=True)
class Evidence:
    """Findings in the order of their recording; `failed` holds the findings of each case that was checked and is wrong.

    `passed` are ids of cases whose every check passed; `answers` the answers by case id, for what comes after (mistakes,
    counterexamples).
    """

    findings: list[Finding] = field(default_factory=list)
    passed: set[str] = field(default_factory=set)
    failed: dict[str, list[Finding]] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)

    def add(self, case: Case, answer: Answer | Raised, found: list[Finding]) -> None:
        if isinstance(answer, Answer):
            self.answers[case.id] = answer
        if found:
            self.failed.setdefault(case.id, []).extend(found)
            self.passed.discard(case.id)
            self.findings.extend(found)
        elif case.id not in self.failed:
            self.passed.add(case.id)

    def forget(self, ids: Iterable[str]) -> None:
        """Drop everything about some cases."""
        gone = set(ids)
        self.passed -= gone
        self.findings = [finding for finding in self.findings if finding.case not in gone]
        for case_id in gone:
            self.failed.pop(case_id, None)
            self.answers.pop(case_id, None)


def of_live(spec: Spec, cases: Mapping[str, Case], live: LiveOutcome) -> Evidence:
    """The live run alone. A label `again:<id>` is the same case once more, on fresh inputs."""
    evidence = Evidence()
    if live.load is not None:
        evidence.findings.append(reason.of_load(live.load.raised))
    for label, answer in live.answers:
        case = cases[label.removeprefix(AGAIN)]
        found = of_answer(spec, case, answer, "live")
        if label.startswith(AGAIN) and case.id in evidence.passed:
            found = [_unlike_before(case, one) for one in found]
        evidence.add(case, answer, found)
    if live.ended is not None:
        unanswered = [case.id for case in cases.values() if case.id not in evidence.passed | set(evidence.failed)]
        evidence.findings.append(reason.of_end(live.ended, "live", unanswered[0] if unanswered else ""))
    return evidence


def of_program(spec: Spec, cases: Iterable[Case], program: ProgramOutcome) -> Evidence:
    """The program's answers alone; cases without an answer are neither passed nor failed."""
    evidence = Evidence()
    for case in cases:
        answer = program.answers.get(case.id)
        if answer is not None:
            evidence.add(case, answer, check_answer(spec, case, answer, "program"))
    return evidence


def unfaithful(live: Evidence, program: Evidence, examples: Sequence[Case]) -> bool:
    """Whether the program computes something else than the live run on an example that the live run gets right.

    Then the help given to the export changed the meaning, or the submission behaves differently when it is traced: the
    program is no evidence.
    """
    ignored = {Verdict.WRONG_PLACEMENT, Verdict.REPLICAS_DIFFER}
    return any(
        case.id in live.passed and any(finding.verdict not in ignored for finding in program.failed.get(case.id, ()))
        for case in examples
    )


#: What a call looks like that got another call's answer.
STALE = frozenset({Verdict.WRONG_ANSWER, Verdict.WRONG_SHAPE})


def not_reproducible(live: Evidence, program: Evidence) -> None:
    """Turn wrong values and shapes of the live run into `not_reproducible` where the same case is right in the program, or
    where the program does not tell and the answer is that of an earlier call."""
    for case_id, found in live.failed.items():
        if any(finding.verdict not in STALE for finding in found):
            continue
        unknown = case_id not in program.passed and case_id not in program.failed
        stale = any(_same(live, case_id, other) for other in live.passed)
        if case_id not in program.passed and not (stale and unknown):
            continue
        why = (
            "the answer to an earlier call with other inputs came back; do not keep results between calls"
            if stale
            else "the exported program is right on these inputs and the live call is not; do not keep state between calls"
        )
        for finding in found:
            sentence = f"{why}: {finding.sentence}"
            turned = dataclasses.replace(
                finding, verdict=Verdict.NOT_REPRODUCIBLE, check="reproducible", sentence=sentence, discreet=why + "."
            )
            live.findings[live.findings.index(finding)] = turned


def placement_only_in_program(program: Evidence) -> list[str]:
    """Ids of the cases whose only fault is a placement that the program shows."""
    return [
        case_id
        for case_id, found in program.failed.items()
        if all(finding.verdict is Verdict.WRONG_PLACEMENT for finding in found)
    ]


def forgive_placement(program: Evidence) -> None:
    """Drop every placement finding of a program: the partitioner chose it, the live run did not show it."""
    program.findings = [one for one in program.findings if one.verdict is not Verdict.WRONG_PLACEMENT]
    for case_id in placement_only_in_program(program):
        del program.failed[case_id]
        program.passed.add(case_id)
    for case_id, found in program.failed.items():
        program.failed[case_id] = [one for one in found if one.verdict is not Verdict.WRONG_PLACEMENT]


def spread(stand_ins: Evidence, by_signature: Mapping[Signature, Case], cases: Iterable[Case], into: Evidence) -> None:
    """Let the stand-in of a signature speak for the bank's cases of that signature."""
    into.findings.extend(stand_ins.findings)
    for case in cases:
        stand_in = by_signature.get(case.signature)
        if stand_in is None or case.group == "examples":
            continue
        if stand_in.id in stand_ins.passed:
            into.passed.add(case.id)
        else:
            into.failed.setdefault(case.id, []).extend(stand_ins.failed.get(stand_in.id, ()))


def of_answer(spec: Spec, case: Case, answer: Answer | Raised, source: str) -> list[Finding]:
    """What is wrong with one answer."""
    if isinstance(answer, Raised):
        return [reason.of_raised(answer, source, case.id)]
    return check_answer(spec, case, answer, source)


def _unlike_before(case: Case, finding: Finding) -> Finding:
    name = case.id.replace("-", " ")
    sentence = f"{name} was right the first time and wrong when repeated: {finding.sentence}"
    discreet = "a case was right the first time and wrong when repeated."
    return dataclasses.replace(
        finding, verdict=Verdict.NOT_REPRODUCIBLE, check="reproducible", sentence=sentence, discreet=discreet
    )


def _same(evidence: Evidence, one: str, other: str) -> bool:
    first, second = evidence.answers.get(one), evidence.answers.get(other)
    if first is None or second is None or list(first.outputs) != list(second.outputs):
        return False
    pairs = zip(first.outputs.values(), second.outputs.values(), strict=True)
    return all(
        [None if s.data is None else s.data.tobytes() for s in a.shards]
        == [None if s.data is None else s.data.tobytes() for s in b.shards]
        for a, b in pairs
    )
