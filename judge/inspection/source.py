"""The student's text as spans name it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from judge.model.trace import Span

EXPRESSION_CHARS = 72
_ASSIGNED = re.compile(rb"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*\Z")
_REST = re.compile(rb"\s*(#.*)?\Z")


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of a submission. Columns count bytes, as Python's do."""

    lines: tuple[bytes, ...]

    @classmethod
    def of(cls, source: bytes) -> Text:
        return cls(tuple(source.splitlines()))

    def line(self, number: int) -> str:
        """A line by its number, "" where there is none."""
        return self._line(number).decode("utf-8", "replace")

    def expression(self, span: Span) -> str:
        """The text of a span on one line, cut when it is long."""
        first = self._line(span.line)
        if span.end_line == span.line:
            text = first[span.column : span.end_column]
        else:
            middle = [self._line(number) for number in range(span.line + 1, min(span.end_line, span.line + 20))]
            text = b" ".join([first[span.column :], *middle, self._line(span.end_line)[: span.end_column]])
        told = " ".join(text.decode("utf-8", "replace").split())
        return told if len(told) <= EXPRESSION_CHARS else f"{told[: EXPRESSION_CHARS - 3]}..."

    def assigned(self, span: Span) -> str:
        """The name that the whole value of a span is assigned to on its line, "" where it is to none."""
        found = _ASSIGNED.match(self._line(span.line)[: span.column])
        if found is None or not _REST.match(self._line(span.end_line)[span.end_column :]):
            return ""
        return found[1].decode("ascii")

    def _line(self, number: int) -> bytes:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else b""
