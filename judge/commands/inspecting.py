"""What shows a student the inside of a run."""

from __future__ import annotations

from pathlib import Path

import click

from judge.commands.common import console, guarded, problem_of, root_of, settings_of
from judge.errors import UsageError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--problem", "slug", default=None, help="The problem's slug. Default: told by the file's name or folder.")
@click.option(
    "--case", "example", default=None, help="An example of the statement, such as example-2. Default: the first."
)
@click.option(
    "--input", "input_file", type=click.Path(path_type=Path), default=None, help="A JSON object with own inputs."
)
@click.option("--all", "everything", is_flag=True, help="Every operation, those of backward passes among them.")
@click.option("--unsafe", is_flag=True, help="Run your own file even where nothing confines it.")
@click.pass_context
@guarded
def inspect(
    context: click.Context,
    file: Path,
    slug: str | None,
    example: str | None,
    input_file: Path | None,
    everything: bool,
    unsafe: bool,
) -> None:
    """Show what every device held at each line of a submission."""
    from judge import check_one, inspect_one
    from judge.load.inputs import read_inputs
    from judge.load.problems import problem_folders
    from judge.oracle.client import Oracle
    from judge.reports.inspection import show
    from judge.sandbox.session import Session

    if example is not None and input_file is not None:
        raise UsageError("--case and --input exclude each other; give one of them")
    slugs = [folder.name for folder in problem_folders(root_of(context))]
    submission = check_one.find(file, slugs, slug)
    problem = problem_of(context, submission.problem)
    if input_file is not None:
        name, inputs = str(input_file), read_inputs(problem.spec, input_file)
    else:
        name, inputs = inspect_one.example_inputs(problem, example)
    with Oracle(problem) as oracle, Session(settings_of(unsafe)) as session:
        found = inspect_one.inspect_one(session, oracle, submission, inputs, everything=everything)
    show(console(), f"{problem.slug} on {name}, {problem.spec.devices} devices", found)
