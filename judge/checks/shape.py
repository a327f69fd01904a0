"""`shape`: each output has the shape that the case's dims give it. Nothing is broadcast."""

from __future__ import annotations

from judge.model.case import Case
from judge.model.outcome import Answer
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict


def shape(spec: Spec, case: Case, answer: Answer, source: str) -> list[Finding]:
    findings = []
    for key, output in spec.outputs.items():
        actual, expected = answer.outputs[key].shape, case.expected[key].shape
        if actual == expected:
            continue
        names = f"({', '.join(map(str, output.shape))}{',' if len(output.shape) == 1 else ''})"
        meaning = f", that is {names}," if any(isinstance(extent, str) for extent in output.shape) else ""
        sentence = f"`{key}` has shape {actual}; it must be {expected}{meaning} for {case.signature}."
        discreet = f"`{key}` has {len(actual)} axes of the wrong sizes; its shape must be {names}."
        if len(actual) != len(expected):
            discreet = f"`{key}` has {len(actual)} axes; its shape must be {names}."
        findings.append(Finding(Verdict.WRONG_SHAPE, "shape", source, case.id, key, sentence, discreet))
    return findings
