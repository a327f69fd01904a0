"""The table of `judge grade --compare`: what would change, before anything is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from judge.model.record import Record
from judge.reports.redact import plain
from judge.reports.terminal import style

if TYPE_CHECKING:
    from rich.console import Console

    from judge.compare import Change


def show(console: Console, changes: Sequence[Change], *, total: int) -> None:
    """Lines a change: whose, from what to what, why; then the reason before, where it is another one, and the reason now."""
    for one in changes:
        console.print(
            f"[bold]{escape(plain(one.student, most=60))}[/]  {one.problem}  {_short(one.old)} -> {_short(one.new)}  "
            f"[dim]{escape(one.why)}[/]",
            highlight=False,
        )
        before, now = _reasons(one.old), _reasons(one.new)
        for word, reasons in (("before", before if before != now else ()), ("now", now)):
            for place, reason in enumerate(reasons):
                console.print(f"  {word if place == 0 else '':6} {escape(reason)}", highlight=False)
    number = f"{len(changes)} of {total} submissions" if changes else f"none of {total} submissions"
    console.print(f"{number} would change", highlight=False)


def _reasons(record: Record | None) -> list[str]:
    if record is None:
        return []
    mistake = f" (recognised: {plain(record.mistake)})" if record.mistake else ""
    credit = record.credit.why if record.credit is not None else ()
    return [plain(record.reason, most=600) + mistake, *map(plain, credit)]


def _short(record: Record | None) -> str:
    if record is None:
        return "nothing"
    score = "-" if record.final_score is None else f"{record.final_score:g}"
    return f"[{style(record.verdict)}]{record.verdict.value}[/] {score}"
