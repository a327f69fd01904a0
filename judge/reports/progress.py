"""How far a run is: a bar with an estimate, or a line a submission where there is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, TYPE_CHECKING

from judge.model.record import Record
from judge.reports.redact import plain

if TYPE_CHECKING:
    from rich.console import Console

Watch = Callable[[int, int, Record | None], None]


def watching(console: Console, *, quiet: bool) -> AbstractContextManager[Watch]:
    """A bar with an estimate on a terminal; a line a submission elsewhere; nothing when `quiet`."""
    if quiet:
        return nothing()
    return bar(console) if console.is_terminal else lines(console.file)


@contextmanager
def nothing() -> Iterator[Watch]:
    yield lambda done, total, record: None


@contextmanager
def lines(file: IO[str]) -> Iterator[Watch]:
    def watch(done: int, total: int, record: Record | None) -> None:
        if record is not None:
            print(
                f"[{done}/{total}] {plain(record.student, most=60)} {record.problem} {record.verdict.value}", file=file
            )

    yield watch


@contextmanager
def bar(console: Console) -> Iterator[Watch]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("grading", total=None, left="")
        before: list[tuple[int, float]] = []

        def watch(done: int, total: int, _: Record | None) -> None:
            # What was unchanged took no time: it must not count in the estimate.
            if not before:
                before.append((done, progress.get_time()))
            kept, started = before[0]
            left = remaining(done - kept, total - kept, progress.get_time() - started)
            progress.update(task, completed=done - kept, total=total - kept, left=left)

        yield watch


def remaining(done: int, total: int, elapsed_s: float) -> str:
    """How long the rest takes at the pace so far, no more exact than that is: to 10 seconds, then to minutes."""
    if not done or done == total:
        return ""
    left_s = elapsed_s / done * (total - done)
    return f"about {max(1, round(left_s / 10)) * 10} s left" if left_s < 100 else f"about {round(left_s / 60)} min left"
