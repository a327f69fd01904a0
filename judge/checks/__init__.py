"""The checks of one answer, in the order of their verdicts.

A check is a pure function `check(spec, case, answer, source) -> list[Finding]`; an empty list is a pass. `Stop` in the
table says that nothing after a failure of this check could be told apart from its consequences.
"""

from __future__ import annotations

from collections.abc import Collection

from judge.checks.dtype import dtype
from judge.checks.keys import keys
from judge.checks.placement import placement
from judge.checks.replicas import replicas
from judge.checks.shape import shape
from judge.checks.type import type_
from judge.checks.values import values
from judge.model.case import Case
from judge.model.outcome import Answer
from judge.model.problem import Spec
from judge.model.record import Finding

#: name -> (check, whether the later ones are skipped when it fails)
ANSWER_CHECKS = {
    "type": (type_, True),
    "keys": (keys, True),
    "shape": (shape, True),
    "dtype": (dtype, False),
    "placement": (placement, False),
    "replicas": (replicas, False),
    "values": (values, False),
}


#: Those that need the expected values of the case.
COMPARING = frozenset({"shape", "values"})


def check_answer(
    spec: Spec, case: Case, answer: Answer, source: str, *, without: Collection[str] = frozenset()
) -> list[Finding]:
    """Every finding of one answer; `source` is `live` or `program`, `without` names checks that are left out."""
    findings: list[Finding] = []
    for name, (check, stop) in ANSWER_CHECKS.items():
        if name in without:
            continue
        found = check(spec, case, answer, source)
        findings.extend(found)
        if found and stop:
            break
    return findings
