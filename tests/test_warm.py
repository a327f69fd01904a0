"""`judge.warm`: what a problem's solutions compile is kept, and grading a class uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge import warm as warming
from judge.bank import draw_bank
from judge.load.problems import load_problem
from judge.model.case import Bank
from judge.model.problem import Problem
from judge.oracle.client import Oracle
from judge.sandbox import executables
from judge.sandbox.settings import SandboxSettings
from judge.warm import place, warm, warmed
from tests.support import tiny_problem


@pytest.fixture
def problem(tmp_path: Path) -> tuple[Problem, Bank]:
    loaded = load_problem(tiny_problem.write_problem(tmp_path / "problems"))
    with Oracle(loaded) as oracle:
        return loaded, draw_bank(loaded, 1, oracle)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_the_accepted_solutions_compile_is_kept(problem: tuple[Problem, Bank], cache: Path) -> None:
    kept = warm(*problem, SandboxSettings())
    assert kept is not None and kept.parent == cache
    assert executables.read(kept)


def test_a_large_class_is_worth_the_run_and_a_small_one_is_not(
    problem: tuple[Problem, Bank], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "WORTH", 3)
    assert warmed([(*problem, 2)], SandboxSettings()) == ()
    (made,) = warmed([(*problem, 3)], SandboxSettings())
    # Once it is there, everybody uses it.
    assert warmed([(*problem, 1)], SandboxSettings()) == (made,)


def test_another_problem_another_processor_or_other_flags_have_a_file_of_their_own(
    problem: tuple[Problem, Bank], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = place(problem[0], SandboxSettings())
    assert one != place(problem[0], SandboxSettings(flags=()))
    monkeypatch.setattr(executables, "processor", lambda: "another")
    assert one != place(problem[0], SandboxSettings())


def test_a_cache_that_cannot_be_written_stops_nothing(
    problem: tuple[Problem, Bank], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "WORTH", 1)
    cache.write_text("in the way")
    assert warmed([(*problem, 5)], SandboxSettings()) == ()


def test_without_a_cache_nothing_is_kept(problem: tuple[Problem, Bank], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_CACHE", "")
    assert warm(*problem, SandboxSettings()) is None
    assert warmed([(*problem, 100)], SandboxSettings()) == ()
