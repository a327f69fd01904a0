"""What graders type."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.commands.common import console, guarded, problem_of, root_of, settings_of
from judge.errors import JudgeFault, UsageError

if TYPE_CHECKING:
    from judge.executors.target import Target
    from judge.grade import Graded, Request

RESULTS = Path("results")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--problem", "slug", default=None, help="Every file found is for this problem.")
@click.option("--out", type=click.Path(path_type=Path), default=None, help="Where results go. Default: results.")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Submissions at a time. Default: one a core.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=None, help="Seed of the cases. Default: the one kept in --out."
)
@click.option(
    "--roster", type=click.Path(path_type=Path), default=None, help="A CSV list of the students, as downloaded."
)
@click.option(
    "--course",
    type=click.Path(path_type=Path),
    default=None,
    help="Points, due dates, decisions by hand. Default: course.yaml here or beside the problems.",
)
@click.option(
    "--compare",
    "against",
    type=click.Path(path_type=Path),
    default=None,
    metavar="RESULTS",
    help="Say what would change in those results, and write nothing into them.",
)
@click.option("--fresh", is_flag=True, help="Grade again what is unchanged, too.")
@click.option(
    "--stop-early",
    is_flag=True,
    help="Run nothing but the examples of a submission that is wrong on one; the points of other cases are lost to it.",
)
@click.option("--profile", is_flag=True, help="Print where the time went.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a submission is not accepted.")
@click.option("--unsafe", is_flag=True, help="Go on where nothing confines the submissions.")
@click.option(
    "--cluster",
    "cluster",
    default=None,
    metavar="ADDRESS",
    help="Grade on a Dask cluster: tcp://HOST:PORT, tls://HOST:PORT, or local:N for N workers here.",
)
@click.option(
    "--tls-ca", type=click.Path(path_type=Path), default=None, help="With tls://: whom both ends trust (PEM)."
)
@click.option("--tls-cert", type=click.Path(path_type=Path), default=None, help="With tls://: our certificate (PEM).")
@click.option("--tls-key", type=click.Path(path_type=Path), default=None, help="With tls://: its key (PEM).")
@click.pass_context
@guarded
def grade(
    context: click.Context,
    paths: tuple[Path, ...],
    slug: str | None,
    out: Path | None,
    jobs: int | None,
    seed: int | None,
    roster: Path | None,
    course: Path | None,
    against: Path | None,
    fresh: bool,
    strict: bool,
    stop_early: bool,
    profile: bool,
    unsafe: bool,
    cluster: str | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Grade every submission below PATHS, which are folders, files and ZIP archives, and write results.

    Exit status: 0 graded, whatever the verdicts; 1 with --strict, not all accepted; 2 usage or a broken problem; 3 something
    stayed ungraded.
    """
    from judge import grade as grading
    from judge.load.course import find_course

    root = root_of(context)
    request = grading.Request(
        paths,
        root,
        slug,
        out or RESULTS,
        jobs,
        seed,
        fresh,
        settings_of(unsafe),
        roster,
        find_course(course, root, paths),
        against,
        _target(cluster, jobs, tls_ca, tls_cert, tls_key),
        stop_early,
    )
    if against is not None:
        graded = _compared(context, request, keep=out is not None)
    else:
        started = time.monotonic()
        graded = _graded(context, request)
        judged = time.monotonic()
        grading.write(graded, request.out)
        _told(context, graded, request.out)
        if profile:
            _profiled(graded, judged - started, time.monotonic() - judged)
    sys.exit(grading.exit_status(graded, strict=strict))


def _graded(context: click.Context, request: Request) -> Graded:
    from judge.grade import grade as graded
    from judge.reports.progress import watching

    with watching(console(stderr=True), quiet=context.obj["quiet"]) as watch:
        return graded(request, watch)


def _told(context: click.Context, graded: Graded, out: Path) -> None:
    """What is wrong goes to standard error; the class, and who is missing, to standard output."""
    from judge.reports.terminal import show_class, show_missing

    _told_faults(graded)
    show_class(console(), graded.records)
    show_missing(console(), graded.course)
    if not context.obj["quiet"]:
        kept = f", {graded.reused} of them unchanged since the last run" if graded.reused else ""
        click.echo(f"results are in {out}{kept}")


def _profiled(graded: Graded, judging_s: float, reporting_s: float) -> None:
    from judge.reports.profile import show

    show(console(), graded.judged, judging_s=judging_s, reporting_s=reporting_s)


def _told_faults(graded: Graded) -> None:
    from judge.reports.redact import logged

    for note in graded.notes:
        click.echo(f"note: {logged(note)}", err=True)
    for fault in graded.faulty.values():
        click.echo(f"judge: {fault}", err=True)


def _compared(context: click.Context, request: Request, *, keep: bool) -> Graded:
    """Grade beside the results in `request.base` and say what would change; what is graded is kept only where `--out` says."""
    import tempfile

    from judge import compare
    from judge.grade import write
    from judge.reports import comparison
    from judge.store import read_results

    base = request.base
    assert base is not None, "there is something to compare with"
    if request.out.resolve() == base.resolve() and keep:
        raise UsageError(f"--out {request.out} is what --compare protects; name another folder, or leave --out away")
    content, before = read_results(base)
    with tempfile.TemporaryDirectory(prefix="judge-compare-") as scratch:
        trial = request if keep else replace(request, out=Path(scratch))
        graded = _graded(context, trial)
        if keep:
            write(graded, trial.out)
    _told_faults(graded)
    versions = content.get("environment", {}).get("versions", {}), graded.environment.get("versions", {})
    comparison.show(console(), compare.changes(before, graded.records, versions), total=len(graded.records))
    if not context.obj["quiet"]:
        click.echo(f"nothing was written into {base}; to accept, run again with --out {base} and without --compare")
    return graded


@click.command()
@click.argument("slugs", nargs=-1)
@click.pass_context
@guarded
def warm(context: click.Context, slugs: tuple[str, ...]) -> None:
    """Compile once on this machine what submissions have in common with a problem's own solutions.

    `judge grade` does so by itself for a class of 20; others only use what is there. JUDGE_CACHE names the
    folder (by default in the user's cache); where it is empty, nothing is kept and nothing used.
    """
    import secrets

    from judge.bank import draw_bank
    from judge.load.problems import problem_folders
    from judge.oracle.client import Oracle
    from judge.warm import warm as compile_once

    for slug in slugs or [folder.name for folder in problem_folders(root_of(context))]:
        problem = problem_of(context, slug)
        with Oracle(problem) as oracle:
            bank = draw_bank(problem, secrets.randbits(63), oracle)
        try:
            place = compile_once(problem, bank, settings_of(unsafe=False))
        except OSError as error:
            raise UsageError(
                f"the executables cannot be kept: {error}; name another folder with JUDGE_CACHE"
            ) from error
        click.echo(f"{slug}: {f'kept in {place}' if place else 'nothing to keep'}")


def _target(
    cluster: str | None, jobs: int | None, authority: Path | None, certificate: Path | None, key: Path | None
) -> Target | None:
    from judge.executors.target import read_target

    if cluster is None:
        if (authority, certificate, key) != (None, None, None):
            raise UsageError("--tls-ca, --tls-cert and --tls-key need --cluster tls://HOST:PORT")
        return None
    if jobs is not None:
        raise UsageError("--jobs is for this machine; a cluster grades as many at once as its workers have threads")
    return read_target(cluster, authority, certificate, key)


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
