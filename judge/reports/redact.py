"""What may be shown, and how to show it without it acting: the one place before every report.

A student wrote messages, names of keys, printed text and even file names. Here they lose what a terminal, a browser, a
spreadsheet or a Markdown viewer would obey.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from judge.model.record import Record

MAX_TEXT = 4000
#: Controls, formats (bidirectional marks among them), surrogates, private use and unassigned code points.
ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
#: What begins a formula, also after blanks, and also in the wide forms that some programs take for the narrow.
FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
#: Where the separator of a list is a semicolon, a cell ends here, and the next could begin a formula.
NEXT_CELL = re.compile(r";(?=\s*[\"'=+\-@\uff1d\uff0b\uff0d\uff20])")
MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&:/@$])")
#: Servers that run tests obey these wherever they stand in a line of the log.
COMMAND = re.compile(r"#(?=#(?:\[|vso\[|teamcity\[))")


def plain(text: str, *, lines: bool = False, most: int = MAX_TEXT) -> str:
    """`text` with everything that acts spelled as an escape, cut in the middle; newlines stay where `lines` is set."""
    if len(text) > most:
        cut = len(text) - most
        text = f"{text[: most // 2]} [... {cut} characters cut ...] {text[-most // 2 :]}"
    if text.isascii() and text.isprintable():
        # Most of what is shown, by far, and known at once.
        return text
    return "".join(
        one if _harmless(one) or (lines and one == "\n") else one.encode("unicode_escape").decode("ascii")
        for one in text
    )


def _harmless(one: str) -> bool:
    return unicodedata.category(one) not in ACTING and one not in "\u2028\u2029"


def cell(text: str) -> str:
    """A cell of a spreadsheet: never a formula."""
    shown = NEXT_CELL.sub(r"\\x3b", plain(text))
    return f"'{shown}" if FORMULA.match(shown) else shown


def markdown(text: str) -> str:
    """One line of text in a Markdown file, every character of it as itself."""
    return MARKDOWN.sub(r"\\\1", plain(text))


def fenced(text: str) -> str:
    """A block of text in a Markdown file, in a fence that it cannot close."""
    shown = plain(text, lines=True)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown.rstrip(chr(10))}\n{fence}"


def quoted(text: str, *, most: int = MAX_TEXT) -> str:
    """Lines of a student's for a terminal, each behind a bar: none reads as the judge's own, or as a command to a CI server."""
    shown = COMMAND.sub(r"\\x23", plain(text, lines=True, most=most)).rstrip("\n")
    return "\n".join(f"| {line}" for line in shown.split("\n"))


def spelled(value: Any) -> str:
    """Lists and numbers as Python reads them, floats to nine digits, which tell all float32 apart."""
    text = json.dumps(_rounded(value))
    return text.replace("true", "True").replace("false", "False")


def _rounded(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def for_student(record: Record) -> Mapping[str, Any]:
    """What of a record its student may see. Hidden and fuzzed cases are counted, and never named one by one."""
    kept = {case.get("id") for case in record.cases if case.get("group") != "examples"}
    found = record.counterexample
    return {
        "student": record.student,
        "problem": record.problem,
        "verdict": record.verdict.value,
        "score": record.final_score,
        "max_score": record.final_max,
        "credit": () if record.credit is None else record.credit.why,
        "reason": record.reason,
        "mistake": record.mistake,
        "counterexample": None if found is not None and found.case in kept else found,
        "groups": record.groups,
        "stdout": record.stdout,
        "evidence": record.evidence,
        "structure_evidence": record.structure_evidence,
        "collectives": record.collectives,
        "shards": tuple(one for one in record.shards if one.case not in kept),
        "usage": record.usage,
        "notes": record.notes,
    }
