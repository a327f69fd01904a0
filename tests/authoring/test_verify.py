"""Whole verifications, with real runs of the solutions of a small problem."""

from __future__ import annotations

from pathlib import Path

from judge.authoring.new import new_problem
from judge.authoring.verify import verify, verify_problems
from judge.load.problems import load_problem
from judge.model.verification import Verification
from tests.support.inside import SETTINGS


def verified(folder: Path) -> Verification:
    return verify(load_problem(folder), settings=SETTINGS, seed=7)


def test_a_new_problem_verifies_and_shows_all_that_was_looked_at(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    (one,) = verify_problems(
        [new_problem(tmp_path, "row-mean")],
        settings=SETTINGS,
        seed=7,
        minimal=True,
        jobs=2,
        watch=lambda done, total, name: told.append((done, total, name)),
    )
    assert one.faults == ()
    assert all(row.fine for row in one.rows)
    assert {row.section for row in one.rows} == {"oracle", "checks", "relations", "mistakes", "solutions", "limits"}
    assert one.recognised == (1, 1)
    assert one.minimal == ("example-1",)
    assert [done for done, _, _ in told] == [1, 2, 3, 4]
    assert told[0] == (1, 4, "row-mean")


def test_solutions_that_are_not_what_they_say_are_faults(tmp_path: Path) -> None:
    folder = new_problem(tmp_path, "row-mean")
    solutions = folder / "solutions"
    right = (solutions / "accepted" / "mean_of_means.py").read_text()
    wrong = (solutions / "wrong_answer" / "psum_of_means.py").read_text()
    (solutions / "accepted" / "not_right.py").write_text(wrong)
    (solutions / "wrong_answer" / "misnamed.py").write_text(wrong.replace("shard-means-summed", "divided-twice"))
    (solutions / "wrong_answer" / "unknown_name.py").write_text(wrong.replace("shard-means-summed", "no-such-thing"))
    (solutions / "accepted" / "rough.py").write_text(rough(right))
    (solutions / "accepted" / "rough_on_purpose.py").write_text("# rounds: true\n" + rough(right))
    (solutions / "nonsense").mkdir()
    one = verified(folder)
    faults = {place: [fault for fault in one.faults if place in fault] for place in FAULTS}
    assert {place: len(found) for place, found in faults.items()} == dict.fromkeys(FAULTS, 1)
    for place, said in FAULTS.items():
        assert said in faults[place][0]
    assert len(one.faults) == len(FAULTS)


#: Where a fault is, and what it says.
FAULTS = {
    "solutions/nonsense": "there is no such verdict",
    "accepted/not_right.py": "it is wrong_answer, not accepted",
    "misnamed.py": "says that it makes `divided-twice` and is recognised as `shard-means-summed`",
    "unknown_name.py": "there is no mistake `no-such-thing`",
    "rough.py": "of `safety * unit`",
    "mistakes.py: 1 of 3": "are recognised as the mistake they name",
}


def rough(source: str) -> str:
    """Off by half of what the tolerance of numbers near 10000 allows, and by nothing elsewhere."""
    return source.replace("(x)}", "(x) * (1 + 6e-7)}")


def test_a_problem_without_solutions_is_faulty(tmp_path: Path) -> None:
    folder = new_problem(tmp_path, "row-mean")
    for file in (folder / "solutions").rglob("*.py"):
        file.unlink()
    one = verified(folder)
    assert [fault.partition(": ")[2].partition(";")[0] for fault in one.faults] == [
        "no solution is accepted",
        "no solution is rejected",
    ]


def test_limits_that_leave_an_accepted_solution_no_room_are_a_fault(tmp_path: Path) -> None:
    folder = new_problem(tmp_path, "row-mean")
    file = folder / "problem.yaml"
    # The first call compiles, which takes a tenth of a second at least.
    file.write_text(file.read_text().replace("first_call_s: 15.0", "first_call_s: 0.02"))
    for name in ("wrong_answer", "wrong_structure"):
        for solution in (folder / "solutions" / name).iterdir():
            solution.unlink()
    one = verified(folder)
    assert [fault for fault in one.faults if "limits.first_call_s is 0.02" in fault or "it is time_limit" in fault]


def test_problems_that_do_not_load_or_whose_oracle_fails_keep_their_place(tmp_path: Path) -> None:
    broken, failing = new_problem(tmp_path, "broken"), new_problem(tmp_path, "failing")
    (broken / "problem.yaml").write_text("title: [\n")
    (failing / "oracle.py").write_text('def solve(x):\n    return {"mean": x[0] * float("nan")}\n')
    first, second = verify_problems([failing, broken], settings=SETTINGS, seed=7, jobs=1)
    assert (first.slug, second.slug) == ("failing", "broken")
    assert "oracle.py" in first.faults[0]
    assert "problem.yaml" in second.faults[0]
    assert second.rows == ()
