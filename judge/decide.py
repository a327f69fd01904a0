"""Findings -> verdict, score and groups. Pure and total: no files, no clock, no order but the one given.

Which verdict: `load_error` before all; then the end of a run that was recorded first; then the finding whose verdict
stands first in `Verdict`. Nothing wrong and everything checked is `accepted`; nothing checked is a fault of the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.errors import JudgeFault
from judge.model.problem import Points, Spec
from judge.model.record import Finding, GroupScore
from judge.model.verdict import ENDS, Verdict

PRIORITY = {verdict: place for place, verdict in enumerate(Verdict)}
CASE_GROUPS = ("examples", "hidden", "fuzzed")
NO_FAULT = frozenset({Verdict.ACCEPTED, Verdict.UNGRADED})
#: Findings that cost the points of the placement group.
PLACEMENT = frozenset({Verdict.WRONG_PLACEMENT, Verdict.REPLICAS_DIFFER})


@dataclass(frozen=True, slots=True)
class Tally:
    """How the cases of a group went: `passed` of `total`."""

    passed: int
    total: int


@dataclass(frozen=True, slots=True)
class Decision:
    """`leading` is the finding that made the verdict; None when it is `accepted`."""

    verdict: Verdict
    score: float
    max_score: float
    groups: tuple[GroupScore, ...]
    leading: Finding | None


def decide(spec: Spec, findings: Sequence[Finding], tallies: Mapping[str, Tally], *, structure_read: bool) -> Decision:
    """The verdict and the points.

    Args:
        spec: the problem's.
        findings: in the order in which they were recorded. An end of a run is a finding too.
        tallies: of the groups `examples`, `hidden` and `fuzzed`, over all cases of the bank.
        structure_read: whether some program or module was looked at.

    Raises:
        JudgeFault: nothing was found and something was not checked, or a finding claims no fault.
    """
    for one in findings:
        if one.verdict in NO_FAULT:
            raise JudgeFault(f"the check {one.check} found {one.verdict.value}, which is no fault; please report it")
    leading = _leading(findings)
    if leading is None:
        _assert_complete(spec, tallies, structure_read)
    verdict = Verdict.ACCEPTED if leading is None else leading.verdict
    groups = _groups(spec, findings, tallies, structure_read)
    score = round(sum(group.points for group in groups), 2)
    return Decision(verdict, score, total_points(spec.points), groups, leading)


def total_points(points: Points) -> float:
    return round(points.examples + points.hidden + points.fuzzed + points.placement + points.structure, 2)


def _leading(findings: Sequence[Finding]) -> Finding | None:
    loads = [finding for finding in findings if finding.verdict is Verdict.LOAD_ERROR]
    ends = [finding for finding in findings if finding.verdict in ENDS]
    if loads or ends:
        return (loads or ends)[0]
    if not findings:
        return None
    first = min(PRIORITY[finding.verdict] for finding in findings)
    return next(finding for finding in findings if PRIORITY[finding.verdict] == first)


def _assert_complete(spec: Spec, tallies: Mapping[str, Tally], structure_read: bool) -> None:
    if not tallies or not any(tally.total for tally in tallies.values()):
        raise JudgeFault("no case was checked, and no checks are never a pass; this is a fault of the judge")
    points = spec.points.model_dump()
    for name in CASE_GROUPS:
        if points[name] and not tallies.get(name, Tally(0, 0)).total:
            raise JudgeFault(f"{name} has points, and no case of it was checked")
    for name, tally in tallies.items():
        if tally.passed != tally.total:
            raise JudgeFault(f"{tally.total - tally.passed} cases of {name} have no answer and no finding either")
    if not spec.structure.demands_nothing and not structure_read:
        raise JudgeFault("the structure was not read, and no finding says so")


def _groups(
    spec: Spec, findings: Sequence[Finding], tallies: Mapping[str, Tally], structure_read: bool
) -> tuple[GroupScore, ...]:
    points = spec.points.model_dump()
    groups = []
    for name in CASE_GROUPS:
        tally = tallies.get(name, Tally(0, 0))
        if tally.total or points[name]:
            share = tally.passed / tally.total if tally.total else 0.0
            # Only a part of the points is rounded: thirds of points must add up to full marks.
            earned = points[name] if share == 1 else round(points[name] * share, 2)
            groups.append(GroupScore(name, tally.passed, tally.total, earned, points[name]))
    examples = tallies.get("examples", Tally(0, 0))
    right = examples.total > 0 and examples.passed == examples.total
    verdicts = {finding.verdict for finding in findings}
    if points["placement"]:
        groups.append(_all_or_nothing("placement", right and not verdicts & PLACEMENT, points["placement"]))
    if points["structure"]:
        fine = right and structure_read and Verdict.WRONG_STRUCTURE not in verdicts
        groups.append(_all_or_nothing("structure", fine, points["structure"]))
    return tuple(groups)


def _all_or_nothing(name: str, earned: bool, points: float) -> GroupScore:
    return GroupScore(name, int(earned), 1, points if earned else 0.0, points)
