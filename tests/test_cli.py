"""What a user types, what comes back, and the exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from click.testing import CliRunner, Result

from judge import __version__
from judge.cli import main
from tests.support import tiny_problem as tiny
from tests.support.command import command
from tests.support.tiny_problem import SLUG, STARTER, write_problem, write_submissions


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_problem(tmp_path / "problems")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def judge(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def one_line(result: Result, status: int = 2) -> str:
    """The single line of an error, after its exit status was compared."""
    assert result.exit_code == status, result.output
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("judge: ")
    return str(line)


def test_help_names_every_command_and_each_command_has_its_own() -> None:
    text = judge("--help").output
    for name in main.commands:
        assert re.search(rf"^  {name} ", text, re.MULTILINE), name
        assert judge(name, "--help").exit_code == 0


def test_the_version_is_told() -> None:
    assert judge("--version").output.strip().endswith(__version__)


def test_problems_are_listed_with_devices_and_title(here: Path) -> None:
    result = judge("problems")
    assert result.exit_code == 0
    assert result.output == f"{SLUG}  2 devices  Scaled means of rows\n"


def test_a_broken_problem_is_listed_as_broken_and_the_status_is_2(here: Path) -> None:
    (write_problem(here / "problems", "bad") / "problem.yaml").write_text("devices: [\n")
    result = judge("problems")
    assert result.exit_code == 2
    assert "broken" in result.stdout and SLUG in result.stdout
    assert "problem.yaml:" in result.stderr


def test_a_folder_without_problems_is_named(here: Path) -> None:
    (here / "empty").mkdir()
    assert "empty holds no problem" in one_line(judge("--problems", "empty", "problems"))
    assert "--problems" in one_line(judge("--problems", "nowhere", "problems"))


def test_a_statement_is_shown_as_markdown_where_there_is_no_terminal(here: Path) -> None:
    result = judge("show", "Row_Means")
    assert result.exit_code == 0
    assert result.output.startswith("# Scaled means of rows") and "**Example 1**" in result.output


def test_an_unknown_problem_suggests_the_nearest_or_lists_all(here: Path) -> None:
    for name in ("show", "start"):
        assert f"there is no problem 'row-maens'; did you mean {SLUG}?" in one_line(judge(name, "row-maens"))
        assert f"there are: {SLUG}" in one_line(judge(name, "zzz"))


def test_a_broken_problem_is_told_with_file_and_line(here: Path) -> None:
    (here / "problems" / SLUG / "problem.yaml").write_text(tiny.PROBLEM.replace("devices: 2", "devices: none"))
    result = judge("show", SLUG)
    assert result.exit_code == 2
    assert "problem.yaml:3: `devices` is 'none'" in result.stderr


def test_start_writes_the_starter_once_and_never_over_a_file(here: Path) -> None:
    result = judge("start", SLUG)
    assert result.exit_code == 0
    assert f"judge check {SLUG}.py" in result.output
    assert (here / f"{SLUG}.py").read_text() == STARTER
    (here / f"{SLUG}.py").write_text("mine")
    assert "is left as it is; name another file with --to" in one_line(judge("start", SLUG))
    assert (here / f"{SLUG}.py").read_text() == "mine"
    assert judge("start", SLUG, "--to", "other.py").exit_code == 0
    assert "cannot be written" in one_line(judge("start", SLUG, "--to", "no/such/folder.py"))


@pytest.mark.parametrize(
    ("name", "verdict", "status"),
    [("right", "accepted", 0), ("summed", "wrong_answer", 1), ("broken", "load_error", 1), ("prints", "accepted", 0)],
)
def test_a_file_is_checked_with_its_verdict_points_and_reason(here: Path, name: str, verdict: str, status: int) -> None:
    file = here / f"{SLUG}.py"
    file.write_text(tiny.VERDICTS[name][0])
    result = command("check", file, "--seed", "3", cwd=here, env={"NO_COLOR": "1"})
    assert result.returncode == status, result.stderr
    assert verdict in result.stdout and "points" in result.stdout
    assert "repeat with --seed 3" in result.stderr
    assert "\x1b" not in result.stdout + result.stderr
    assert ("divide it by N" in result.stdout) == (name == "summed")
    assert ("hello from the student" in result.stdout) == (name == "prints")


def test_a_quiet_check_says_nothing_but_the_result(here: Path) -> None:
    (here / f"{SLUG}.py").write_text(tiny.NONE)
    result = command("--quiet", "check", f"{SLUG}.py", cwd=here)
    assert result.returncode == 1
    assert result.stderr == ""
    assert "wrong_type" in result.stdout


def test_check_asks_for_the_problem_where_nothing_tells_it(here: Path) -> None:
    (here / "mine.py").write_text(tiny.RIGHT)
    assert f"say which it is for with --problem ({SLUG})" in one_line(judge("check", "mine.py"))
    assert "there is no such file" in one_line(judge("check", "nowhere.py"))
    assert "no problem" in one_line(judge("check", "mine.py", "--problem", "zzz"))


def _graded(here: Path, *more: str) -> CompletedProcess[str]:
    return command("grade", "submissions", *more, cwd=here, env={"NO_COLOR": "1"})


def test_a_class_is_graded_whatever_the_verdicts_and_strict_makes_it_1(here: Path) -> None:
    write_submissions(here / "submissions", {"ada": tiny.RIGHT, "bob": tiny.NONE})
    result = _graded(here)
    assert result.returncode == 0, result.stderr
    assert "2 submissions: 1 wrong_type, 1 accepted" in result.stdout
    assert "[2/2]" in result.stderr
    assert {"results.json", "grades.csv", "feedback", "report.html", "junit.xml"} <= {
        one.name for one in (here / "results").iterdir()
    }
    assert json.loads((here / "results" / "results.json").read_text())["version"] == 1
    assert (here / "results" / "feedback" / "ada" / f"{SLUG}.md").exists()
    again = _graded(here, "--strict")
    assert again.returncode == 1
    assert "2 of them unchanged since the last run" in again.stdout
    quiet = command("-q", "grade", "submissions", cwd=here)
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_a_broken_problem_is_status_2_and_its_submissions_are_ungraded(here: Path) -> None:
    write_submissions(here / "submissions", {"ada": tiny.BROKEN})
    (write_problem(here / "problems", "bad") / "problem.yaml").write_text("devices: [\n")
    write_submissions(here / "submissions", {"ada": tiny.RIGHT}, "bad")
    result = _graded(here)
    assert result.returncode == 2
    assert "1 load_error, 1 ungraded" in result.stdout
    assert "problem bad has 1 fault" in result.stderr
    assert "ada,," in (here / "results" / "grades.csv").read_text()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["nowhere"], "no submission was found in nowhere"),
        (["empty"], "no submission was found in empty"),
        (["one.py", "--out", "one.py"], "one.py is not a folder; name another one with --out"),
        (["one.py", "--problem", "zzz"], "there is no problem 'zzz'"),
    ],
)
def test_what_cannot_be_graded_is_a_usage_error(here: Path, arguments: list[str], part: str) -> None:
    (here / "empty").mkdir()
    write_submissions(here / "empty2", {"ada": tiny.RIGHT})
    (here / SLUG).mkdir()
    (here / "one.py").write_text(tiny.RIGHT)
    extra = ["--problem", SLUG] if "--out" in arguments else []
    result = judge("grade", *arguments, *extra)
    assert result.exit_code == 2
    assert part in result.stderr
    assert "Traceback" not in result.output


def test_options_that_make_no_sense_are_refused_with_status_2(here: Path) -> None:
    for arguments in (["grade"], ["grade", ".", "--jobs", "0"], ["grade", ".", "--seed", "-1"], ["gread"]):
        result = judge(*arguments)
        assert result.exit_code == 2
        assert "Traceback" not in result.output


def test_the_doctor_says_whether_grading_is_safe(here: Path) -> None:
    result = command("doctor", cwd=here, env={"NO_COLOR": "1"})
    assert result.returncode in {0, 3}
    assert ("grading is safe here" in result.stdout) == (result.returncode == 0)
    assert "seccomp" in result.stdout and "\x1b" not in result.stdout
