"""An author's way from nothing to a verified problem: what problems/README.md says to type is typed, in its order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import textwrap
from pathlib import Path

from tests.support import ROOT
from tests.support.command import COMMAND, WHERE

GUIDE = ROOT / "problems" / "README.md"


def blocks() -> list[str]:
    return [textwrap.dedent(block) for block in re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)]


def typed(lines: str, folder: Path) -> str:
    """What a shell prints that knows the judge and stops at the first command that fails."""
    script = f'set -e\njudge() {{ {shlex.join(map(str, COMMAND))} "$@"; }}\n{lines}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**os.environ, **WHERE}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_the_authors_guide_says_to_type_makes_a_problem_that_verifies(tmp_path: Path) -> None:
    first, second = blocks()
    assert "no fault" in typed(first, tmp_path)
    assert "by-hand" in typed(second, tmp_path)
    assert "name: by-hand" in (tmp_path / "problems" / "ring-sum" / "problem.yaml").read_text()
    assert "no fault" in typed("judge verify ring-sum && judge bundle student ring-sum", tmp_path)
    assert (tmp_path / "ring-sum.zip").is_file()
