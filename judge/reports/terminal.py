"""What the terminal shows of a class: a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.markup import escape
from rich.text import Text

from judge.model.record import Record
from judge.model.verdict import ENDS, Verdict
from judge.reports.redact import plain

if TYPE_CHECKING:
    from rich.console import Console

STYLE = {Verdict.ACCEPTED: "green", Verdict.UNGRADED: "magenta"}


def style(verdict: Verdict) -> str:
    return STYLE.get(verdict, "red" if verdict in ENDS or verdict is Verdict.LOAD_ERROR else "yellow")


def show_class(console: Console, records: Sequence[Record]) -> None:
    """A row a submission, and how many have which verdict. Long reasons are cut to the width; the files have them whole."""
    ordered = sorted(records, key=lambda one: (one.student, one.problem))
    students = [plain(record.student, most=40) for record in ordered]
    widths = _widths(ordered, students)
    room = max(24, (console.width or 80) - sum(widths) - 8)
    # One text instead of rich's table, which needs a second and more for a thousand rows.
    table = Text(no_wrap=True)
    table.append_text(_row(("student", "problem", "verdict", "score", "reason"), widths, "bold", "bold"))
    for record, student in zip(ordered, students, strict=True):
        score = "-" if record.final_score is None else f"{record.final_score:g}"
        reason = "" if record.verdict is Verdict.ACCEPTED else plain(record.reason, most=400)
        reason = reason if cell_len(reason) <= room else f"{set_cell_size(reason, room - 1)}\u2026"
        row = (student, record.problem, record.verdict.value, score, reason)
        table.append_text(_row(row, widths, "", style(record.verdict)))
    console.print(table, end="", soft_wrap=True)
    counts = Counter(record.verdict for record in records)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    console.print(f"{len(records)} submissions: {told}", highlight=False)


def _row(row: tuple[str, str, str, str, str], widths: Sequence[int], usual: str, verdict: str) -> Text:
    student, problem, kind, score, reason = row
    before = f"{set_cell_size(student, widths[0])}  {problem:{widths[1]}}  "
    after = f"{'':{widths[2] - len(kind)}}  {score:>{widths[3]}}  {reason}".rstrip()
    return Text.assemble((before, usual), (kind, verdict), (f"{after}\n", usual))


def show_missing(console: Console, course: Mapping[str, Any]) -> None:
    """Who has handed in nothing: problems that nobody has handed in, then students, and what they lack where it is not all."""
    missing, students = course.get("missing", {}), course.get("students", {})
    slugs = [slug for slug in course.get("problems", {}) if any(slug not in missing.get(one, ()) for one in students)]
    nobody = [slug for slug in course.get("problems", {}) if slug not in slugs]
    for slug in nobody if students else ():
        console.print(f"nobody on the roster has handed in {slug}", highlight=False)
    lacking = {one: [slug for slug in own if slug in slugs] for one, own in missing.items()}
    lacking = {one: own for one, own in lacking.items() if own}
    if lacking:
        told = [
            plain(one, most=60) + ("" if len(own) == len(slugs) else f" ({', '.join(own)})")
            for one, own in lacking.items()
        ]
        console.print(
            f"not handed in by {len(lacking)} of {len(students)} students: {escape(', '.join(told))}", highlight=False
        )


def _widths(records: Sequence[Record], students: Sequence[str]) -> tuple[int, int, int, int]:
    """Columns that the student, the problem, the verdict and the score take."""
    return (
        max(map(cell_len, ["student", *students])),
        max(map(len, ["problem", *(one.problem for one in records)])),
        max(map(len, ["verdict", *(one.verdict.value for one in records)])),
        6,
    )
