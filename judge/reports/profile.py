"""The table of `judge grade --profile`: where the time of a run went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from judge.model.record import Record

if TYPE_CHECKING:
    from rich.console import Console

#: Parts of an assessment as records name them, and what they are called here. What a process does is within its run.
PARTS = {
    "load": "load the file",
    "first_call": "first live call",
    "calls": "further live calls",
    "export": "export",
    "compile": "compile the programs",
    "cases": "run the cases",
    "stand-ins": "live stand-ins",
    "compare": "compare, and the oracle",
    "explain": "explain: mistakes, shrinking",
}
#: The stages that are processes, and the parts of them that have rows of their own.
PROCESSES = {"live": ("load", "first_call", "calls"), "program": ("compile", "cases")}


def show(console: Console, records: Sequence[Record], *, judging_s: float, reporting_s: float) -> None:
    """A row a part: seconds of wall clock over all submissions that were judged, a submission, and its share; then the run."""
    if not records:
        console.print("nothing was judged, so there is nothing to profile", highlight=False)
        return
    totals = {name: sum(record.seconds.get(name, 0.0) for record in records) for name in PARTS}
    within = sum(totals[part] for parts in PROCESSES.values() for part in parts)
    processes = sum(record.seconds.get(name, 0.0) for record in records for name in PROCESSES)
    rows = [
        *((PARTS[name], seconds) for name, seconds in totals.items()),
        ("start and end processes", processes - within),
    ]
    whole = sum(seconds for _, seconds in rows) or 1.0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("part", "seconds", "a submission", "share"):
        table.add_column(name, justify="left" if name == "part" else "right", no_wrap=True)
    for name, seconds in sorted(rows, key=lambda row: -row[1]):
        table.add_row(name, f"{seconds:.2f}", f"{seconds / len(records):.3f}", f"{seconds / whole:.0%}")
    console.print(table)
    cpu_s = sum(record.usage.get("cpu_s", 0.0) for record in records)
    console.print(
        f"{len(records)} judged, several at once, in {judging_s:.1f} s; {cpu_s / len(records):.2f} CPU seconds a submission "
        f"in the sandbox; reports {reporting_s:.1f} s",
        highlight=False,
    )
