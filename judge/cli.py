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
            # Names of files are among it, and those are the students'.
            from judge.reports.redact import plain

            click.echo(f"judge: {plain(str(error), lines=True, most=100_000)}", err=True)
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


def _folder(root: Path, slug: str) -> Path:
    """The folder of the problem of that slug, or an error that suggests one."""
    import difflib

    from judge.load.problems import problem_folders

    folders = {folder.name: folder for folder in problem_folders(root)}
    wanted = slug.lower().replace("_", "-")
    if wanted not in folders:
        near = difflib.get_close_matches(wanted, folders, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(folders)) or 'none'}"
        raise UsageError(f"there is no problem {slug!r}; {hint}")
    return folders[wanted]


def _problem(context: click.Context, slug: str) -> Problem:
    from judge.load.problems import load_problem

    return load_problem(_folder(_root(context), slug))


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
    from judge.reports.progress import watching
    from judge.reports.redact import plain
    from judge.reports.terminal import show_class

    request = grading.Request(paths, _root(context), slug, out, jobs, seed, fresh, _settings(unsafe))
    with watching(_console(stderr=True), quiet=context.obj["quiet"]) as watch:
        graded = grading.grade(request, watch)
    grading.write(graded, out)
    for note in graded.notes:
        click.echo(f"note: {plain(note)}", err=True)
    for fault in graded.faulty.values():
        click.echo(f"judge: {fault}", err=True)
    show_class(_console(), graded.records)
    if not context.obj["quiet"]:
        kept = f", {graded.reused} of them unchanged since the last run" if graded.reused else ""
        click.echo(f"results are in {out}{kept}")
    sys.exit(grading.exit_status(graded, strict=strict))


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


#: As in `judge.reports.formats`, which is loaded when one of them is asked for.
FORMATS = ("gradescope", "prairielearn", "check50", "moodle", "canvas", "markdown", "junit", "html")


@main.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--format", "name", type=click.Choice(FORMATS), default=None, help="Default: the files of judge grade.")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="A file, or a folder for one file a student.")
@click.option("--student", default=None, help="Only this student.")
@click.option(
    "--metadata", type=click.Path(path_type=Path), default=None, help="Gradescope's submission_metadata.json."
)
@_guarded
def report(directory: Path, name: str | None, to: Path | None, student: str | None, metadata: Path | None) -> None:
    """Write the results in DIRECTORY in another format.

    Where there are none, a course system's format says so, takes no points, and the exit status is 3.
    """
    from judge.report import convert, rewrite

    if name is None:
        if (to, student, metadata) != (None, None, None):
            raise UsageError("--to, --student and --metadata need a --format")
        rewrite(directory)
        return
    complete = convert(
        directory, name, to=to, student=student, metadata=metadata, echo=lambda text: click.echo(text, nl=False)
    )
    sys.exit(0 if complete else JudgeFault.status)


@main.command()
@click.argument("slugs", nargs=-1)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the cases.")
@click.option("--minimal", is_flag=True, help="Also show few pinned cases that still kill every mistake.")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=None, help="Problems and solutions at a time. Default: one a core."
)
@click.option("--unsafe", is_flag=True, help="Go on where nothing confines the solutions.")
@click.pass_context
@_guarded
def verify(
    context: click.Context, slugs: tuple[str, ...], seed: int, minimal: bool, jobs: int | None, unsafe: bool
) -> None:
    """Prove that problems catch what they should. Exit status 2 on any fault.

    Every mistake is killed and told from every other, every solution gets the verdict of its folder, the oracle agrees with
    what is written. Without SLUGS all problems are verified.
    """
    from judge.authoring.verify import verify_problems
    from judge.load.problems import problem_folders
    from judge.reports.verification import show as show_verifications

    root = _root(context)
    folders = [_folder(root, slug) for slug in slugs] or problem_folders(root)
    if not folders:
        raise UsageError(f"{root} holds no problem")

    def watch(done: int, total: int, name: str) -> None:
        if not context.obj["quiet"]:
            click.echo(f"[{done}/{total}] {name}", err=True)

    found = verify_problems(folders, settings=_settings(unsafe), seed=seed, minimal=minimal, jobs=jobs, watch=watch)
    show_verifications(_console(), found)
    sys.exit(JudgeError.status if any(one.faults for one in found) else 0)


@main.command()
@click.argument("slug")
@click.pass_context
@_guarded
def new(context: click.Context, slug: str) -> None:
    """Write a small complete problem that verifies, to be changed into your own."""
    from judge.authoring.new import new_problem

    folder = new_problem(context.obj["problems"] or Path("problems"), slug)
    click.echo(f"wrote {folder}; prove it with: judge verify {slug}")


@main.command("add-case")
@click.argument("slug")
@click.option(
    "--input", "file", type=click.Path(path_type=Path), required=True, help="JSON object with the inputs by name."
)
@click.option("--name", required=True, help="The case's name: small letters, digits and dashes.")
@click.option("--visible", is_flag=True, help="An example of the statement; hidden without this.")
@click.option("--category", default="", help="What a student is told of a hidden case, without a number of it.")
@click.pass_context
@_guarded
def add_case(context: click.Context, slug: str, file: Path, name: str, visible: bool, category: str) -> None:
    """Pin a case: the oracle computes its outputs, and problem.yaml gets it, the rest of the file left as it is."""
    from judge.authoring.add_case import add_case as pin

    click.echo(pin(_problem(context, slug), file, name=name, visible=visible, category=category))


@main.command()
@_guarded
def schema() -> None:
    """Print the JSON schema of problem.yaml, for editors."""
    import json

    from judge.load.schema import problem_schema

    click.echo(json.dumps(problem_schema(), indent=1))


@main.group()
def bundle() -> None:
    """Pack a problem for another system."""


@bundle.command("gradescope")
@click.argument("slug")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="Default: ./SLUG-gradescope.zip.")
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Seed of the cases. Default: a new one.")
@click.pass_context
@_guarded
def bundle_gradescope(context: click.Context, slug: str, to: Path | None, seed: int | None) -> None:
    """Write the autograder zip of a Gradescope assignment. It holds the hidden cases: it is for the staff."""
    import secrets

    from judge.authoring.gradescope import pack

    problem = _problem(context, slug)
    place = to or Path(f"{problem.slug}-gradescope.zip")
    content = pack(problem, secrets.randbits(63) if seed is None else seed)
    try:
        place.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{place} cannot be written ({error.strerror}); name another with --to") from error
    click.echo(f"wrote {place}; upload it as the autograder of the assignment")
