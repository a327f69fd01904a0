"""`judge.reports.redact`: whatever a student wrote is shown, and nothing of it acts."""

from __future__ import annotations

import csv
import io
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from judge.model.problem import Spec
from judge.model.record import Counterexample, Part, Record, Sharding
from judge.model.verdict import Verdict
from judge.reports import feedback, grades, own, terminal
from judge.reports.redact import MAX_TEXT, cell, fenced, for_student, markdown, plain, quoted
from tests.support.authored import STEP_SPEC

RECORD = Record(
    student="ada",
    problem="shard-map-step",
    file="ada/shard-map-step.py",
    sha256="0" * 64,
    verdict=Verdict.WRONG_ANSWER,
    score=0.0,
    max_score=100.0,
    evidence="program",
    structure_evidence="program",
    reason="It is wrong.",
    mistake=None,
    hint=None,
    counterexample=None,
    groups=(),
    seconds={},
    usage={},
    notes=(),
)
ESCAPES = "\x1b[2J\x1b]0;title\x07\x1b]52;c;eA==\x07\r\x08\x9b1m\x7f\x00"
BIDI = "\u202eaccepted\u202c\u2066x\u2069\u200f\u200b\ufeff\u2028\u2029\U000e0041"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"
HOSTILE = [ESCAPES, BIDI, SCRIPT, "\ud800", "a\nb", "```\n# accepted\n", "::error::x", "[bold]x[/bold]", "[/]", "\\x1b"]


def acting(text: str) -> set[str]:
    return {one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    assert acting(plain(text)) == set()
    assert acting(plain(text, lines=True)) <= {"\n"}
    plain(text).encode()


@given(st.text(st.characters(), max_size=200))
def test_plain_leaves_what_is_harmless_and_is_of_bounded_length(text: str) -> None:
    shown = plain(text)
    assert acting(shown) == set()
    assert len(shown) <= 10 * len(text)
    if not acting(text) and all(unicodedata.category(one) != "Cn" for one in text):
        assert shown == text


@pytest.mark.parametrize("show", [plain, cell, markdown, fenced, quoted])
@pytest.mark.parametrize("letter", ["a", "\x1b", "`", "\n", "\U000e0041"])
def test_fifty_megabytes_become_some_thousand_characters(show: Any, letter: str) -> None:
    shown = show(letter * 50_000_000)
    # The longest escape has ten characters, and Markdown doubles its backslash.
    assert len(shown) < 12 * MAX_TEXT
    assert "characters cut" in shown


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(1)", " =1", "\t=1", "\r=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201"]
)
def test_a_cell_is_never_a_formula(text: str) -> None:
    assert cell(text).startswith(("'", "\\"))


@pytest.mark.parametrize("text", ["x;=1+1", 'x";=1', "x; @SUM(1)", 'x;"=1"'])
def test_a_cell_does_not_end_where_the_separator_is_a_semicolon(text: str) -> None:
    assert ";" not in cell(text)


def test_an_ordinary_name_is_its_own_cell() -> None:
    assert cell("ada; o'neill-2 (b)") == "ada; o'neill-2 (b)"


@given(st.text("`~\n#ax", max_size=60))
def test_nothing_closes_the_fence_it_stands_in(text: str) -> None:
    first, *body, last = fenced(text).split("\n")
    assert first == f"{last}text"
    assert set(last) == {"`"}
    assert not any(line.strip().startswith(last) for line in body)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_in_markdown_every_mark_is_escaped(text: str) -> None:
    shown = markdown(text)
    for mark in "\\`*_{}[]<>()#+-.!|~&:/@$":
        assert shown.replace("\\\\", "").count(f"\\{mark}") == text.count(mark) or mark == "\\"


@pytest.mark.parametrize(
    "command", ["::set-output name=x::1", "  ::stop-commands::x", "##vso[task.complete]", "##[group]"]
)
def test_printed_lines_are_no_commands_to_a_ci_server(command: str) -> None:
    shown = quoted(f"before\n{command}\nafter")
    assert "##" not in shown
    assert all(line.startswith("| ") for line in shown.split("\n"))


@pytest.mark.parametrize("text", HOSTILE)
def test_every_field_that_a_student_writes_is_harmless_in_feedback_grades_and_terminal(text: str) -> None:
    found = Counterexample("example-1", {"lr": 1.0}, {"loss": 1.0}, {text: 1.0, "loss": text})
    record = replace(
        RECORD,
        student=text,
        reason=text,
        stdout=text,
        notes=(text,),
        counterexample=found,
        collectives=({"op": text, "groups": [[0]], "line": 1},),
    )
    page = feedback.render(record)
    assert acting(page) <= {"\n"}
    assert SCRIPT not in page or text == SCRIPT
    table = grades.render([record])
    assert acting(table.replace("\r\n", "")) == set()
    assert len(list(csv.reader(io.StringIO(table, newline="")))) == 2
    file = io.StringIO()
    console = Console(file=file, width=80, force_terminal=False)
    own.show(console, record, Spec.model_validate(STEP_SPEC), record.counterexample)
    terminal.show_class(console, [record])
    assert acting(file.getvalue()) <= {"\n"}


def test_a_hidden_case_is_kept_from_its_student_even_where_a_record_holds_it() -> None:
    found = Counterexample("hidden-1", {"x": 424242.0}, {}, {})
    cases = ({"id": "hidden-1", "group": "hidden"}, {"id": "example-1", "group": "examples"})
    shards = tuple(Sharding(case, "w", (), 8, (Part((0,), (), 1.0),)) for case in ("example-1", "hidden-1"))
    seen = for_student(replace(RECORD, counterexample=found, cases=cases, shards=shards))
    assert seen["counterexample"] is None
    assert [one.case for one in seen["shards"]] == ["example-1"]


def test_a_key_of_several_lines_stays_on_its_line() -> None:
    found = Counterexample("example-1", {"lr": 1.0}, {"loss": 1.0}, {"x\nimport os": 1.0})
    assert feedback.as_lines(found).count("\n") == 2
