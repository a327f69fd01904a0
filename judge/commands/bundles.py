"""What authors type to hand a problem to students."""

from __future__ import annotations

from pathlib import Path

import click

from judge.commands.common import guarded, problem_of


@click.command("student")
@click.argument("slug")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="A .zip or a folder. Default: ./SLUG.zip.")
@click.pass_context
@guarded
def student(context: click.Context, slug: str, to: Path | None) -> None:
    """Write what students may have: statement, starter, examples, ranges, and the oracle unless it is private.

    It holds no hidden case, no mistake and no solution. Students unpack it and type judge check there.
    """
    from judge.authoring import handout

    problem = problem_of(context, slug)
    place = to or Path(f"{problem.slug}.zip")
    handout.write(handout.files(problem), place)
    click.echo(f"wrote {place}; it holds no hidden case, no mistake and no solution: give it to your students")
