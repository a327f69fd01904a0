"""One's own file on the tiny problem: what is checked and called, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judge import check_one, run_one
from judge.authoring import handout
from judge.load.problems import load_problem
from judge.load.values import parse_inputs
from judge.model.comparison import Comparison
from judge.model.problem import Problem
from judge.model.submission import Submission
from judge.sandbox.session import Session
from tests.support import tiny_problem as tiny
from tests.support.tiny_problem import SLUG, write_problem

INPUTS = {"x": [[1, 2], [3, 4], [5, 6], [7, 12]], "scale": 0.5}


def private_bundle(root: Path) -> Problem:
    """What students get of the tiny problem where its oracle is private."""
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
