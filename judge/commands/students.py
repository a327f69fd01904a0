"""What students type."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from judge.commands.common import console, guarded, problem_of, root_of
from judge.errors import JudgeError, UsageError


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
@click.option("--notebook", is_flag=True, help="A Jupyter notebook: statement, starter, first example.")
@click.pass_context
@guarded
def start(context: click.Context, slug: str, to: Path | None, notebook: bool) -> None:
    """Write a problem's starter file."""
    from judge import starter

    problem = problem_of(context, slug)
    place = to or Path(f"{problem.slug}{'.ipynb' if notebook else '.py'}")
    content = starter.notebook(problem) if notebook else problem.starter_file.read_bytes()
    try:
        with place.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise UsageError(f"{place} exists and is left as it is; name another file with --to") from None
    except OSError as error:
        raise UsageError(f"{place} cannot be written: {error.strerror}; name another file with --to") from error
    named = "" if place.stem == problem.slug else f" --problem {problem.slug}"
    click.echo(f"wrote {place}; try it with: judge check {place}{named}")


@click.command()
@click.argument("verdict", required=False)
@guarded
def explain(verdict: str | None) -> None:
    """Say what a verdict means, what usually causes it and what to try. Without VERDICT all are listed."""
    import difflib

    from judge.model.verdict import Verdict
    from judge.reports import own

    if verdict is None:
        own.explain_all(console())
        return
    known = {one.value: one for one in Verdict}
    wanted = verdict.lower().replace("-", "_").replace(" ", "_")
    if wanted not in known:
        near = difflib.get_close_matches(wanted, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the verdicts are: {', '.join(known)}"
        raise UsageError(f"there is no verdict {verdict!r}; {hint}")
    own.explain(console(), known[wanted])
