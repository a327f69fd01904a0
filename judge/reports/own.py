"""What the terminal shows of one submission, to its author: verdict, points, reason, the input that shows the fault, bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from judge.model.problem import ArrayInput, Spec
from judge.model.record import Counterexample, Record
from judge.model.verdict import Verdict
from judge.reports.bars import bars
from judge.reports.bars import lines as bar_lines
from judge.reports.feedback import expected_and_actual
from judge.reports.help import HELP
from judge.reports.redact import UNCONFINED, logged, quoted, spelled
from judge.reports.terminal import style

if TYPE_CHECKING:
    from rich.console import Console

#: What an array is without being told.
USUAL = frozenset({"float32", "int32", "bool"})
#: Columns of the widest bars that are still read as a pair.
WIDEST = 100


def show(console: Console, record: Record, spec: Spec, shown: Counterexample | None = None) -> None:
    """The whole of it. `shown` is the case whose numbers are drawn; None draws nothing."""
    score = "not graded" if record.score is None else f"{record.score:g} of {record.max_score:g} points"
    console.print(f"[bold {style(record.verdict)}]{record.verdict.value}[/]  {score}", highlight=False)
    console.print(escape(logged(record.reason)), highlight=False)
    if not record.confined:
        console.print(f"[red]{UNCONFINED}[/]", highlight=False)
    for group in record.groups:
        sign = "[green]ok[/]" if group.passed == group.total else "[red]--[/]"
        points = f"{group.points:g} of {group.max_points:g} points"
        console.print(f"  {sign} {group.name:10} {group.passed:>4} of {group.total:<4} {points}", highlight=False)
    if record.counterexample is not None and record.verdict is not Verdict.ACCEPTED:
        console.print("\nan input that shows it, to paste into Python:", style="bold")
        for line in (
            *_devices(spec),
            *paste(spec, record.counterexample.inputs),
            *expected_and_actual(record.counterexample),
        ):
            console.print(escape(logged(line)), highlight=False, soft_wrap=True)
    if shown is not None:
        show_bars(console, spec, shown)
    if record.stdout.strip():
        console.print("\nwhat it printed on the examples:", style="bold")
        console.print(escape(quoted(record.stdout, most=2000)), highlight=False)
    for note in record.notes:
        console.print(f"note: {escape(logged(note))}", highlight=False)
    if record.verdict is not Verdict.ACCEPTED:
        console.print(f"\nwhat that means and what to try: judge explain {record.verdict.value}", highlight=False)


def _devices(spec: Spec) -> Iterator[str]:
    if spec.devices > 1:
        yield f'# {spec.devices} devices, before JAX is first used: jax.config.update("jax_num_cpu_devices", {spec.devices})'


def paste(spec: Spec, inputs: Mapping[str, Any]) -> Iterator[str]:
    """Lines of Python that call the submission with `inputs`, plain lists and numbers."""
    yield "import jax.numpy as jnp"
    for name, value in inputs.items():
        described, text = spec.inputs.get(name), spelled(value)
        if isinstance(described, ArrayInput):
            dtype = "" if described.dtype in USUAL else f', "{described.dtype}"'
            text = f"jnp.array({text}{dtype})"
        elif isinstance(value, list | tuple):
            text = str(tuple(value))
        yield f"{name} = {text}"
    yield f"{spec.entry}({', '.join(inputs)})"


def show_bars(console: Console, spec: Spec, shown: Counterexample) -> None:
    """The coordinates of `shown`, yours beside the reference."""
    # A terminal whose letters are not Unicode's gets bars of a letter that it has.
    full = "█" if console.encoding.lower().startswith("utf") else "#"
    for drawn in bars(spec, shown):
        console.print()
        for number, (line, unlike) in enumerate(bar_lines(drawn, width=min(console.width, WIDEST), full=full)):
            styled = "bold" if number == 0 else "yellow" if unlike else None
            console.print(escape(line), style=styled, highlight=False, soft_wrap=True)


def explain(console: Console, verdict: Verdict) -> None:
    """The help of one verdict."""
    told = HELP[verdict]
    console.print(f"[bold {style(verdict)}]{verdict.value}[/]: {escape(told.summary)}", highlight=False)
    console.print(f"\n{escape(told.happened)}", highlight=False)
    for title, points in (("Likely causes", told.causes), ("What to try", told.remedies)):
        if points:
            console.print(f"\n{title}:", style="bold")
        for point in points:
            console.print(f"  - {escape(point)}", highlight=False)


def explain_all(console: Console) -> None:
    """A line for each verdict, in their order of priority."""
    width = max(len(verdict.value) for verdict in Verdict)
    for verdict, told in HELP.items():
        console.print(f"[{style(verdict)}]{verdict.value:{width}}[/]  {escape(told.summary)}", highlight=False)
    console.print("\nmore of one: judge explain VERDICT", highlight=False)
