"""`type`: `solve` returns a dict, and each of its values is an array of a kind that the problem allows."""

from __future__ import annotations

from judge.model.case import Case
from judge.model.outcome import Answer
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict

ARTICLES = {"jax": "a jax.Array", "numpy": "a NumPy array"}


def type_(spec: Spec, case: Case, answer: Answer, source: str) -> list[Finding]:
    """A program always returns arrays of JAX: what kind they are is a question to the live run alone."""
    if answer.type != "dict":
        wanted = ", ".join(spec.outputs)
        sentence = f"{spec.entry} returned {_named(answer.type)}; return a dict with the keys {wanted}."
        return [Finding(Verdict.WRONG_TYPE, "type", source, case.id, "", sentence, sentence)]
    if source == "program":
        return []
    findings = []
    for key, output in spec.outputs.items():
        actual = answer.outputs.get(key)
        if actual is None or actual.kind in output.arrays:
            continue
        wanted = " or ".join(ARTICLES[kind] for kind in output.arrays)
        found = ARTICLES.get(actual.kind) or _named(actual.kind)
        sentence = f"`{key}` is {found}; return {wanted}."
        findings.append(Finding(Verdict.WRONG_TYPE, "type", source, case.id, key, sentence, sentence))
    return findings


def _named(type_name: str) -> str:
    return "None" if type_name == "NoneType" else f"an object of type {type_name}"
