"""What shows a student the inside of a run."""

from __future__ import annotations

from pathlib import Path

import click

from judge.commands.common import console, guarded
from judge.commands.own import found_in, progress_of, session_for, told_by_the_file
from judge.errors import UsageError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@told_by_the_file
@click.option(
    "--case", "example", default=None, help="An example of the statement, such as example-2. Default: the first."
)
@click.option(
    "--input", "input_file", type=click.Path(path_type=Path), default=None, help="A JSON object with own inputs."
)
@click.option("--all", "everything", is_flag=True, help="Every operation, those of backward passes among them.")
@click.pass_context
@guarded
def inspect(
    context: click.Context,
    file: Path,
    slug: str | None,
    example: str | None,
    input_file: Path | None,
    everything: bool,
) -> None:
    """Show what every device held at each line of a submission."""
    if example is not None and input_file is not None:
        raise UsageError("--case and --input exclude each other; give one of them")
    with session_for(file) as session:
        from judge import inspect_one
        from judge.load.inputs import read_inputs
        from judge.oracle.client import Oracle
        from judge.reports.inspection import show
        from judge.sandbox.unconfined import notice

        submission, problem = found_in(context, file, slug)
        if input_file is not None:
            name, inputs = str(input_file), read_inputs(problem.spec, input_file)
        else:
            name, inputs = inspect_one.example_inputs(problem, example)
        if not (held := session.confinement()).safe:
            progress_of(context)("note", notice(held, f"inspect {file}"))
        with Oracle(problem) as oracle:
            found = inspect_one.inspect_one(session, oracle, submission, inputs, everything=everything)
    show(console(), f"{problem.slug} on {name}, {problem.spec.devices} devices", found)
