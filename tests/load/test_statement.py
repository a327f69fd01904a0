"""Statements with their examples, and the schema that editors read."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from judge.load.problems import load_problem
from judge.load.schema import keys_at, problem_schema
from judge.load.statement import PLACE, render
from tests.support import ROOT
from tests.support.tiny_problem import write_problem


def test_every_visible_case_is_an_example_and_no_hidden_one_is(tmp_path: Path) -> None:
    text = render(load_problem(write_problem(tmp_path)))
    assert PLACE not in text
    assert text.count("**Example ") == 2
    assert "x = [[1, 2], [3, 4], [5, 6], [7, 12]]" in text and "mean = [2, 3]" in text
    assert "The means of the columns are 4 and 6." in text
    assert "-5.5" not in text and "zero-scale" not in text


def test_a_statement_that_leaves_no_place_gets_its_examples_at_the_end(tmp_path: Path) -> None:
    folder = write_problem(tmp_path)
    (folder / "statement.md").write_text("# Title\n\nText.\n")
    text = render(load_problem(folder))
    assert text.startswith("# Title\n\nText.\n\n## Examples\n\n**Example 1**")


def test_what_stands_in_a_block_of_an_example_is_python(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", render(load_problem(write_problem(tmp_path))), re.DOTALL)
    assert blocks
    for block in blocks:
        compile(block, "example", "exec")


@pytest.mark.parametrize("path", sorted((ROOT / "problems").glob("*/problem.yaml")), ids=lambda path: path.parent.name)
def test_every_problem_fits_the_schema(path: Path) -> None:
    jsonschema.validate(YAML(typ="safe").load(path), problem_schema())


def test_the_schema_refuses_an_unknown_key(tmp_path: Path) -> None:
    content = YAML(typ="safe").load(write_problem(tmp_path) / "problem.yaml")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**content, "devcies": 2}, problem_schema())


def test_the_keys_of_a_place_are_those_of_its_model() -> None:
    assert {"title", "devices", "dims"} <= set(keys_at(()))
    assert keys_at(("dims", "N")) == ["doc", "max", "min", "multiple_of"]
    assert {"dims", "values"} == set(keys_at(("fuzz", "shapes", 0)))
    assert "split" in keys_at(("outputs", "w", "placement"))
