"""What is built and shipped."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

import judge
from tests.support import ROOT, run


def source_files(folder: str) -> set[str]:
    """Paths of the files under a folder of the checkout, relative to it, as git would list them."""
    base = ROOT / folder
    return {
        path.relative_to(base).as_posix()
        for path in base.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def build(kind: str, into: Path) -> Path:
    # The backend itself, in this environment: a frontend would fetch it again into one of its own.
    result = run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", into], cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    (made,) = into.iterdir()
    return made


@pytest.mark.long("builds a wheel and a source distribution")
def test_the_wheel_holds_all_code_and_all_problems(tmp_path: Path) -> None:
    with zipfile.ZipFile(build("wheel", tmp_path)) as wheel:
        names = set(wheel.namelist())

    assert {f"judge/{name}" for name in source_files("judge")} <= names
    assert {f"judge/_problems/{name}" for name in source_files("problems")} <= names
    assert [name for name in names if name.endswith(".pyc")] == []
    beside = {name.split("/")[0] for name in names} - {"judge"}
    assert len(beside) == 1
    assert beside.pop().endswith(".dist-info")


@pytest.mark.long("builds a wheel and a source distribution")
def test_a_wheel_can_be_built_from_the_source_distribution(tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path / "sdist")) as sdist:
        sdist.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()

    result = run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "wheel"], cwd=unpacked)

    assert result.returncode == 0, result.stdout + result.stderr
    with zipfile.ZipFile(next((tmp_path / "wheel").iterdir())) as wheel:
        assert {f"judge/_problems/{name}" for name in source_files("problems")} <= set(wheel.namelist())
    assert (unpacked / "submissions" / "README.md").is_file()


def test_the_installed_version_is_that_of_the_code() -> None:
    assert version("jax-judge") == judge.__version__


def test_the_judge_command_is_the_command_line_of_the_package() -> None:
    (command,) = (entry for entry in entry_points(group="console_scripts") if entry.name == "judge")
    assert command.value == "judge.cli:main"
