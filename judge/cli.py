"""The command line: its group, its options, its commands.

Nothing heavy is imported here: each command imports what it needs, so that `--help` answers at once.
"""

from __future__ import annotations

from pathlib import Path

import click

from judge import __version__
from judge.commands import authors, bundles, graders, inspecting, own, students


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


for command in (
    *(students.problems, students.show, students.start, students.explain),
    *(own.check, own.run, inspecting.inspect),
    *(graders.grade, graders.report, graders.doctor, graders.warm),
    *(authors.verify, authors.new, authors.add_case, authors.schema, authors.bundle),
):
    main.add_command(command)
authors.bundle.add_command(bundles.student)
