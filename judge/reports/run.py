"""What `judge run` prints: each output beside the oracle's, and what each device holds where copies differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from judge.model.comparison import Comparison, Output
from judge.reports.redact import plain, quoted

if TYPE_CHECKING:
    from rich.console import Console


def show(console: Console, found: Comparison) -> None:
    for output in found.outputs:
        _show_output(console, output)
    if found.stdout.strip():
        console.print("what it printed:", style="bold")
        console.print(escape(quoted(found.stdout, most=2000)), highlight=False)
    for fault in found.faults:
        console.print(f"[yellow]wrong[/]  {escape(plain(fault))}", highlight=False)
    if not found.faults and found.compared:
        console.print("[green]right[/]  every output is within its tolerance", highlight=False)
    elif not found.faults:
        console.print("not compared: the oracle of this problem is private", highlight=False)


def _show_output(console: Console, output: Output) -> None:
    console.print(f"[bold]{escape(plain(output.key))}[/]  {escape(plain(output.described))}", highlight=False)
    if output.elements:
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        table.add_column("")
        compared = all(one.oracle is not None for one in output.elements)
        for name in ("yours", "oracle", "difference", "in tolerances") if compared else ("yours",):
            table.add_column(name, justify="right", no_wrap=True)
        for one in output.elements:
            style = None if one.tolerances <= 1 else "yellow"
            numbers = [f"{one.yours:.7g}"]
            if one.oracle is not None:
                numbers += [f"{one.oracle:.7g}", f"{one.yours - one.oracle:.3g}", _times(one.tolerances)]
            table.add_row(f"  {escape(plain(one.place))}", *numbers, style=style)
        console.print(table)
    if output.more:
        console.print(f"  and {output.more} more, none of them further off", highlight=False)
    if output.copies:
        console.print("  its copies differ:")
    for devices, text in output.copies:
        console.print(f"    {devices}: {escape(plain(text))}", style="yellow", highlight=False)


def _times(tolerances: float) -> str:
    return f"{tolerances:.2g}" if math.isfinite(tolerances) else "-"
