"""`dtype`: each output has a dtype that the problem lists. Weakly typed float32 is float32."""

from __future__ import annotations

from judge.model.case import Case
from judge.model.outcome import Answer
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict


def dtype(spec: Spec, case: Case, answer: Answer, source: str) -> list[Finding]:
    findings = []
    for key, output in spec.outputs.items():
        actual = answer.outputs[key].dtype
        if actual not in output.dtype:
            sentence = f"`{key}` has dtype {actual}; it must be {' or '.join(output.dtype)}."
            findings.append(Finding(Verdict.WRONG_DTYPE, "dtype", source, case.id, key, sentence, sentence))
    return findings
