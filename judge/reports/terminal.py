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
from judge.reports.redact import UNCONFINED, logged, quoted

if TYPE_CHECKING:
    from rich.console import Console

STYLE = {Verdict.ACCEPTED: "green", Verdict.UNGRADED: "magenta"}


def style(verdict: Verdict) -> str:
    return STYLE.get(verdict, "red" if verdict in ENDS or verdict is Verdict.LOAD_ERROR else "yellow")


def show_class(console: Console, records: Sequence[Record]) -> None:
    """A row a submission, and how many have which verdict. Long reasons are cut to the width; the files have them whole."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    ordered = sorted(records, key=lambda one: (one.student, one.problem))
    students = [logged(record.student, most=40) for record in ordered]
    room = max(24, (console.width or 80) - sum(_widths(ordered, students)) - 8)
    for name in ("student", "problem", "verdict"):
        table.add_column(name, no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("reason", no_wrap=True, overflow="ellipsis", max_width=room)
    for record, student in zip(ordered, students, strict=True):
        table.add_row(
            escape(student),
            record.problem,
            f"[{style(record.verdict)}]{record.verdict.value}[/]",
            "-" if record.score is None else f"{record.score:g}",
            "" if record.verdict is Verdict.ACCEPTED else escape(logged(record.reason, most=400)),
        )
    console.print(table)
    counts = Counter(record.verdict for record in records)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    console.print(f"{len(records)} submissions: {told}", highlight=False)
    unconfined = sum(not record.confined for record in records)
    if unconfined:
        console.print(f"[red]not confined: {unconfined} of them (--unsafe)[/]", highlight=False)


def _widths(records: Sequence[Record], students: Sequence[str]) -> tuple[int, int, int, int]:
    """Columns that the student, the problem, the verdict and the score take."""
    return (
        max(map(len, ["student", *students])),
        max((len(one.problem) for one in records), default=0),
        max((len(one.verdict.value) for one in records), default=0),
        6,
    )


def show_one(console: Console, record: Record) -> None:
    """One submission: verdict, points, the reason, the smallest input that shows the fault."""
    score = "not graded" if record.score is None else f"{record.score:g} of {record.max_score:g} points"
    console.print(f"[bold {style(record.verdict)}]{record.verdict.value}[/]  {score}", highlight=False)
    console.print(escape(logged(record.reason)), highlight=False)
    if not record.confined:
        console.print(f"[red]{UNCONFINED}[/]", highlight=False)
    for group in record.groups:
        sign = "[green]ok[/]" if group.passed == group.total else "[red]--[/]"
        console.print(
            f"  {sign} {group.name:10} {group.passed:>4} of {group.total:<4} {group.points:g} of {group.max_points:g} points",
            highlight=False,
        )
    if record.counterexample is not None and record.verdict is not Verdict.ACCEPTED:
        console.print("\nan input that shows it:", style="bold")
        console.print(escape(logged(as_lines(record.counterexample), lines=True)), highlight=False)
    if record.stdout.strip():
        console.print("\nwhat it printed on the examples:", style="bold")
        console.print(escape(quoted(record.stdout, most=2000)), highlight=False)
    for note in record.notes:
        console.print(f"note: {escape(logged(note))}", highlight=False)
