"""What is said of solutions that were graded, without grading any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from judge.authoring import solutions
from judge.authoring.junk import right_answer
from judge.authoring.new import new_problem
from judge.authoring.solutions import Solution, Tried
from judge.errors import JudgeFault
from judge.grade import ungraded
from judge.load.problems import load_problem
from judge.model.case import Case, Signature
from judge.model.problem import Problem
from judge.model.verdict import Verdict

QUICK = {"load_s": 0.1, "first_call_s": 0.1, "call_s": 0.1}


@pytest.fixture
def problem(tmp_path: Path) -> Problem:
    return load_problem(new_problem(tmp_path, "row-mean"))


def tried(
    problem: Problem,
    name: str = "accepted/mean_of_means.py",
    verdict: Verdict | None = None,
    mistake: str | None = None,
    part: float = 0.0,
    seconds: Mapping[str, float] = QUICK,
) -> Tried:
    one = next(one for one in solutions.find(problem)[0] if one.name == name)
    record = replace(ungraded(one.submission, 100.0, "why"), verdict=verdict or one.wanted, mistake=mistake)
    return Tried(one, record, (part, "fuzz-001"), seconds)


def faults(problem: Problem, *several: Tried) -> list[str]:
    return solutions.judge(problem, several, ["shard-means-summed", "divided-twice"])[1]


def test_the_first_comments_of_a_solution_are_read_and_no_later_ones(problem: Problem) -> None:
    folder = problem.folder / "solutions" / "accepted"
    (folder / "both.py").write_text("# mistake: one-thing\n# rounds: true\nimport jax\n# mistake: another\n")
    (folder / "late.py").write_text('"""Text."""\n# rounds: true\n')
    found = {one.submission.file.name: one for one in solutions.find(problem)[0]}
    assert (found["both.py"].mistake, found["both.py"].rounds) == ("one-thing", True)
    assert not found["late.py"].rounds


def test_a_limit_of_three_times_the_need_is_enough_and_less_is_a_fault(problem: Problem) -> None:
    assert faults(problem, tried(problem, seconds={**QUICK, "first_call_s": 5.0})) == []
    (fault,) = faults(problem, tried(problem, seconds={**QUICK, "first_call_s": 5.1}))
    assert "limits.first_call_s is 15 and mean_of_means.py needs 5.1 s; allow at least 15" in fault


def test_a_fifth_of_the_room_is_honest_and_more_is_a_fault_unless_it_rounds(problem: Problem) -> None:
    assert faults(problem, tried(problem, part=0.2)) == []
    rough = tried(problem, part=0.21)
    (fault,) = faults(problem, rough)
    assert "uses 21% of `safety * unit` on fuzz-001" in fault
    assert faults(problem, replace(rough, solution=replace(rough.solution, rounds=True))) == []


@pytest.mark.parametrize(("error", "part"), [(0.001, 0.0), (0.011, 0.5), (0.021, 1.0), (np.nan, np.inf)])
def test_the_part_is_that_of_what_lies_beyond_atol(problem: Problem, error: float, part: float) -> None:
    spec = problem.spec.model_copy(update={"tolerance": problem.spec.tolerance.model_copy(update={"atol": 0.001})})
    expected, signature = np.array([1.0]), Signature((("N", 4), ("D", 1)))
    case = Case("one", "hidden", "", signature, {}, {"mean": expected}, {"mean": np.array([0.021])})
    answer = right_answer(spec, {"mean": expected + error})
    assert solutions._part(spec, case, answer)[0] == pytest.approx(part, abs=1e-5)


def test_four_in_five_wrong_solutions_must_be_recognised(problem: Problem) -> None:
    name = "wrong_answer/psum_of_means.py"
    known, unknown = tried(problem, name, mistake="shard-means-summed"), tried(problem, name)
    assert solutions.recognised([known, known, unknown]) == (3, 2)
    assert faults(problem, *[known] * 4, unknown) == []
    (fault,) = faults(problem, *[known] * 3, unknown)
    assert "3 of 4 wrong solutions are recognised" in fault


def test_a_solution_that_the_judge_could_not_grade_is_a_fault_of_the_judge(problem: Problem) -> None:
    with pytest.raises(JudgeFault, match="Why"):
        faults(problem, tried(problem, verdict=Verdict.UNGRADED))


def test_solutions_keep_the_name_of_their_folder(problem: Problem) -> None:
    found: list[Solution] = solutions.find(problem)[0]
    assert [one.name for one in found] == [
        "accepted/mean_of_means.py",
        "wrong_answer/psum_of_means.py",
        "wrong_structure/left_to_the_partitioner.py",
    ]
