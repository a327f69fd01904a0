"""Which side may import what: the contracts of `pyproject.toml`, and that each of them can fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT, run

#: What `judge --help` must not wait for.
HEAVY = ("jax", "jaxlib", "numpy", "pydantic", "rich", "hypothesis", "ruamel.yaml", "distributed")


def contracts() -> dict[str, dict[str, Any]]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return {contract["id"]: contract for contract in config["tool"]["importlinter"]["contracts"]}


def rooms() -> set[str]:
    """Every module or package directly under `judge`, by its dotted name."""
    found = {path.stem for path in (ROOT / "judge").glob("*.py")}
    found |= {path.parent.name for path in (ROOT / "judge").glob("*/__init__.py")}
    return {f"judge.{name}" for name in found - {"__init__", "__main__"}}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return run([Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"], cwd=folder)


def test_every_contract_holds() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_room_but_the_runner_is_on_the_trusted_side() -> None:
    trusted = rooms() - {"judge.runner"}
    assert set(contracts()["trusted-side"]["source_modules"]) == trusted
    assert trusted <= set(contracts()["runner-is-a-leaf"]["forbidden_modules"])


PLANTED = [
    ("one-direction", "judge/model/verdict.py", "import judge.decide"),
    ("one-direction", "judge/decide.py", "from judge import grade"),
    ("one-direction", "judge/bank.py", "def late():\n    from judge import assess"),
    ("one-direction", "judge/checks/__init__.py", "import judge.executors"),
    ("one-direction", "judge/reports/__init__.py", "import judge.checks"),
    ("one-direction", "judge/newroom.py", "X = 1"),
    ("trusted-side", "judge/store.py", "import jax"),
    ("trusted-side", "judge/cli.py", "def late():\n    import jaxlib.mlir"),
    ("trusted-side", "judge/sandbox/__init__.py", "import pickle"),
    ("trusted-side", "judge/grade.py", "from judge.runner import launcher"),
    ("trusted-side", "judge/executors/remote.py", "import cloudpickle"),
    ("runner-is-a-leaf", "judge/runner/launcher.py", "from judge.errors import JudgeFault"),
    ("runner-is-a-leaf", "judge/runner/launcher.py", "import pickle"),
    ("wire-is-plain", "judge/runner/wire.py", "import jax"),
    ("pure", "judge/decide.py", "import subprocess"),
    ("pure", "judge/checks/__init__.py", "import judge.runner.wire"),
    ("checks-are-strangers", "judge/checks/shape.py", "from judge.checks.dtype import dtype"),
]


@pytest.mark.parametrize(("contract", "file", "planted"), PLANTED, ids=[f"{c}:{f}:{p}" for c, f, p in PLANTED])
def test_a_planted_import_breaks_its_contract(tmp_path: Path, contract: str, file: str, planted: str) -> None:
    shutil.copytree(ROOT / "judge", tmp_path / "judge", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / file).open("a") as module:
        module.write(f"\n{planted}\n")

    result = lint_imports(tmp_path)

    assert result.returncode == 1, result.stdout + result.stderr
    assert f"{contracts()[contract]['name']} BROKEN" in result.stdout


def loaded(statement: str, *modules: str) -> set[str]:
    """Those of `modules` that a fresh interpreter has loaded after `statement`."""
    program = f"import sys\n{statement}\nprint(*[m for m in {modules!r} if m in sys.modules])"
    result = run([sys.executable, "-c", program], cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def test_the_command_line_starts_without_what_is_slow_to_load() -> None:
    assert loaded("import judge.cli", *HEAVY) == set()


def test_grading_on_this_machine_loads_nothing_of_dask() -> None:
    assert loaded("import judge.grade", "dask", "distributed") == set()


@pytest.mark.parametrize("module", HEAVY)
def test_the_probe_for_loaded_modules_sees_one_that_is_loaded(module: str) -> None:
    assert loaded(f"import {module}", module) == {module}


def test_the_runner_package_loads_alone() -> None:
    """It is mounted into the sandbox beside `judge/__init__.py`, with the rest absent."""
    others = sorted(rooms() - {"judge.runner"})
    assert loaded("import judge.runner.wire", *others, "jax") == set()
