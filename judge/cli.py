"""Arguments, printing and exit statuses; the one place that catches everything.

Nothing heavy is imported here: each command imports what it needs, so that `--help` answers at once.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from judge import __version__
from judge.errors import JudgeError, JudgeFault, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from judge.model.problem import Problem
    from judge.model.record import Record
    from judge.sandbox.settings import SandboxSettings

Command = TypeVar("Command", bound=Callable[..., Any])


def _guarded(command: Command) -> Command:
    """Turn what a command raises into one message on standard error and an exit status."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except JudgeError as error:
            click.echo(f"judge: {error}", err=True)
            sys.exit(error.status)
        except KeyboardInterrupt:
            click.echo("judge: interrupted", err=True)
            sys.exit(JudgeFault.status)
        except BrokenPipeError:
            sys.exit(0)

    return run  # type: ignore[return-value]  # the wrapper has the command's own signature


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="judge")
@click.option("--quiet", "-q", is_flag=True, help="Print results and errors only.")
@click.option(
    "--problems",
    "problems",
    type=click.Path(path_type=Path),
    default=None,
    envvar="JUDGE_PROBLEMS",
    help="Folder of problems. Default: ./problems here or above, else those that came with the judge.",
)
@click.pass_context
def main(context: click.Context, quiet: bool, problems: Path | None) -> None:
    """An autograder for distributed JAX: it grades the exported program, not the Python that made it."""
    context.obj = {"quiet": quiet, "problems": problems}


def _root(context: click.Context) -> Path:
    from judge.load.problems import find_root

    return find_root(context.obj["problems"])


def _problem(context: click.Context, slug: str) -> Problem:
    """The problem of that slug, or an error that suggests one."""
    import difflib

    from judge.load.problems import load_problem, problem_folders

    folders = {folder.name: folder for folder in problem_folders(_root(context))}
    wanted = slug.lower().replace("_", "-")
    if wanted not in folders:
        near = difflib.get_close_matches(wanted, folders, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(folders)) or 'none'}"
        raise UsageError(f"there is no problem {slug!r}; {hint}")
    return load_problem(folders[wanted])


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    # Without a terminal rich would cut every line at 80 columns.
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, soft_wrap=not stream.isatty(), width=None if stream.isatty() else 160)


def _settings(unsafe: bool) -> SandboxSettings:
    # A session refuses by itself where nothing confines it; a class is graded only after the layers were tried, too.
    from judge.sandbox.settings import SandboxSettings

    return SandboxSettings(unsafe=unsafe)


@main.command()
@click.pass_context
@_guarded
def problems(context: click.Context) -> None:
    """List the problems."""
    from judge.load.problems import load_problems

    root = _root(context)
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


@main.command()
@click.argument("slug")
@click.option("--raw", is_flag=True, help="Print the Markdown as it is.")
@click.pass_context
@_guarded
def show(context: click.Context, slug: str, raw: bool) -> None:
    """Show a problem's statement with its examples."""
    from judge.load.statement import render

    text = render(_problem(context, slug))
    if raw or not sys.stdout.isatty():
        click.echo(text)
        return
    from rich.markdown import Markdown

    _console().print(Markdown(text))


@main.command()
@click.argument("slug")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="Where to write it. Default: ./SLUG.py.")
@click.pass_context
@_guarded
def start(context: click.Context, slug: str, to: Path | None) -> None:
    """Write a problem's starter file."""
    problem = _problem(context, slug)
    place = to or Path(f"{problem.slug}.py")
    try:
        with place.open("xb") as file:
            file.write(problem.starter_file.read_bytes())
    except FileExistsError:
        raise UsageError(f"{place} exists and is left as it is; name another file with --to") from None
    except OSError as error:
        raise UsageError(f"{place} cannot be written: {error.strerror}") from error
    click.echo(f"wrote {place}; try it with: judge check {place}")


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--problem", "slug", default=None, help="The problem's slug. Default: told by the file's name or folder.")
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Seed of the cases. Default: a fresh one.")
@click.option("--unsafe", is_flag=True, help="Run your own file even where nothing confines it.")
@click.pass_context
@_guarded
def check(context: click.Context, file: Path, slug: str | None, seed: int | None, unsafe: bool) -> None:
    """Check one submission, with a student's eyes. Exit status 1 when it is not accepted."""
    from judge import check_one
    from judge.load.problems import problem_folders

    slugs = [folder.name for folder in problem_folders(_root(context))]
    submission = check_one.find(file, slugs, slug)
    problem = _problem(context, submission.problem)
    quiet = context.obj["quiet"]

    def progress(stage: str, text: str) -> None:
        if not quiet:
            click.echo(f"{stage}: {text}", err=True)

    record, drawn = check_one.check(problem, submission, _settings(unsafe), seed, progress)
    _show_one(record)
    if not quiet:
        click.echo(f"seed {drawn}: repeat with --seed {drawn}", err=True)
    sys.exit(check_one.exit_status(record))


def _show_one(record: Record) -> None:
    from judge.reports.terminal import show_one

    show_one(_console(), record)


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--problem", "slug", default=None, help="Every file found is for this problem.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True, help="Where results go."
)
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Submissions at a time. Default: one a core.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=None, help="Seed of the cases. Default: the one kept in --out."
)
@click.option("--fresh", is_flag=True, help="Grade again what is unchanged, too.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a submission is not accepted.")
@click.option("--unsafe", is_flag=True, help="Go on where nothing confines the submissions.")
@click.pass_context
@_guarded
def grade(
    context: click.Context,
    paths: tuple[Path, ...],
    slug: str | None,
    out: Path,
    jobs: int | None,
    seed: int | None,
    fresh: bool,
    strict: bool,
    unsafe: bool,
) -> None:
    """Grade every submission below PATHS and write results.

    Exit status: 0 graded, whatever the verdicts; 1 with --strict, not all accepted; 2 usage or a broken problem; 3 something
    stayed ungraded.
    """
    from judge import grade as grading
    from judge.reports.terminal import show_class

    request = grading.Request(paths, _root(context), slug, out, jobs, seed, fresh, _settings(unsafe))
    with _progress(quiet=context.obj["quiet"]) as watch:
        graded = grading.grade(request, watch)
    grading.write(graded, out)
    for note in graded.notes:
        click.echo(f"note: {note}", err=True)
    for fault in graded.faulty.values():
        click.echo(f"judge: {fault}", err=True)
    show_class(_console(), graded.records)
    if not context.obj["quiet"]:
        kept = f", {graded.reused} of them unchanged since the last run" if graded.reused else ""
        click.echo(f"results are in {out}{kept}")
    sys.exit(grading.exit_status(graded, strict=strict))


def _progress(*, quiet: bool) -> Any:  # a context manager that gives a `judge.grade.Watch`
    """A bar with an estimate on a terminal; a line a submission elsewhere."""
    from judge.reports.progress import bar, lines, nothing

    if quiet:
        return nothing()
    return bar(_console(stderr=True)) if sys.stderr.isatty() else lines(lambda text: click.echo(text, err=True))


@main.command()
@_guarded
def doctor() -> None:
    """Say what confines submissions here, and what is missing. Exit status 0 when grading is safe."""
    from judge.doctor import diagnose
    from judge.reports.diagnosis import show
    from judge.sandbox.settings import SandboxSettings

    found = diagnose(SandboxSettings())
    show(_console(), found)
    sys.exit(0 if found.safe else JudgeFault.status)
