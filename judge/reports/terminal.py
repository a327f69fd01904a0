"""What the terminal shows: the table of a class, and one submission with a student's eyes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from judge.model.record import Record
from judge.model.verdict import ENDS, Verdict
from judge.reports.feedback import as_lines
from judge.reports.redact import plain

if TYPE_CHECKING:
    from rich.console import Console

STYLE = {Verdict.ACCEPTED: "green", Verdict.UNGRADED: "magenta"}


def style(verdict: Verdict) -> str:
    return STYLE.get(verdict, "red" if verdict in ENDS or verdict is Verdict.LOAD_ERROR else "yellow")


def show_class(console: Console, records: Sequence[Record]) -> None:
    """A row a submission, and how many have which verdict."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("student", "problem", "verdict"):
        table.add_column(name, no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("reason", overflow="ellipsis", no_wrap=True, ratio=1)
    for record in sorted(records, key=lambda one: (one.student, one.problem)):
        score = "-" if record.score is None else f"{record.score:g}"
        table.add_row(
            escape(plain(record.student, most=40)),
            record.problem,
            f"[{style(record.verdict)}]{record.verdict.value}[/]",
            score,
            "" if record.verdict is Verdict.ACCEPTED else escape(plain(record.reason, most=400)),
        )
    console.print(table)
    counts = Counter(record.verdict for record in records)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    console.print(f"{len(records)} submissions: {told}", highlight=False)


def show_one(console: Console, record: Record) -> None:
    """One submission: verdict, points, the reason, the smallest input that shows the fault."""
    score = "not graded" if record.score is None else f"{record.score:g} of {record.max_score:g} points"
    console.print(f"[bold {style(record.verdict)}]{record.verdict.value}[/]  {score}", highlight=False)
    console.print(escape(plain(record.reason)), highlight=False)
    for group in record.groups:
        sign = "[green]ok[/]" if group.passed == group.total else "[red]--[/]"
        console.print(
            f"  {sign} {group.name:10} {group.passed:>4} of {group.total:<4} {group.points:g} of {group.max_points:g} points",
            highlight=False,
        )
    if record.counterexample is not None and record.verdict is not Verdict.ACCEPTED:
        console.print("\nan input that shows it:", style="bold")
        console.print(escape(plain(as_lines(record.counterexample), lines=True)), highlight=False)
    if record.stdout.strip():
        console.print("\nwhat it printed on the examples:", style="bold")
        console.print(escape(plain(record.stdout, lines=True, most=2000)), highlight=False)
    for note in record.notes:
        console.print(f"note: {escape(plain(note))}", highlight=False)
