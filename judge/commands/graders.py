"""What graders type."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from judge.commands.common import console, guarded, root_of, settings_of
from judge.errors import JudgeFault, UsageError


@click.command()
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
@guarded
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
    from judge.reports.redact import logged
    from judge.reports.terminal import show_class

    request = grading.Request(paths, root_of(context), slug, out, jobs, seed, fresh, settings_of(unsafe))
    with watching(console(stderr=True), quiet=context.obj["quiet"]) as watch:
        graded = grading.grade(request, watch)
    grading.write(graded, out)
    for note in graded.notes:
        click.echo(f"note: {logged(note)}", err=True)
    for fault in graded.faulty.values():
        click.echo(f"judge: {fault}", err=True)
    show_class(console(), graded.records)
    if not context.obj["quiet"]:
        kept = f", {graded.reused} of them unchanged since the last run" if graded.reused else ""
        click.echo(f"results are in {out}{kept}")
    sys.exit(grading.exit_status(graded, strict=strict))


@click.command()
@guarded
def doctor() -> None:
    """Say what confines submissions here, and what is missing. Exit status 0 when grading is safe."""
    from judge.doctor import diagnose
    from judge.reports.diagnosis import show
    from judge.sandbox.settings import SandboxSettings

    found = diagnose(SandboxSettings())
    show(console(), found)
    sys.exit(0 if found.safe else JudgeFault.status)


#: As in `judge.reports.formats`, which is loaded when one of them is asked for.
FORMATS = ("gradescope", "prairielearn", "check50", "moodle", "canvas", "markdown", "junit", "html")


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--format", "name", type=click.Choice(FORMATS), default=None, help="Default: the files of judge grade.")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="A file, or a folder for one file a student.")
@click.option("--student", default=None, help="Only this student.")
@click.option(
    "--metadata", type=click.Path(path_type=Path), default=None, help="Gradescope's submission_metadata.json."
)
@guarded
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
