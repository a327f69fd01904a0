"""The author's own solutions: each must get the verdict that its folder is named after, and leave room.

The first lines may say more: `# mistake: NAME` is the mistake that a wrong answer must be recognised as; `# rounds: true`
excepts a style that rounds to the printed digits from the room that honest solutions leave.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from judge.assess import Context, assess
from judge.checks.arrays import whole
from judge.errors import JudgeFault
from judge.evidence import Evidence
from judge.load.submissions import find_submissions
from judge.model.case import Case
from judge.model.outcome import Answer, LiveOutcome
from judge.model.problem import Limits, Problem, Spec
from judge.model.record import Record
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.model.verification import Row

#: Honest solutions use at most this part of `safety * unit`.
ROOM = 0.2
#: Limits are at least this many times what the slowest accepted solution needs.
HEADROOM = 3.0
#: Of the wrong solutions that name their mistake, at least this share must be recognised.
RECOGNISED = 0.8
HEADER = re.compile(r"#\s*(mistake|rounds)\s*:\s*(\S+)\s*")


@dataclass(frozen=True, slots=True)
class Solution:
    """A file in `solutions/<verdict>/`, and what its first lines say."""

    submission: Submission
    wanted: Verdict
    mistake: str | None = None
    rounds: bool = False

    @property
    def name(self) -> str:
        return f"{self.wanted.value}/{self.submission.file.name}"


@dataclass(frozen=True, slots=True)
class Tried:
    """A solution that was graded.

    Attributes:
        record: what it got.
        part: the greatest part of `safety * unit` that it used on any case, and on which; None where nothing ran.
        seconds: CPU seconds of its first call and of a further call, estimated from the CPU of the whole live run.
    """

    solution: Solution
    record: Record
    part: tuple[float, str] | None
    seconds: Mapping[str, float] = field(default_factory=dict)


def find(problem: Problem) -> tuple[list[Solution], list[str]]:
    """Every solution, and what is wrong with the folder."""
    root, faults, found = problem.folder / "solutions", [], []
    for folder in sorted(one for one in root.iterdir() if one.is_dir()) if root.is_dir() else []:
        known = {one.value: one for one in Verdict if one is not Verdict.UNGRADED}
        if folder.name not in known:
            faults.append(f"{folder}: there is no such verdict; name it after one of {', '.join(known)}")
            continue
        files = [file for file in sorted(folder.iterdir()) if file.suffix in {".py", ".ipynb"}]
        found += [_solution(problem, file, known[folder.name]) for file in files]
    kinds = {one.wanted for one in found}
    if Verdict.ACCEPTED not in kinds:
        faults.append(f"{root}: no solution is accepted; put one that is right into accepted/")
    if not kinds - {Verdict.ACCEPTED}:
        faults.append(f"{root}: no solution is rejected; put one with a mistake into wrong_answer/")
    return found, faults


def _solution(problem: Problem, file: Path, wanted: Verdict) -> Solution:
    (submission,) = find_submissions([file], [problem.slug], problem=problem.slug).submissions
    said = {}
    for line in submission.source.decode("utf-8", "replace").splitlines():
        if not line.startswith("#"):
            break
        if match := HEADER.fullmatch(line):
            said[match[1]] = match[2]
    return Solution(submission, wanted, said.get("mistake"), said.get("rounds") == "true")


def run(context: Context, solution: Solution) -> Tried:
    """Grade one solution. No counterexample is searched: nobody would read it."""
    seen: list[tuple[Evidence, LiveOutcome]] = []
    watched = replace(context, budget=0, witness=lambda total, live: seen.append((total, live)))
    record = assess(watched, solution.submission)
    if not seen:
        return Tried(solution, record, None)
    total, live = seen[0]
    cases = [case for case in context.bank.cases if case.id in total.answers]
    part = max((_part(context.problem.spec, case, total.answers[case.id]) for case in cases), default=None)
    return Tried(solution, record, part, _seconds(live))


def _part(spec: Spec, case: Case, answer: Answer) -> tuple[float, str]:
    """Error beyond `atol`, as a part of what counts units."""
    atol, part = spec.tolerance.atol, 0.0
    for key, expected in case.expected.items():
        actual = whole(answer.outputs[key]) if key in answer.outputs else None
        if actual is None or actual.shape != expected.shape or expected.dtype.kind != "f":
            continue
        with np.errstate(all="ignore"):
            beyond = np.maximum(0.0, np.abs(actual.astype(np.float64) - expected.astype(np.float64)) - atol)
            # NaN is an infinite error, and nothing is no part of nothing.
            used = np.where(beyond == 0, 0.0, beyond / (case.tolerance[key] - atol))
        part = max(part, float(np.max(np.where(np.isnan(used), np.inf, used), initial=0.0)))
    return part, case.id


def _seconds(live: LiveOutcome) -> dict[str, float]:
    # CPU is measured over the whole run, the clock by stage: each stage gets its share.
    wall = sum(live.seconds.values())
    rate = live.usage.cpu_s / wall if wall else 0.0
    further = max(1, len(live.answers) - 1)
    return {
        "load_s": live.seconds.get("load", 0.0) * rate,
        "first_call_s": live.seconds.get("first_call", 0.0) * rate,
        "call_s": live.seconds.get("calls", 0.0) * rate / further,
    }


def judge(problem: Problem, tried: Sequence[Tried], mistakes: Sequence[str]) -> tuple[list[Row], list[str]]:
    """Rows and faults of all solutions of a problem."""
    rows, faults = [], []
    for one in tried:
        said = [*_verdict(one), *_mistake(one, mistakes), *_room(one)]
        faults += said
        rows.append(Row("solutions", one.solution.name, _result(one), _figure(one), fine=not said))
    limit_rows, limit_faults = _limits(problem, tried)
    named, right = recognised(tried)
    if named and right / named < RECOGNISED:
        faults.append(
            f"{problem.mistakes_file}: {right} of {named} wrong solutions are recognised as the mistake they name, and "
            f"{RECOGNISED:.0%} are needed; correct the mistakes, or add cases that tell them apart"
        )
    return rows + limit_rows, faults + limit_faults


def recognised(tried: Sequence[Tried]) -> tuple[int, int]:
    """(wrong solutions that name a mistake, those of them that are recognised as it)."""
    wrong = [one for one in tried if one.solution.wanted is Verdict.WRONG_ANSWER]
    named = [one for one in wrong if one.solution.mistake is not None]
    return len(named), sum(one.record.mistake == one.solution.mistake for one in named)


def _result(one: Tried) -> str:
    mistake = one.record.mistake
    return one.record.verdict.value + (f", {mistake}" if mistake else "")


def _figure(one: Tried) -> str:
    if not _is_accepted(one) or one.part is None:
        return ""
    return f"{one.part[0]:.1%} of the room" + (", rounds" if one.solution.rounds else "")


def _is_accepted(one: Tried) -> bool:
    return one.solution.wanted is Verdict.ACCEPTED and one.record.verdict is Verdict.ACCEPTED


def _verdict(one: Tried) -> list[str]:
    got = one.record.verdict
    if got is one.solution.wanted:
        return []
    if got is Verdict.UNGRADED:
        raise JudgeFault(f"{one.solution.submission.file}: {one.record.reason}")
    file = one.solution.submission.file
    return [f"{file}: it is {got.value}, not {one.solution.wanted.value} ({one.record.reason}); move it or correct it"]


def _mistake(one: Tried, mistakes: Sequence[str]) -> list[str]:
    wanted, got, file = one.solution.mistake, one.record.mistake, one.solution.submission.file
    if wanted is None:
        return []
    if wanted not in mistakes:
        return [f"{file}:1: there is no mistake `{wanted}` in mistakes.py; choose from {', '.join(mistakes)}"]
    if got is not None and got != wanted:
        return [f"{file}:1: it says that it makes `{wanted}` and is recognised as `{got}`; correct one of them"]
    return []


def _room(one: Tried) -> list[str]:
    if not _is_accepted(one) or one.solution.rounds or one.part is None or one.part[0] <= ROOM:
        return []
    part, case = one.part
    used = f"it uses {part:.0%} of `safety * unit` on {case}, and {ROOM:.0%} are allowed to an honest solution"
    remedy = "raise `tolerance.safety`, or say `# rounds: true` in its first line"
    return [f"{one.solution.submission.file}: {used}; {remedy}"]


def _limits(problem: Problem, tried: Sequence[Tried]) -> tuple[list[Row], list[str]]:
    accepted = [one for one in tried if _is_accepted(one) and one.seconds]
    limits: Limits = problem.spec.limits
    rows, faults = [], []
    for name in ("load_s", "first_call_s", "call_s") if accepted else ():
        slowest = max(accepted, key=lambda one: one.seconds[name])
        needs, limit = slowest.seconds[name], getattr(limits, name)
        fine = needs * HEADROOM <= limit
        file = slowest.solution.submission.file.name
        rows.append(
            Row("limits", name, f"{needs:.2g} s of {limit:g} s", f"{limit / max(needs, 1e-3):.3g} x", fine=fine)
        )
        if not fine:
            faults.append(
                f"{problem.folder / 'problem.yaml'}: limits.{name} is {limit:g} and {file} needs {needs:.2g} s; "
                f"allow at least {HEADROOM * needs:.2g}"
            )
    return rows, faults
