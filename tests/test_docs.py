"""What the documents promise."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import click
import pytest

from judge.cli import main
from tests.support import ROOT

READMES = ("README.md", "judge/README.md", "submissions/README.md")


@cache
def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def shell_blocks(name: str) -> list[str]:
    """The lines of every `sh` block of a document, blocks in order, comments and continuations resolved."""
    return [block.strip() for block in re.findall(r"```sh\n(.*?)```", text(name), flags=re.DOTALL)]


def invocations(name: str) -> list[list[str]]:
    """Every `judge ...` line of the `sh` blocks of a document, split as a shell would."""
    lines = [line for block in shell_blocks(name) for line in block.replace("\\\n", " ").splitlines()]
    return [words[1:] for line in lines if (words := shlex.split(line, comments=True)) and words[0] == "judge"]


def commands(group: click.Command = main, prefix: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """Every command that does something, by the words that call it."""
    if not isinstance(group, click.Group):
        return {prefix: group}
    context = click.Context(group)
    found: dict[tuple[str, ...], click.Command] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        found |= commands(command, (*prefix, name))
    return found


def test_the_readme_opens_with_the_two_commands_that_ci_runs_letter_by_letter() -> None:
    grade, test = shell_blocks("README.md")[:2]
    script = text(".ci/run")
    assert "judge grade submissions/" in grade
    assert f'bash -c "{grade}"' in script
    assert "pytest" in test
    assert f'bash -c "{test}"' in script


def test_each_of_the_two_commands_needs_nothing_but_python() -> None:
    for command in shell_blocks("README.md")[:2]:
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        assert all(step.startswith(("python3 ", ".venv/bin/")) for step in command.split(" && "))


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_is_documented_and_has_help(words: tuple[str, ...]) -> None:
    command = commands()[words]
    pattern = rf"\bjudge {re.escape(' '.join(words))}\b"
    assert any(re.search(pattern, text(name)) for name in READMES)
    assert command.help, f"judge {' '.join(words)} has no help"
    assert all(getattr(option, "help", "") for option in command.params if isinstance(option, click.Option))


@pytest.mark.parametrize("name", READMES)
def test_every_command_line_in_a_document_is_one_that_the_judge_takes(name: str) -> None:
    known = commands()
    for arguments in invocations(name):
        words = next((words for words in known if tuple(arguments[: len(words)]) == words), None)
        assert words is not None, f"{name}: judge {' '.join(arguments)}"
        options = {flag for parameter in known[words].params for flag in (*parameter.opts, *parameter.secondary_opts)}
        used = {word.split("=")[0] for word in arguments[len(words) :] if word.startswith("-") and word != "-"}
        assert used <= options | {"--help"}, f"{name}: judge {' '.join(arguments)}"


@pytest.mark.parametrize("name", [*READMES, "CHANGELOG.md"])
def test_every_relative_link_leads_to_a_file(name: str) -> None:
    folder = (ROOT / name).parent
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", text(name))
    assert [link for link in links if not (folder / link).exists()] == []


def test_the_changelog_knows_the_version_of_the_package() -> None:
    from judge import __version__

    assert __version__ in text("CHANGELOG.md")


def test_every_problem_is_named_in_the_changelog() -> None:
    slugs = {path.parent.name for path in (ROOT / "problems").glob("*/problem.yaml")}
    assert slugs, "no problems were found"
    assert {slug for slug in slugs if f"`{slug}`" not in text("CHANGELOG.md")} == set()


def test_every_ignored_lint_rule_says_why() -> None:
    section = text("pyproject.toml").split("[tool.ruff.lint]")[1].split("[tool.importlinter]")[0]
    ignored = [line for line in section.splitlines() if re.match(r'\s+"[A-Z]{1,4}\d*",', line)]
    assert ignored, "no ignored rule was found"
    assert [line for line in ignored if "#" not in line] == []


def test_the_script_of_ci_can_be_run() -> None:
    script = Path(ROOT / ".ci" / "run")
    assert script.stat().st_mode & 0o111
    assert script.read_text().startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in script.read_text()
