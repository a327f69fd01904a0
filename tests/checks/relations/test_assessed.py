"""A relation that a program breaks, in a whole assessment."""

from __future__ import annotations

from pathlib import Path

from judge.assess import Context, assess
from judge.bank import draw_bank
from judge.load.problems import load_problem
from judge.load.submissions import find_submissions
from judge.model.verdict import Verdict
from judge.oracle.client import Oracle
from judge.sandbox.session import Session
from tests.support import tiny_problem as tiny

SHORT = '    return {"mean": out["mean"][:1], "rows": out["rows"]}\n'


def test_a_program_of_the_wrong_shape_gets_that_verdict_and_no_fault_of_the_judge(tmp_path: Path) -> None:
    folder = tiny.write_problem(tmp_path / "problems")
    file = tmp_path / "ada" / f"{tiny.SLUG}.py"
    file.parent.mkdir()
    cut = tiny.RIGHT.replace("def solve(x, scale):", "def whole(x, scale):")
    file.write_text(f"{cut}\n\ndef solve(x, scale):\n    out = whole(x, scale)\n{SHORT}")
    problem = load_problem(folder)
    (submission,) = find_submissions([tmp_path / "ada"], [tiny.SLUG], problem=None).submissions
    with Oracle(problem) as oracle, Session() as session:
        record = assess(Context(problem, draw_bank(problem, 3, oracle), oracle, session), submission)
    assert record.verdict is Verdict.WRONG_SHAPE
