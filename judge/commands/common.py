"""What the commands share: how they fail, find problems and print."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from judge.errors import JudgeError, JudgeFault, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from judge.model.problem import Problem
    from judge.sandbox.settings import SandboxSettings

Command = TypeVar("Command", bound=Callable[..., Any])


def guarded(command: Command) -> Command:
    """Turn what a command raises into one message on standard error and an exit status."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except JudgeError as error:
            # Names of files are among it, and those are the students'.
            from judge.reports.redact import logged

            click.echo(f"judge: {logged(str(error), lines=True, most=100_000)}", err=True)
            sys.exit(error.status)
        except KeyboardInterrupt:
            click.echo("judge: interrupted", err=True)
            sys.exit(JudgeFault.status)
        except BrokenPipeError:
            sys.exit(0)

    return run  # type: ignore[return-value]  # the wrapper has the command's own signature


def root_of(context: click.Context) -> Path:
    from judge.load.problems import find_root

    return find_root(context.obj["problems"])


def folder_of(root: Path, slug: str) -> Path:
    """The folder of the problem of that slug, or an error that suggests one."""
    from judge.load.problems import nearest, problem_folders

    folders = {folder.name: folder for folder in problem_folders(root)}
    wanted = slug.lower().replace("_", "-")
    if wanted not in folders:
        raise UsageError(f"there is no problem {slug!r}; {nearest(wanted, folders)}")
    return folders[wanted]


def problem_of(context: click.Context, slug: str) -> Problem:
    from judge.load.problems import load_problem

    return load_problem(folder_of(root_of(context), slug))


def console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    # Without a terminal rich would cut every line at 80 columns.
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, soft_wrap=not stream.isatty(), width=None if stream.isatty() else 160)


def settings_of(unsafe: bool) -> SandboxSettings:
    # A session refuses by itself where nothing confines it; a class is graded only after the layers were tried, too.
    from judge.sandbox.settings import SandboxSettings

    return SandboxSettings(unsafe=unsafe)
