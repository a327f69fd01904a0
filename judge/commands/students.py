"""What students type."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.commands.common import console, guarded, problem_of, root_of, settings_of
from judge.errors import JudgeError, UsageError

if TYPE_CHECKING:
    from judge.model.inspection import Fault
    from judge.model.record import Record


@click.command()
@click.pass_context
@guarded
def problems(context: click.Context) -> None:
    """List the problems."""
    from judge.load.problems import load_problems

    root = root_of(context)
    good, faulty = load_problems(root)
    width = max(map(len, [*good, *faulty]), default=0)
    for slug in sorted([*good, *faulty]):
        if slug in good:
            click.echo(f"{slug:{width}}  {good[slug].spec.devices} devices  {good[slug].spec.title}")
        else:
            click.echo(f"{slug:{width}}  broken: {len(faulty[slug].faults)} faults")
    for fault in faulty.values():
        click.echo(f"judge: {fault}", err=True)
    if not good and not faulty:
        raise UsageError(f"{root} holds no problem")
    if faulty:
        sys.exit(JudgeError.status)


@click.command()
@click.argument("slug")
@click.option("--raw", is_flag=True, help="Print the Markdown as it is.")
@click.pass_context
@guarded
def show(context: click.Context, slug: str, raw: bool) -> None:
    """Show a problem's statement with its examples."""
    from judge.load.statement import render

    text = render(problem_of(context, slug))
    if raw or not sys.stdout.isatty():
        click.echo(text)
        return
    from rich.markdown import Markdown

    console().print(Markdown(text))


@click.command()
@click.argument("slug")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="Where to write it. Default: ./SLUG.py.")
@click.pass_context
@guarded
def start(context: click.Context, slug: str, to: Path | None) -> None:
    """Write a problem's starter file."""
    problem = problem_of(context, slug)
    place = to or Path(f"{problem.slug}.py")
    try:
        with place.open("xb") as file:
            file.write(problem.starter_file.read_bytes())
    except FileExistsError:
        raise UsageError(f"{place} exists and is left as it is; name another file with --to") from None
    except OSError as error:
        raise UsageError(f"{place} cannot be written: {error.strerror}") from error
    click.echo(f"wrote {place}; try it with: judge check {place}")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--problem", "slug", default=None, help="The problem's slug. Default: told by the file's name or folder.")
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Seed of the cases. Default: a fresh one.")
@click.option("--unsafe", is_flag=True, help="Run your own file even where nothing confines it.")
@click.pass_context
@guarded
def check(context: click.Context, file: Path, slug: str | None, seed: int | None, unsafe: bool) -> None:
    """Check one submission, with a student's eyes. Exit status 1 when it is not accepted."""
    from judge import check_one
    from judge.load.problems import problem_folders

    slugs = [folder.name for folder in problem_folders(root_of(context))]
    submission = check_one.find(file, slugs, slug)
    problem = problem_of(context, submission.problem)
    quiet = context.obj["quiet"]

    def progress(stage: str, text: str) -> None:
        if not quiet:
            click.echo(f"{stage}: {text}", err=True)

    record, drawn, fault = check_one.check(problem, submission, settings_of(unsafe), seed, progress)
    _show_one(record, fault)
    if not quiet:
        click.echo(f"seed {drawn}: repeat with --seed {drawn}", err=True)
    sys.exit(check_one.exit_status(record))


def _show_one(record: Record, fault: Fault | None) -> None:
    from judge.reports.inspection import show_fault
    from judge.reports.terminal import show_one

    show_one(console(), record)
    show_fault(console(), fault)
