"""One's own file, checked on fresh cases, confined or not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge import check_one
from judge.authoring import handout
from judge.bank import coming, draw_bank
from judge.errors import UsageError
from judge.load.problems import load_problem
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.model.submission import Submission
from judge.model.verdict import Verdict
from judge.sandbox.session import Session
from judge.sandbox.settings import SandboxSettings
from tests.support import tiny_problem as tiny
from tests.support.own_file import checked, private_bundle, submission
from tests.support.tiny_problem import SLUG, write_problem

OFF = SandboxSettings(landlock=False, seccomp=False, bubblewrap=False, drop_root=False, unsafe=True)


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


def test_each_example_is_told_before_the_rest_and_the_first_before_all(problem: Problem, session: Session) -> None:
    found, told = checked(problem, session, tiny.RIGHT)
    assert told == [("example 1", "right"), ("example 2", "right")]
    assert found.record.verdict is Verdict.ACCEPTED and found.seed == 3
    assert found.shown is not None and found.shown.actual["mean"] == [2.0, 3.0]


def test_the_first_example_is_told_before_the_cases_are_drawn(
    problem: Problem, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = threading.Event()
    in_time: list[bool] = []

    def draw(*arguments: Any) -> Bank:
        in_time.append(told.wait(timeout=300))
        return draw_bank(*arguments)

    monkeypatch.setattr(coming, "draw_bank", draw)
    with check_one.desk(problem, session, 3, lambda *_: told.set(), command="check") as check:
        assert check(submission(tiny.RIGHT)).record.verdict is Verdict.ACCEPTED
    assert in_time == [True]


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
