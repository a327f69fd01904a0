"""What authors of problems type."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from judge.commands.common import console, folder_of, guarded, problem_of, root_of, settings_of
from judge.errors import JudgeError, UsageError


@click.command()
@click.argument("slugs", nargs=-1)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the cases.")
@click.option("--minimal", is_flag=True, help="Also show few pinned cases that still kill every mistake.")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=None, help="Problems and solutions at a time. Default: one a core."
)
@click.option("--unsafe", is_flag=True, help="Go on where nothing confines the solutions.")
@click.pass_context
@guarded
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

    root = root_of(context)
    folders = [folder_of(root, slug) for slug in slugs] or problem_folders(root)
    if not folders:
        raise UsageError(f"{root} holds no problem")

    def watch(done: int, total: int, name: str) -> None:
        if not context.obj["quiet"]:
            click.echo(f"[{done}/{total}] {name}", err=True)

    found = verify_problems(folders, settings=settings_of(unsafe), seed=seed, minimal=minimal, jobs=jobs, watch=watch)
    show_verifications(console(), found)
    sys.exit(JudgeError.status if any(one.faults for one in found) else 0)


@click.command()
@click.argument("slug")
@click.pass_context
@guarded
def new(context: click.Context, slug: str) -> None:
    """Write a small complete problem that verifies, to be changed into your own."""
    from judge.authoring.new import new_problem

    folder = new_problem(context.obj["problems"] or Path("problems"), slug)
    click.echo(f"wrote {folder}; prove it with: judge verify {slug}")


@click.command("add-case")
@click.argument("slug")
@click.option(
    "--input", "file", type=click.Path(path_type=Path), required=True, help="JSON object with the inputs by name."
)
@click.option("--name", required=True, help="The case's name: small letters, digits and dashes.")
@click.option("--visible", is_flag=True, help="An example of the statement; hidden without this.")
@click.option("--category", default="", help="What a student is told of a hidden case, without a number of it.")
@click.pass_context
@guarded
def add_case(context: click.Context, slug: str, file: Path, name: str, visible: bool, category: str) -> None:
    """Pin a case: the oracle computes its outputs, and problem.yaml gets it, the rest of the file left as it is."""
    from judge.authoring.add_case import add_case as pin

    click.echo(pin(problem_of(context, slug), file, name=name, visible=visible, category=category))


@click.command()
@guarded
def schema() -> None:
    """Print the JSON schema of problem.yaml, for editors."""
    import json

    from judge.load.schema import problem_schema

    click.echo(json.dumps(problem_schema(), indent=1))


@click.group()
def bundle() -> None:
    """Pack a problem for another system."""


@bundle.command("gradescope")
@click.argument("slug")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="Default: ./SLUG-gradescope.zip.")
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Seed of the cases. Default: a new one.")
@click.pass_context
@guarded
def bundle_gradescope(context: click.Context, slug: str, to: Path | None, seed: int | None) -> None:
    """Write the autograder zip of a Gradescope assignment. It holds the hidden cases: it is for the staff."""
    import secrets

    from judge.authoring.gradescope import pack

    problem = problem_of(context, slug)
    place = to or Path(f"{problem.slug}-gradescope.zip")
    content = pack(problem, secrets.randbits(63) if seed is None else seed)
    try:
        place.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{place} cannot be written ({error.strerror}); name another with --to") from error
    click.echo(f"wrote {place}; upload it as the autograder of the assignment")
