"""The Gradescope zip, and its `run_autograder` in a copy of the folders that Gradescope has."""

from __future__ import annotations

import io
import json
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge.authoring.gradescope import pack
from judge.load.problems import load_problem
from tests.support import ROOT, run

SEED = 5_550_123


@pytest.fixture(scope="module")
def packed() -> bytes:
    return pack(load_problem(ROOT / "problems" / "shard-map-step"), SEED)


@pytest.fixture
def autograder(packed: bytes) -> Iterator[Path]:
    """`/autograder` with the zip unpacked as `source` and an empty `submission`."""
    # Not in pytest's own folder, which is closed to others: the judge's children run as another user and read it here.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield _unpacked(packed, Path(folder) / "autograder")


def _unpacked(packed: bytes, root: Path) -> Path:
    (root / "submission").mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for entry in archive.infolist():
            place = Path(archive.extract(entry, root / "source"))
            place.chmod(entry.external_attr >> 16)
    return root


def grade(root: Path, *, python: str = sys.executable) -> dict[str, Any]:
    environment = {"JUDGE_AUTOGRADER_ROOT": str(root), "JUDGE_AUTOGRADER_PYTHON": python, "PYTHONPATH": ""}
    result = run([root / "source" / "run_autograder"], cwd=root, env=environment)
    assert result.returncode == 0, result.stderr
    content: dict[str, Any] = json.loads((root / "results" / "results.json").read_text())
    return content


def hand_in(root: Path, name: str, content: str) -> None:
    place = root / "submission" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)


def test_the_zip_has_both_scripts_at_its_root_and_they_can_be_run(packed: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    assert all(modes[name] & stat.S_IXUSR for name in ("setup.sh", "run_autograder"))


def test_the_zip_holds_the_judge_and_the_problem_without_its_solutions(packed: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        names = set(archive.namelist())
        settings = archive.read("settings").decode()
        requirements = archive.read("requirements.txt").decode().splitlines()
    assert {"judge/cli.py", "judge/reports/html/templates/style.css", "problems/shard-map-step/oracle.py"} <= names
    assert [name for name in names if "/solutions/" in name or "__pycache__" in name] == []
    assert settings == f"slug=shard-map-step\nseed={SEED}\n"
    assert any(line.startswith("jax==") for line in requirements)


def test_the_same_problem_and_seed_make_the_same_zip(packed: bytes) -> None:
    assert pack(load_problem(ROOT / "problems" / "shard-map-step"), SEED) == packed


@pytest.mark.parametrize("script", ["setup.sh", "run_autograder"])
def test_the_scripts_are_bash(script: str) -> None:
    place = ROOT / "judge" / "authoring" / "gradescope" / script
    bash = shutil.which("bash")
    assert bash is not None
    assert subprocess.run([bash, "-n", str(place)], check=False, capture_output=True).returncode == 0


def test_a_judge_that_does_not_start_leaves_a_valid_file_that_says_so(autograder: Path) -> None:
    hand_in(autograder, "shard-map-step.py", "x = 1\n")
    content = grade(autograder, python="/bin/false")
    assert "costs you no points" in content["output"]
    assert [test["visibility"] for test in content["tests"]] == ["visible", "hidden"]


@pytest.mark.parametrize("names", [(), ("a.py", "b.py"), ("notes.txt",)])
def test_without_one_file_to_grade_the_student_is_told_how_to_name_it(autograder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        hand_in(autograder, name, "x = 1\n")
    content = grade(autograder, python="/bin/false")
    assert content["score"] == 0.0
    assert "name it shard-map-step.py" in content["output"]


@pytest.mark.long("grades two hand-ins with the unpacked judge")
def test_the_unpacked_judge_grades_a_hand_in_and_tells_nothing_of_the_seed(autograder: Path) -> None:
    solution = next((ROOT / "problems" / "shard-map-step" / "solutions" / "accepted").glob("*.py"))
    hand_in(autograder, "Shard_Map_Step.py", solution.read_text())
    hand_in(autograder, "json.py", "raise SystemExit('a module of the student was imported')\n")
    content = grade(autograder)
    assert content["score"] == 100.0, content
    assert {test["status"] for test in content["tests"]} == {"passed"}

    shutil.rmtree(autograder / "submission")
    hand_in(autograder, "mine.py", "def solve(w, b, x, y, lr):\n    return {}\n")
    content = grade(autograder)
    assert content["score"] == 0.0
    assert "wrong keys" in content["output"]
    assert str(SEED) not in json.dumps(content)
