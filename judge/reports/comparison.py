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
    """Three lines a change: whose, from what to what; then the reason before, and the reason now."""
    for one in changes:
        console.print(
            f"[bold]{escape(plain(one.student, most=60))}[/]  {one.problem}  {_short(one.old)} -> {_short(one.new)}  "
            f"[dim]{escape(one.why)}[/]",
            highlight=False,
        )
        for word, record in (("before", one.old), ("now   ", one.new)):
            if record is not None:
                mistake = f" (recognised: {plain(record.mistake)})" if record.mistake else ""
                console.print(f"  {word} {escape(plain(record.reason, most=600) + mistake)}", highlight=False)
                for why in record.credit.why if record.credit is not None else ():
                    console.print(f"         {escape(plain(why))}", highlight=False)
    number = f"{len(changes)} of {total} submissions" if changes else f"none of {total} submissions"
    console.print(f"{number} would change", highlight=False)


def _short(record: Record | None) -> str:
    if record is None:
        return "nothing"
    score = "-" if record.final_score is None else f"{record.final_score:g}"
    return f"[{style(record.verdict)}]{record.verdict.value}[/] {score}"
