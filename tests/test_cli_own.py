"""What a student types about a file of their own, what comes back, and the exit status."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from judge.cli import main
from judge.model.verdict import Verdict
from tests.support import tiny_problem as tiny
from tests.support.command import COMMAND, WHERE, command
from tests.support.tiny_problem import SLUG, write_problem


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_problem(tmp_path / "problems")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def judge(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_a_notebook_is_started_and_checked_and_only_its_solve_counts(here: Path) -> None:
    result = judge("start", SLUG, "--notebook")
    assert result.exit_code == 0
    assert f"wrote {SLUG}.ipynb; try it with: judge check {SLUG}.ipynb" in result.output
    file = here / f"{SLUG}.ipynb"
    notebook = json.loads(file.read_text())
    (cell,) = [one for one in notebook["cells"] if one["id"] == "solve"]
    cell["source"] = tiny.RIGHT.splitlines(keepends=True)
    file.write_text(json.dumps(notebook))
    checked = command("check", file, cwd=here)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "accepted" in checked.stdout


def test_a_starter_of_another_name_says_how_to_check_it(here: Path) -> None:
    assert f"judge check mine.py --problem {SLUG}" in judge("start", SLUG, "--to", "mine.py").output


def test_the_input_that_shows_a_fault_can_be_saved_and_run(here: Path) -> None:
    file = here / f"{SLUG}.py"
    file.write_text(tiny.SUMMED)
    checked = command("check", file, "--save", "case.json", cwd=here)
    assert checked.returncode == 1
    assert "an input that shows it, to paste into Python" in checked.stdout
    assert "yours" in checked.stdout and "reference" in checked.stdout
    assert "judge explain wrong_answer" in checked.stdout
    assert "wrote case.json" in checked.stderr
    ran = command("run", file, "--input", "case.json", cwd=here)
    assert ran.returncode == 1, ran.stderr
    assert "in tolerances" in ran.stdout and "wrong  `mean` is" in ran.stdout
    file.write_text(tiny.RIGHT)
    ran = command("-q", "run", file, "--input", "case.json", cwd=here)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "right  every output is within its tolerance" in ran.stdout


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "case.json cannot be read: No such file or directory; name a JSON file"),
        ('{"x": [[1, 2, 3]], "scale": 1}', "case.json: N is 1; choose 2 to 4096"),
        ('{"x": [[1], [2]], "scale": "big"}', "case.json: `scale` is big, not a finite number; give a number"),
    ],
)
def test_inputs_that_do_not_fit_are_told_with_file_key_and_remedy(here: Path, content: str | None, told: str) -> None:
    (here / f"{SLUG}.py").write_text(tiny.RIGHT)
    if content is not None:
        (here / "case.json").write_text(content)
    result = judge("run", f"{SLUG}.py", "--input", "case.json")
    assert result.exit_code == 2
    assert result.stderr == f"judge: {told}\n"


def _watched(here: Path, *versions: str) -> tuple[int, str]:
    """The status and the output of `judge check --watch` in a terminal: each version is saved once the last is checked."""
    file = here / f"{SLUG}.py"
    file.write_text(versions[0])
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "check", file.name, "--watch", "--seed", "3"],
        cwd=here,
        env={**os.environ, **WHERE, "NO_COLOR": "1"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen, left = "", list(versions[1:])
    while True:
        try:
            part = os.read(ours, 1 << 16).decode("utf-8", "replace")
        except OSError:
            break
        seen += part
        if seen.count("Ctrl-C ends") == len(versions) - len(left):
            if not left:
                process.send_signal(signal.SIGINT)
                left.append("")
            else:
                # As editors do: another file takes the place of the first.
                other = file.with_suffix(".new")
                other.write_text(left.pop(0))
                other.replace(file)
        if process.poll() is not None:
            break
    os.close(ours)
    return process.wait(), seen


def test_a_watched_file_is_checked_whenever_it_is_saved_and_the_last_status_counts(here: Path) -> None:
    status, seen = _watched(here, tiny.NONE, tiny.RIGHT)
    assert status == 0, seen
    assert seen.index("wrong_type") < seen.index(f"{SLUG}.py was saved") < seen.index("accepted")
    assert not re.search(r"\x1b\[[0-9;]*[349]\d", seen), "NO_COLOR was set"


def test_a_watch_that_ends_on_a_wrong_file_says_so(here: Path) -> None:
    status, seen = _watched(here, tiny.NONE)
    assert status == 1, seen


def test_a_system_that_cannot_fork_is_told_so_whatever_modules_it_lacks(here: Path) -> None:
    (here / f"{SLUG}.py").write_text(tiny.RIGHT)
    code = """
import os, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {"pwd", "grp", "fcntl", "resource", "termios", "pyseccomp"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
for name in ("pwd", "grp", "fcntl", "resource", "termios"):
    sys.modules.pop(name, None)
del os.fork
import judge.check_one, judge.run_one, judge.grade
from judge.cli import main
main(prog_name="judge")
"""
    for words in (("check",), ("run", "--input", "case.json")):
        result = subprocess.run(
            [COMMAND[0], "-c", code, words[0], f"{SLUG}.py", *words[1:]],
            cwd=here,
            env={**os.environ, **WHERE},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 2, result.stderr
        assert "cannot fork" in result.stderr and "WSL 2" in result.stderr and "docker run" in result.stderr
        assert "Traceback" not in result.stderr


def test_verdicts_are_listed_and_explained(here: Path) -> None:
    listed = judge("explain")
    assert listed.exit_code == 0
    assert all(f"{verdict.value} " in listed.output for verdict in Verdict)
    told = judge("explain", "Replicas-Differ")
    assert told.exit_code == 0 and told.output.startswith("replicas_differ: ")
    assert "Likely causes:" in told.output and "What to try:" in told.output
    unknown = judge("explain", "wrong_anser")
    assert unknown.exit_code == 2
    assert unknown.stderr == "judge: there is no verdict 'wrong_anser'; did you mean wrong_answer?\n"
    assert "the verdicts are: load_error, " in judge("explain", "zzz").stderr


def test_a_students_bundle_is_written_checked_and_not_graded_with(here: Path, tmp_path: Path) -> None:
    result = judge("bundle", "student", SLUG, "--to", "students")
    assert result.exit_code == 0, result.output
    file = here / "students" / f"{SLUG}.py"
    file.write_text(tiny.RIGHT)
    checked = command("check", file.name, cwd=file.parent)
    assert checked.returncode == 0, checked.stderr
    assert "hidden" not in checked.stdout
    (here / "case.json").write_text('{"x": [[1], [2]], "scale": 1}')
    added = ("add-case", SLUG, "--input", "case.json", "--name", "new", "--visible")
    for arguments in (("verify", SLUG), ("grade", str(file)), ("bundle", "gradescope", SLUG), added):
        refused = judge("--problems", "students/problems", *arguments)
        assert refused.exit_code == 2
        assert "is a student's bundle" in refused.output


@pytest.mark.parametrize(("shell", "part"), [("bash", "complete"), ("zsh", "compdef"), ("fish", "complete")])
def test_completion_prints_a_script_for_the_shell(here: Path, shell: str, part: str) -> None:
    # The variable is named after the program.
    code = "import sys; from judge.cli import main; sys.argv[0] = 'judge'; main(prog_name='judge')"
    result = subprocess.run(
        [COMMAND[0], "-c", code],
        cwd=here,
        env={**os.environ, **WHERE, "_JUDGE_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert part in result.stdout and "_JUDGE_COMPLETE" in result.stdout
