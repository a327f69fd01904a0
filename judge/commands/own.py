"""What students type about a file of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.commands.common import console, guarded, problem_of, root_of
from judge.errors import JudgeError, UsageError

if TYPE_CHECKING:
    from judge.check_one import Checked
    from judge.model.problem import Problem
    from judge.model.submission import Submission
    from judge.sandbox.session import Session

#: What a shell says of a program that Ctrl-C ended.
INTERRUPTED = 130
Progress = Callable[[str, str], None]
#: Of every command about one file: which problem it is for.
told_by_the_file = click.option(
    "--problem", "slug", default=None, help="The problem's slug. Default: told by the file's name or folder."
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@told_by_the_file
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Seed of the cases. Default: a fresh one.")
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    default=None,
    help="Write the input that shows the fault here, for judge run.",
)
@click.option("--watch", is_flag=True, help="Check again whenever the file is saved, until Ctrl-C.")
@click.pass_context
@guarded
def check(
    context: click.Context, file: Path, slug: str | None, seed: int | None, save: Path | None, watch: bool
) -> None:
    """Check one submission, with a student's eyes. Exit status 1 when it is not accepted.

    With --watch it is that of the last check, or 130 where none has ended.
    """
    with session_for(file) as session:
        from judge import check_one

        submission, problem = found_in(context, file, slug)
        with check_one.desk(problem, session, seed, progress_of(context), command=f"check {file}") as checked:
            if watch:
                again = lambda: _shown(context, problem, checked(found_in(context, file, slug)[0]), save)
                sys.exit(_watched(file, again, quiet=context.obj["quiet"]))
            sys.exit(_shown(context, problem, checked(submission), save))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--input",
    "inputs",
    type=click.Path(path_type=Path),
    required=True,
    help="JSON object with the inputs by name, arrays as nested lists.",
)
@told_by_the_file
@click.pass_context
@guarded
def run(context: click.Context, file: Path, inputs: Path, slug: str | None) -> None:
    """Call your solve with an input of your own, and show each output beside the oracle's.

    Exit status 1 when an output is not right.
    """
    with session_for(file) as session:
        from judge import run_one
        from judge.load.inputs import read_inputs
        from judge.reports.run import show

        submission, problem = found_in(context, file, slug)
        values = read_inputs(problem.spec, inputs)
        told = f"run {file} --input {inputs}"
        found = run_one.run(problem, submission, values, session, progress_of(context), command=told)
    show(console(), found)
    sys.exit(int(bool(found.faults)))


@contextmanager
def session_for(file: Path) -> Iterator[Session]:
    """A session for a file of one's own, which runs where nothing confines it, too: whoever wrote it may run it.

    Its launcher starts at once, and imports JAX while this process imports what it needs.
    """
    from judge.sandbox.session import Session
    from judge.sandbox.settings import SandboxSettings
    from judge.sandbox.unconfined import require_fork

    require_fork()
    with Session(SandboxSettings(unsafe=True)) as session:
        # Where there is no file nothing will be run.
        if file.exists():
            session.prepare()
        yield session


def found_in(context: click.Context, file: Path, slug: str | None) -> tuple[Submission, Problem]:
    """What is in `file`, and the problem that it is for."""
    from judge.check_one import find
    from judge.load.problems import problem_folders

    slugs = [folder.name for folder in problem_folders(root_of(context))]
    submission = find(file, slugs, slug, lambda slug: problem_of(context, slug).spec.entry)
    return submission, problem_of(context, submission.problem)


def progress_of(context: click.Context) -> Progress:
    """A line on standard error for each thing that is known, flushed: a student waits for it."""
    from judge.reports.redact import plain

    last = ""

    def progress(stage: str, text: str) -> None:
        nonlocal last
        # What raises in one example raises in all: the words are needed once a check.
        shown = "the same" if text == last != "right" and stage != "example 1" else text
        last = text
        # That nothing confines a program is no progress: it is said to the quiet, too.
        if stage == "note" or not context.obj["quiet"]:
            click.echo(f"{stage}: {plain(shown)}", err=True)

    return progress


def _shown(context: click.Context, problem: Problem, result: Checked, save: Path | None) -> int:
    """Show what came of a check; its exit status."""
    from judge.check_one import exit_status
    from judge.reports.inspection import show_fault
    from judge.reports.own import show

    show(console(), result.record, problem.spec, result.shown)
    show_fault(console(), result.fault)
    if save is not None and result.record.counterexample is not None:
        _save(save, result.record.counterexample.inputs)
        click.echo(f"wrote {save}; look at it with: judge run {result.record.file} --input {save}", err=True)
    if not context.obj["quiet"]:
        click.echo(f"seed {result.seed}: repeat with --seed {result.seed}", err=True)
    return exit_status(result.record)


def _save(file: Path, inputs: Mapping[str, Any]) -> None:
    import json

    try:
        file.write_text(json.dumps(inputs) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}; name another file with --save") from error


def _watched(file: Path, check: Callable[[], int], *, quiet: bool) -> int:
    """Check whenever the file is saved, until Ctrl-C; the status of the last check that ended."""
    from judge.watch import saves

    status = INTERRUPTED
    try:
        for number, _ in enumerate(saves(file)):
            if number and not quiet:
                click.echo(f"\n{file} was saved", err=True)
            try:
                status = check()
            except JudgeError as error:
                # The next version of the file may do better.
                click.echo(f"judge: {error}", err=True)
                status = error.status
            if not quiet:
                click.echo(f"waiting until {file} is saved; Ctrl-C ends", err=True)
    except KeyboardInterrupt:
        click.echo(err=True)
    return status
