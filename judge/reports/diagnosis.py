"""The table of `judge doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from rich.console import Console

    from judge.doctor import Diagnosis


def show(console: Console, found: Diagnosis) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("layer", "state", "what was tried"):
        table.add_column(name)
    for layer in found.layers.layers:
        table.add_row(layer.name, "[green]on[/]" if layer.on else "[red]off[/]", escape(layer.detail))
    console.print(table)
    versions = ", ".join(f"{name} {version or 'missing'}" for name, version in found.versions.items())
    console.print(f"devices {found.devices}; {versions}", highlight=False)
    free, total = found.memory_bytes
    console.print(
        f"memory {free / 2**30:.1f} of {total / 2**30:.1f} GiB free; disk {found.disk_bytes / 2**30:.1f} GiB free",
        highlight=False,
    )
    for warning in found.warnings:
        console.print(
            f"[yellow]warning[/]: {escape(warning.message)}\n  cure: {escape(warning.remedy)}", highlight=False
        )
    console.print(
        "grading is [green]safe[/] here" if found.safe else "grading is [red]not safe[/] here", highlight=False
    )
