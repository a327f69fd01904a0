"""One's own file, called with an input of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from judge import run_one
from judge.errors import UsageError
from judge.load.problems import load_problem
from judge.load.values import parse_inputs
from judge.model.problem import Problem
from judge.model.submission import Submission
from judge.sandbox.session import Session
from tests.support import tiny_problem as tiny
from tests.support.own_file import INPUTS, called, private_bundle
from tests.support.tiny_problem import SLUG, write_problem


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as one:
        yield one


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    return load_problem(write_problem(tmp_path_factory.mktemp("problems")))


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    return private_bundle(tmp_path_factory.mktemp("private"))


def test_a_call_that_is_right_has_each_output_beside_the_oracles(problem: Problem, session: Session) -> None:
    found = called(problem, session, tiny.PRINTS)
    assert found.faults == () and found.compared
    assert [output.key for output in found.outputs] == ["mean", "rows"]
    mean, rows = found.outputs
    assert mean.described == "float32 (2,), whole on each of 2 devices"
    assert rows.described == "float32 (4,), in 2 parts on 2 devices"
    assert [(one.place, one.yours, one.oracle) for one in mean.elements] == [("mean[0]", 2, 2), ("mean[1]", 3, 3)]
    assert found.stdout == "hello from the student\n"


def test_a_call_that_is_wrong_says_by_how_many_tolerances(problem: Problem, session: Session) -> None:
    found = called(problem, session, tiny.SUMMED)
    assert len(found.faults) == 1 and found.faults[0].startswith("`mean` is 8 at [0], expected 2")
    assert all(one.tolerances > 1 for one in found.outputs[0].elements)
    assert all(one.tolerances <= 1 for one in found.outputs[1].elements)


def test_where_copies_differ_each_device_tells_what_it_holds(problem: Problem, session: Session) -> None:
    found = called(problem, session, tiny.LOCAL)
    assert any("the copies of `mean` differ" in fault for fault in found.faults)
    assert found.outputs[0].copies == (
        ("device 0", "mean[0] = 1, mean[1] = 1.5"),
        ("device 1", "mean[0] = 3, mean[1] = 4.5"),
    )
    assert found.outputs[1].copies == ()


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (tiny.RAISES, "solve raised TypeError"),
        (tiny.BROKEN, "the file could not be loaded: SyntaxError"),
        (tiny.NONE, "solve returned None; return a dict with the keys mean, rows."),
        (tiny.EXITS, "exit"),
        (tiny.RIGHT.replace('"rows":', '"sums":'), "`rows` is missing"),
    ],
)
def test_what_gives_no_outputs_to_compare_says_why(
    problem: Problem, private: Problem, session: Session, source: str, told: str
) -> None:
    for one in (problem, private):
        found = called(one, session, source, {**INPUTS, "scale": 0.75})
        assert any(told in fault for fault in found.faults), found.faults


def test_more_elements_than_can_be_read_are_cut_and_the_worst_are_kept(problem: Problem, session: Session) -> None:
    x = np.zeros((40, 1))
    x[33] = 1e4
    source = tiny.RIGHT.replace('"rows": rows', '"rows": rows.at[33].add(1.0)')
    found = called(problem, session, source, {"x": x.tolist(), "scale": 1.0})
    rows = found.outputs[1]
    assert len(rows.elements) == run_one.MOST_ELEMENTS and rows.more == 40 - run_one.MOST_ELEMENTS
    (wrong,) = [one for one in rows.elements if one.tolerances > 1]
    assert wrong.place == "rows[33]"


def test_without_an_oracle_values_are_shown_and_the_rest_is_checked(private: Problem, session: Session) -> None:
    found = called(private, session, tiny.RIGHT, {**INPUTS, "scale": 0.75})
    assert found.faults == () and not found.compared
    assert [one.oracle for one in found.outputs[0].elements] == [None, None]
    assert called(private, session, tiny.RIGHT).compared, "an example's answer is known"
    assert any("copies" in fault for fault in called(private, session, tiny.LOCAL, {**INPUTS, "scale": 0.75}).faults)


def test_inputs_that_the_oracle_has_no_answer_to_are_the_students_to_change(problem: Problem, session: Session) -> None:
    with pytest.raises(UsageError, match=r"the oracle has no answer to these inputs: .* is not finite .*; try others"):
        called(problem, session, tiny.RIGHT, {"x": [[3e38, 0], [3e38, 0]], "scale": 1e300})


def test_a_file_that_cannot_be_a_submission_is_a_usage_error(problem: Problem, session: Session) -> None:
    unusable = Submission("own", SLUG, Path("a.py"), b"", "0" * 64, fault="the file is empty.")
    values, _ = parse_inputs(problem.spec, INPUTS)
    with pytest.raises(UsageError, match=r"a\.py: the file is empty"):
        run_one.run(problem, unusable, values, session, lambda *_: None, command="run")
