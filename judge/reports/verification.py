"""What `judge verify` shows: a table a problem for a terminal, the same as plain lines, and the faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from judge.model.verification import Row, Verification
from judge.reports.redact import plain

if TYPE_CHECKING:
    from rich.console import Console


def show(console: Console, verifications: Sequence[Verification]) -> None:
    """A table a problem, its faults below it, and one line for all of them."""
    for one in verifications:
        table = Table(title=escape(one.slug), title_justify="left", box=None, pad_edge=False, header_style="bold")
        for name in ("", "what", "result"):
            table.add_column(name, overflow="fold")
        table.add_column("how far", justify="right", overflow="fold")
        before = ""
        for row in one.rows:
            section = row.section if row.section != before else ""
            before = row.section
            colour = "green" if row.fine else "red"
            table.add_row(
                section,
                *(escape(text) for text in _cells(row)[:1]),
                f"[{colour}]{escape(_cells(row)[1])}[/]",
                escape(row.figure),
            )
        console.print(table)
        for line in _notes(one):
            console.print(escape(line), highlight=False)
        console.print()
    console.print(_sum(verifications), highlight=False)


def text(verifications: Sequence[Verification]) -> str:
    """The same without colours or columns that depend on a width: a line a row, tabs between."""
    lines: list[str] = []
    for one in verifications:
        lines.append(one.slug)
        lines += ["\t".join((row.section, *_cells(row), row.figure, "ok" if row.fine else "FAULT")) for row in one.rows]
        lines += [*_notes(one), ""]
    return "\n".join([*lines, _sum(verifications), ""])


def _cells(row: Row) -> tuple[str, str]:
    return plain(row.name), plain(row.result)


def _notes(one: Verification) -> Iterator[str]:
    right, named = one.recognised
    if named:
        yield f"{right} of {named} wrong solutions are recognised as the mistake that they name"
    if one.minimal:
        yield f"{len(one.minimal)} pinned cases kill what all of them kill: {', '.join(one.minimal)}"
    yield from (f"fault: {plain(fault)}" for fault in one.faults)
    told = "no fault" if not one.faults else "1 fault" if len(one.faults) == 1 else f"{len(one.faults)} faults"
    yield f"{one.slug}: {told}, {one.seconds:.1f} s of work"


def _sum(verifications: Sequence[Verification]) -> str:
    faulty = [one.slug for one in verifications if one.faults]
    count = "1 problem" if len(verifications) == 1 else f"{len(verifications)} problems"
    return f"{count}: " + (f"faults in {', '.join(faulty)}" if faulty else "all may be used")
