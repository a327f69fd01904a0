"""A spec as text is the same spec when it is read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.load.document import parse_document
from judge.load.problems import load_problem, problem_folders
from judge.load.writing import problem_yaml
from judge.model.problem import Spec
from tests.support.authored import MASKED_SPEC

PROBLEMS = problem_folders(Path(__file__).parents[2] / "problems")


def read(text: str) -> Spec:
    document, faults = parse_document(Path("problem.yaml"), text)
    assert document is not None and faults == []
    inputs = {name: {"type": "array", **one} for name, one in document.data["inputs"].items()}
    return Spec.model_validate({**document.data, "inputs": inputs})


@pytest.mark.parametrize("folder", PROBLEMS, ids=lambda folder: folder.name)
def test_every_problem_survives_being_written_and_read(folder: Path) -> None:
    spec = load_problem(folder).spec
    assert read(problem_yaml(spec, head="by hand")) == spec


def test_masks_tuples_and_words_that_look_like_something_else_survive_too() -> None:
    spec = Spec.model_validate({**MASKED_SPEC, "title": "yes: 1e3 # no", "summary": "null"})
    text = problem_yaml(spec, head="what it is")
    assert text.startswith("# what it is\n")
    assert read(text) == spec


def test_problems_were_found() -> None:
    assert len(PROBLEMS) >= 6
