"""One's own file: checked on fresh cases, called with an input of one's own, confined or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge import check_one, run_one
from judge.authoring import handout
from judge.errors import UsageError
from judge.load.problems import load_problem
from judge.load.values import parse_inputs
from judge.model.comparison import Comparison
from judge.model.problem import Problem
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings
from tests.support import tiny_problem as tiny
from tests.support.tiny_problem import SLUG, write_problem

OFF = SandboxSettings(landlock=False, seccomp=False, bubblewrap=False, drop_root=False, unsafe=True)
INPUTS = {"x": [[1, 2], [3, 4], [5, 6], [7, 12]], "scale": 0.5}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as one:
        yield one


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    return load_problem(write_problem(tmp_path_factory.mktemp("problems")))


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    """What students get of the tiny problem where its oracle is private."""
    root = tmp_path_factory.mktemp("private")
    folder = write_problem(root / "graders")
    (folder / "problem.yaml").write_text(tiny.PROBLEM.replace("devices: 2", "devices: 2\noracle: private", 1))
    handout.write(handout.files(load_problem(folder)), root / "students")
    return load_problem(root / "students" / "problems" / SLUG)


def submission(source: str) -> Submission:
    return Submission("own", SLUG, Path(f"{SLUG}.py"), source.encode(), "0" * 64)


def checked(problem: Problem, session: Session, source: str) -> tuple[check_one.Checked, list[tuple[str, str]]]:
    told: list[tuple[str, str]] = []

    def progress(stage: str, text: str) -> None:
        told.append((stage, text))

    with check_one.desk(problem, session, 3, progress, command=f"check {SLUG}.py") as check:
        return check(submission(source)), told


def called(problem: Problem, session: Session, source: str, inputs: dict[str, Any] = INPUTS) -> Comparison:
    values, unfit = parse_inputs(problem.spec, inputs)
    assert unfit == []
    return run_one.run(problem, submission(source), values, session, lambda *_: None, command="run")


def test_each_example_is_told_before_the_rest_and_the_first_before_all(problem: Problem, session: Session) -> None:
    found, told = checked(problem, session, tiny.RIGHT)
    assert told == [("example 1", "right"), ("example 2", "right")]
    assert found.record.verdict is Verdict.ACCEPTED and found.seed == 3
    assert found.shown is not None and found.shown.actual["mean"] == [2.0, 3.0]


def test_an_example_that_is_wrong_is_told_with_its_numbers(problem: Problem, session: Session) -> None:
    found, told = checked(problem, session, tiny.SUMMED)
    assert told[0][0] == "example 1" and told[0][1].startswith("wrong_answer: `mean` is 8 at [0], expected 2")
    assert found.shown == found.record.counterexample is not None


def test_a_desk_checks_again_on_the_same_cases(problem: Problem, session: Session) -> None:
    with check_one.desk(problem, session, 5, lambda *_: None, command="check") as check:
        first, wrong, again = (check(submission(one)).record for one in (tiny.RIGHT, tiny.SUMMED, tiny.RIGHT))
    assert (first.verdict, wrong.verdict) == (Verdict.ACCEPTED, Verdict.WRONG_ANSWER)
    assert first.cases == again.cases


def test_where_nothing_confines_it_says_so_first_and_goes_on(problem: Problem) -> None:
    with Session(OFF) as session:
        found, told = checked(problem, session, tiny.RIGHT)
    assert found.record.verdict is Verdict.ACCEPTED
    assert told[0][0] == "note" and "nothing confines it here" in told[0][1]
    assert told[0][1].endswith(f"jax-judge check {SLUG}.py")
    assert told[1] == ("example 1", "right")


@pytest.mark.parametrize("name", ["right", "summed", "gathered", "remembers"])
def test_a_bundle_gives_the_verdicts_of_the_whole_problem(
    tmp_path: Path, problem: Problem, session: Session, name: str
) -> None:
    handout.write(handout.files(problem), tmp_path)
    bundle = load_problem(tmp_path / "problems" / SLUG)
    source, verdict = tiny.VERDICTS[name]
    found, _ = checked(bundle, session, source)
    assert found.record.verdict.value == verdict
    assert {group.name for group in found.record.groups} == {"examples", "fuzzed", "placement", "structure"}


@pytest.mark.parametrize("name", ["right", "local", "gathered", "raises"])
def test_without_an_oracle_examples_structure_and_relations_are_checked(
    private: Problem, session: Session, name: str
) -> None:
    found, told = checked(private, session, tiny.VERDICTS[name][0])
    assert found.record.verdict.value == tiny.VERDICTS[name][1]
    assert {group.name for group in found.record.groups} == {"examples", "placement", "structure"}
    assert name != "right" or told == [("example 1", "right"), ("example 2", "right")]


#: Right on the examples, which it knows by heart: no row of any device changes anything.
BY_HEART = """
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))


def solve(x, scale):
    first = x.shape == (4, 2)
    mean = jnp.array([2.0, 3.0] if first else [5.0])
    rows = jnp.array([1.5, 3.5, 5.5, 9.5] if first else [2.0, 8.0])

    def body(x, mean, rows):
        return lax.pmean(mean + 0 * x[0], "i"), rows + 0 * x[:, 0]

    f = jax.shard_map(body, mesh=mesh, in_specs=(P("i"), P(), P("i")), out_specs=(P(), P("i")))
    mean, rows = jax.jit(f)(x, mean, rows)
    return {"mean": mean, "rows": rows}
"""


def test_without_an_oracle_a_broken_relation_is_still_a_wrong_answer(private: Problem, session: Session) -> None:
    found, told = checked(private, session, BY_HEART)
    assert told == [("example 1", "right"), ("example 2", "right")]
    assert found.record.verdict is Verdict.WRONG_ANSWER
    assert (
        "On a fresh case with" in found.record.reason and "does not depend on the rows of device" in found.record.reason
    )
    assert found.record.counterexample is not None and found.record.counterexample.expected == {}


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


def finding(file: Path, slug: str | None = None) -> Submission:
    return check_one.find(file, [SLUG, "other-step"], slug, lambda slug: "solve")


def test_a_file_is_found_by_its_name_its_folder_or_what_is_said(tmp_path: Path) -> None:
    (tmp_path / "Row_Means").mkdir()
    for place in (tmp_path / "row_means.py", tmp_path / "Row_Means" / "mine.py"):
        place.write_text(tiny.RIGHT)
        assert finding(place).problem == SLUG
    other = tmp_path / "mine.py"
    other.write_text(tiny.RIGHT)
    assert finding(other, "Other_Step").problem == "other-step"


@pytest.mark.parametrize(
    ("name", "slug", "told"),
    [
        ("nowhere.py", None, r"nowhere\.py: there is no such file$"),
        ("folder", None, r"folder is a folder; name the file in it that is to be run$"),
        ("mine.py", None, r"say which it is for with --problem \(row-means, other-step\)$"),
        ("mine.py", "means", r"there is no problem 'means'; did you mean row-means\?$"),
        ("mine.py", "zzz", r"there is no problem 'zzz'; there are: other-step, row-means$"),
        ("row-means.py", "other-step", r"this is for row-means, and --problem says other-step"),
    ],
)
def test_a_file_that_is_not_found_is_told_in_one_sentence(
    tmp_path: Path, name: str, slug: str | None, told: str
) -> None:
    (tmp_path / "folder").mkdir()
    for one in ("mine.py", "row-means.py"):
        (tmp_path / one).write_text(tiny.RIGHT)
    with pytest.raises(UsageError, match=told):
        finding(tmp_path / name, slug)


def test_a_function_that_is_defined_again_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "row-means.py"
    file.write_text("def solve(x, scale):\n    return 1\n\n\ndef solve(x, scale):\n    return 2\n")
    assert finding(file).notes == ("solve is defined in lines 1, 5; the last one counts",)
    file.write_text("def solve(x")
    assert finding(file).notes == ()
