"""Two gradings side by side: which submissions differ, why, and how that is shown."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from judge.compare import changes
from judge.model.record import Credit, Record
from judge.model.verdict import Verdict
from judge.reports import comparison
from tests.support.records import ACCEPTED, UNGRADED, WRONG

SAME = ({"jax": "0.10.2"}, {"jax": "0.10.2"})


def why(old: Record | None, new: Record | None, versions: tuple[dict[str, str], dict[str, str]] = SAME) -> str:
    (change,) = changes([old] if old else [], [new] if new else [], versions)
    return change.why


def test_what_comes_out_the_same_is_no_change() -> None:
    slower = replace(WRONG, seconds={"live": 9.0}, usage={}, key="other", reason="in other words")
    assert changes([ACCEPTED, WRONG], [slower, ACCEPTED], SAME) == []


def test_each_change_says_what_is_not_as_it_was() -> None:
    other = replace(WRONG, key="other", score=20.0)
    assert why(WRONG, other) == "the problem or its cases changed"
    moved = ({"jax": "0.10.1", "numpy": "2"}, {"jax": "0.10.2", "numpy": "2"})
    assert why(WRONG, other, moved) == "jax changed, and the problem or its cases may have"
    assert why(WRONG, replace(other, sha256="cd" * 32)) == "another file was handed in"
    assert why(WRONG, replace(WRONG, credit=Credit(1.0, 2.0))) == "the course decides otherwise"
    assert why(replace(UNGRADED, key=""), replace(UNGRADED, key="", verdict=Verdict.EXITED, score=0.0)) == (
        "one of the two was not graded"
    )
    assert why(None, WRONG) == "it was not there before"
    assert why(WRONG, None) == "it is not there any more"


def shown(*pair: Record) -> str:
    file = io.StringIO()
    console = Console(file=file, soft_wrap=True, width=200)
    old, new = pair
    comparison.show(console, changes([old], [new], SAME), total=1)
    return file.getvalue()


def test_a_change_shows_both_verdicts_scores_reasons_and_mistakes() -> None:
    right = replace(
        WRONG, verdict=Verdict.ACCEPTED, score=100.0, reason="Everything is right.", mistake=None, key="other"
    )
    lines = shown(WRONG, right).splitlines()
    assert lines == [
        "bob  row-means  wrong_answer 12.5 -> accepted 100  the problem or its cases changed",
        "  before On example 1, `w` is 8 at [0], expected 1. Use pmean. (recognised: summed)",
        "  now    Everything is right.",
        "1 of 1 submissions would change",
    ]


def test_the_same_reason_is_shown_once_and_nothing_that_a_student_wrote_acts() -> None:
    hostile = replace(WRONG, student="\x1b[31m[bold]", reason="\x1b]0;title\x07")
    told = shown(hostile, replace(hostile, score=1.0))
    assert "\x1b" not in told and "\\x1b[31m[bold]" in told
    assert "before" not in told and "now" in told
