"""The one sentence that a student gets: what is wrong, where, by how much, and what it looks like."""

from __future__ import annotations

from collections.abc import Mapping

from judge.model.case import Case
from judge.model.outcome import Ended, Raised
from judge.model.record import Finding
from judge.model.verdict import Verdict

MAX_MESSAGE = 600


def of_load(raised: Raised) -> Finding:
    """The file could not be used: everything may be said, since no case was involved."""
    # `LoadError` is the runner's own word for a file that defines no usable entry.
    why = raised.message + "." if raised.type == "LoadError" else told(raised)
    sentence = f"the file could not be loaded: {why}"
    return Finding(Verdict.LOAD_ERROR, "load", "live", "", "", sentence, sentence)


def of_end(ended: Ended, source: str, case: str) -> Finding:
    sentence = f"{ended.detail} ({ended.stage})."
    return Finding(ended.verdict, "end", source, case, "", sentence, sentence)


def of_raised(raised: Raised, source: str, case: str) -> Finding:
    """`solve` raised: JAX's own words and the student's own line, or the type and the line where the case is hidden."""
    sentence = f"solve raised {told(raised)}"
    discreet = f"solve raised {raised.type}{_line(raised)}."
    return Finding(Verdict.RUNTIME_ERROR, "raised", source, case, "", sentence, discreet)


def told(raised: Raised) -> str:
    message = " ".join(raised.message.split())
    if len(message) > MAX_MESSAGE:
        message = f"{message[: MAX_MESSAGE - 100]} [...] {message[-90:]}"
    head = f"{raised.type}: {message}" if message else f"{raised.type} without a message"
    return f"{head}{_line(raised)}{'' if head.endswith(('.', '!', '?')) and not raised.line else '.'}"


def _line(raised: Raised) -> str:
    if not raised.line:
        return ""
    text = raised.text.strip()
    return f" (line {raised.line}: `{text[:120]}`)" if text else f" (line {raised.line})"


def sentence(finding: Finding, cases: Mapping[str, Case], hint: str | None) -> str:
    """The reason of a verdict from the finding that leads to it; `hint` is the recognised mistake's."""
    case = cases.get(finding.case)
    if case is None or finding.verdict is Verdict.NOT_REPRODUCIBLE:
        text = f"{finding.sentence[:1].upper()}{finding.sentence[1:]}"
    elif case.shareable:
        text = f"On {called(case)}, {finding.sentence}"
    else:
        about = f" ({case.category.rstrip('. ')})" if case.category else ""
        text = f"On a hidden case{about}, {finding.discreet}"
    return f"{text} {hint}" if hint else text


def called(case: Case) -> str:
    """How a student may know a case: the examples by number, what was drawn afresh by its sizes."""
    if case.id.startswith("example-"):
        return case.id.replace("-", " ")
    return f"a fresh case with {case.signature}"
