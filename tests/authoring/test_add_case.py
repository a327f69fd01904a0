from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judge.authoring.add_case import add_case
from judge.authoring.new import new_problem
from judge.errors import FaultyFile, UsageError
from judge.load.problems import load_problem

INPUTS = {"x": [[0.5, 1.5], [2.0, -1.0], [4.0, 0.25], [1.0, 0.1]]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_problem(tmp_path, "row-mean")


def given(folder: Path, inputs: Any) -> Path:
    file = folder.parent / "case.json"
    file.write_text(inputs if isinstance(inputs, str) else json.dumps(inputs))
    return file


def added(
    folder: Path, inputs: Any = INPUTS, name: str = "mine", *, visible: bool = False, category: str = "Mine."
) -> str:
    return add_case(load_problem(folder), given(folder, inputs), name=name, visible=visible, category=category)


def test_the_case_stands_at_the_end_of_the_cases_with_the_oracles_values(folder: Path) -> None:
    said = added(folder, category='A "quoted": category')
    case = load_problem(folder).spec.cases[-1]
    assert (case.name, case.visible, case.category) == ("mine", False, 'A "quoted": category')
    assert case.inputs == INPUTS
    assert case.outputs == {"mean": [1.875, 0.2125]}
    assert said.startswith(f"added case mine to {folder / 'problem.yaml'}; it kills 4 of the mistakes")


def test_every_other_byte_stays_as_it_was(folder: Path) -> None:
    file = folder / "problem.yaml"
    before = file.read_bytes()
    added(folder)
    after = file.read_bytes()
    start = next(i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    length = len(after) - len(before)
    # The new text may share bytes with its surroundings, so the cut is looked for around the first difference.
    assert any(after[:i] + after[i + length :] == before for i in range(max(0, start - length), start + 1))
    assert b"# One row a device hides much" in after


def test_line_ends_of_windows_are_kept(folder: Path) -> None:
    file = folder / "problem.yaml"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    added(folder)
    content = file.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n")
    assert load_problem(folder).spec.cases[-1].name == "mine"


def test_cases_may_be_the_last_key_and_need_no_newline_at_the_end(folder: Path) -> None:
    file = folder / "problem.yaml"
    text = file.read_text()
    cases, rest = text.index("cases:\n"), text.index("fuzz:\n")
    file.write_text((text[:cases] + text[rest:] + text[cases:rest]).rstrip())
    added(folder)
    problem = load_problem(folder)
    assert [case.name for case in problem.spec.cases] == ["one-row-a-device", "two-columns", "mine"]


def test_comments_before_the_next_key_stay_with_it(folder: Path) -> None:
    file = folder / "problem.yaml"
    file.write_text(file.read_text().replace("fuzz:\n", "# What is drawn.\nfuzz:\n"))
    added(folder)
    assert "\n# What is drawn.\nfuzz:\n" in file.read_text()
    assert file.read_text().index("name: mine") < file.read_text().index("# What is drawn.")


def test_large_and_small_numbers_are_printed_so_that_the_oracle_agrees(folder: Path) -> None:
    added(folder, {"x": [[1e-9, 1e12, 1 / 3]] * 4}, "scales")
    added(folder, {"x": [[2e-9, 1e-8, 3e-7]] * 8}, "tiny")
    scales, tiny = load_problem(folder).spec.cases[-2:]
    assert scales.outputs["mean"][1:] == [pytest.approx(1e12, rel=1e-6), 0.333333]
    assert tiny.outputs["mean"] == pytest.approx([2e-9, 1e-8, 3e-7], rel=1e-3)


def test_a_long_input_is_broken_into_lines(folder: Path) -> None:
    added(folder, {"x": [[i / 7, -i, 0.5] for i in range(40)]})
    assert max(map(len, (folder / "problem.yaml").read_text().splitlines())) <= 120
    assert len(load_problem(folder).spec.cases[-1].inputs["x"]) == 40  # type: ignore[index]  # it has inputs


def test_a_visible_case_needs_no_category(folder: Path) -> None:
    added(folder, visible=True, category="")
    assert load_problem(folder).spec.cases[-1].visible


def test_the_same_inputs_are_not_added_twice(folder: Path) -> None:
    added(folder)
    before = (folder / "problem.yaml").read_bytes()
    with pytest.raises(UsageError, match="case mine has these inputs already; nothing was added"):
        added(folder, name="again")
    assert (folder / "problem.yaml").read_bytes() == before


def test_a_case_that_kills_what_another_kills_says_so(folder: Path) -> None:
    assert added(folder).endswith("it kills 4 of the mistakes, as case one-row-a-device does already")


def test_a_case_that_kills_a_mistake_for_the_first_time_says_which(folder: Path) -> None:
    (folder / "mistakes.py").write_text(
        'import numpy as np\n\n\ndef negative_as_zero(x):\n    """You drop what is below zero."""\n'
        '    return {"mean": np.maximum(np.mean(x, axis=0), 0.0)}\n'
    )
    said = added(folder, {"x": [[-1.0]] * 4})
    assert said.endswith("it kills 1 of the mistakes, which no pinned case did before: negative-as-zero")


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ("{", "it is not JSON"),
        ("[1]", "it holds no object"),
        ({}, "`x` is missing"),
        ({"x": [[1.0]] * 4, "z": 1}, "`z` is not an input"),
        ({"x": [[1.0]] * 3}, "N is 3"),
        ({"x": [[1.0], [1.0, 2.0]]}, "different lengths"),
        ('{"x": [[NaN], [1.0], [1.0], [1.0]]}', "nan or inf"),
    ],
)
def test_inputs_that_do_not_fit_are_named_with_the_file(folder: Path, inputs: Any, said: str) -> None:
    before = (folder / "problem.yaml").read_bytes()
    with pytest.raises(UsageError) as refused:
        added(folder, inputs)
    assert said in str(refused.value)
    assert str(folder.parent / "case.json") in str(refused.value)
    assert (folder / "problem.yaml").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "visible", "category", "said"),
    [
        ("Mine!", True, "", "is no name of a case"),
        ("two-columns", True, "", "has a case two-columns already"),
        ("mine", False, " ", "a hidden case needs a category"),
    ],
)
def test_names_and_categories_are_checked_first(
    folder: Path, name: str, visible: bool, category: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        added(folder, name=name, visible=visible, category=category)


def test_a_problem_that_would_not_load_with_the_case_is_as_before(folder: Path) -> None:
    # Eight shapes are allowed; four are fuzzed, and these make the others.
    for number in range(1, 5):
        added(folder, {"x": [[0.5] * (10 + number)] * 4}, f"shape-{number}")
    before = (folder / "problem.yaml").read_bytes()
    with pytest.raises(FaultyFile, match="shapes"):
        added(folder, {"x": [[0.5] * 30] * 4}, "one-too-many")
    assert (folder / "problem.yaml").read_bytes() == before
    assert sorted(one.name for one in folder.iterdir() if one.name.startswith(".")) == []


def test_cases_in_brackets_are_refused_with_their_line(folder: Path) -> None:
    file = folder / "problem.yaml"
    text = file.read_text()
    cases, rest = text.index("cases:\n"), text.index("fuzz:\n")
    one = "cases: [{name: a, visible: true, inputs: {x: [[1.0], [1.0], [1.0], [1.0]]}, outputs: {mean: [1.0]}}]\n"
    file.write_text((text[:cases] + one + text[rest:]).replace("hidden: 30", "hidden: 0"))
    line = text[:cases].count("\n") + 1
    with pytest.raises(UsageError, match=f"problem.yaml:{line}: `cases` is written in brackets"):
        added(folder)
