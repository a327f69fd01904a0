"""The notebook that a student begins with."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from judge.load.notebooks import source_of
from judge.load.problems import load_problem, problem_folders
from judge.load.statement import render
from judge.starter import notebook

PROBLEMS = problem_folders(Path(__file__).parents[1] / "problems")


def cells(folder: Path) -> list[dict[str, Any]]:
    content = json.loads(notebook(load_problem(folder)))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    assert content["metadata"]["kernelspec"]["language"] == "python"
    return list(content["cells"])


@pytest.mark.parametrize("folder", PROBLEMS, ids=lambda folder: folder.name)
def test_a_notebook_is_valid_in_format_4_5(folder: Path) -> None:
    found = cells(folder)
    ids = [cell["id"] for cell in found]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", one) for one in ids)
    for cell in found:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | code
        assert cell["source"] and all(line.endswith("\n") for line in cell["source"][:-1])
        assert not cell["source"][-1].endswith("\n")


@pytest.mark.parametrize("folder", PROBLEMS, ids=lambda folder: folder.name)
def test_it_has_the_statement_the_starter_and_an_example_and_only_solve_is_graded(folder: Path) -> None:
    problem = load_problem(folder)
    statement, devices, starter, example = ("".join(cell["source"]) for cell in cells(folder))
    assert statement == render(problem).strip("\n")
    assert f'"jax_num_cpu_devices", {problem.spec.devices})' in devices
    assert starter == problem.starter_file.read_text().strip("\n")
    assert example.splitlines()[-1].startswith(f"{problem.spec.entry}(")
    compile(example, "example", "exec")
    graded = source_of(notebook(problem)).decode()
    assert f"def {problem.spec.entry}(" in graded
    assert "jax_num_cpu_devices" not in graded and "jnp.array(" not in graded
