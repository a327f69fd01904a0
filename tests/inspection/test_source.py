"""`judge.inspection.source`: the words of the student's that a span names."""

from __future__ import annotations

from judge.inspection.source import EXPRESSION_CHARS, Text
from judge.model.trace import Span

TEXT = Text.of('a = 1\n    gw = lax.pmean(gw, "d")  # mean\nx, y = f(\n    1,\n    2)\n"é" + tail\n'.encode())


def test_an_expression_is_cut_out_of_its_line_by_bytes() -> None:
    assert TEXT.expression(Span(2, 9, 2, 27)) == 'lax.pmean(gw, "d")'
    assert TEXT.expression(Span(6, 7, 6, 11)) == "tail"
    assert TEXT.line(6) == '"é" + tail'


def test_an_expression_of_several_lines_is_told_on_one() -> None:
    assert TEXT.expression(Span(3, 7, 5, 6)) == "f( 1, 2)"


def test_a_long_expression_is_cut() -> None:
    long = Text.of(b"x" * 300)
    assert len(long.expression(Span(1, 0, 1, 300))) == EXPRESSION_CHARS


def test_the_name_that_a_whole_line_is_assigned_to_is_known_and_no_other() -> None:
    assert TEXT.assigned(Span(2, 9, 2, 27)) == "gw"
    assert TEXT.assigned(Span(2, 13, 2, 27)) == ""
    assert TEXT.assigned(Span(3, 7, 5, 6)) == ""


def test_a_span_that_lies_outside_the_file_is_empty() -> None:
    assert TEXT.expression(Span(99, 0, 99, 5)) == TEXT.line(99) == TEXT.line(0) == ""
    assert TEXT.assigned(Span(0, 0, 0, 0)) == ""
