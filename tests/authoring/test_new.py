from __future__ import annotations

from pathlib import Path

import pytest

from judge.authoring.new import new_problem
from judge.errors import UsageError
from judge.load.problems import load_problem
from judge.load.statement import render


def test_a_new_problem_loads_and_is_named_after_its_slug(tmp_path: Path) -> None:
    folder = new_problem(tmp_path / "problems", "ring-reduce")
    problem = load_problem(folder)
    assert (problem.slug, problem.spec.title, problem.spec.devices) == ("ring-reduce", "Ring reduce", 4)
    assert render(problem).startswith("# Ring reduce\n")
    assert {file.suffix for file in folder.rglob("*") if file.is_file()} == {".py", ".md", ".yaml"}
    assert [one.name for one in (tmp_path / "problems").iterdir()] == ["ring-reduce"]


@pytest.mark.parametrize("slug", ["", "Ring", "ring_reduce", "ring--reduce", "../ring", "8-rings", "ring/reduce"])
def test_what_is_no_slug_makes_no_folder(tmp_path: Path, slug: str) -> None:
    with pytest.raises(UsageError, match="is no slug; use small letters"):
        new_problem(tmp_path, slug)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "ring").mkdir()
    with pytest.raises(UsageError, match="exists and is left as it is"):
        new_problem(tmp_path, "ring")
    assert list((tmp_path / "ring").iterdir()) == []


def test_a_place_that_is_a_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        new_problem(tmp_path / "taken", "ring")
