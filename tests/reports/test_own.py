"""What the terminal shows of one submission, to its author."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from judge.model.problem import Spec
from judge.model.record import Counterexample, Record
from judge.model.verdict import Verdict
from judge.reports import own
from judge.reports.help import HELP
from tests.support.authored import MASKED_SPEC, STEP_SPEC
from tests.support.records import ACCEPTED, UNGRADED, WRONG

STEP = Spec.model_validate(STEP_SPEC)
SHOWN = Counterexample(
    "counterexample",
    {"w": [0.0], "x": [[1.0], [2.0], [0.0], [0.0]], "y": [1.0, 2.0, 0.0, 0.0], "lr": 0.5},
    {"w": [1.25], "loss": 1.25},
    {"w": [5.0], "loss": 1.25},
)


def one(record: Record, shown: Counterexample | None = None) -> str:
    file = io.StringIO()
    own.show(Console(file=file, width=120), record, STEP, shown)
    return file.getvalue()


def test_verdict_points_reason_groups_printed_text_and_notes_are_shown() -> None:
    text = one(WRONG)
    for part in ("wrong_answer", "12.5 of 100 points", "Use pmean", "1 of 2", "| hello", "note: 2 files"):
        assert part in text


def test_an_accepted_submission_shows_no_input_and_an_ungraded_one_no_points() -> None:
    assert "to paste into Python" not in one(replace(WRONG, verdict=Verdict.ACCEPTED))
    assert "not graded" in one(UNGRADED)


def test_whoever_is_not_accepted_is_told_where_more_is_said_of_the_verdict() -> None:
    assert "judge explain wrong_answer" in one(WRONG)
    assert "judge explain" not in one(ACCEPTED)


def test_markup_of_a_student_is_text() -> None:
    assert "[red]x[/red]" in one(replace(WRONG, reason="[red]x[/red]", stdout="[bold]y[/]"))


def test_the_input_can_be_pasted_into_python() -> None:
    text = one(replace(WRONG, counterexample=SHOWN))
    program = text.split("to paste into Python:\n")[1].split("\nwhat ")[0]
    seen: dict[str, object] = {"solve": lambda *arguments: seen.update(called=arguments)}
    assert program.startswith("# 4 devices, before JAX is first used")
    fake = program.replace("import jax.numpy as jnp", "import numpy as jnp")
    exec(fake, seen)
    assert [str(argument) for argument in seen["called"]] == [  # type: ignore[attr-defined]
        "[0.]",
        "[[1.]\n [2.]\n [0.]\n [0.]]",
        "[1. 2. 0. 0.]",
        "0.5",
    ]
    assert "# expected w = [1.25]" in program and "# yours    w = [5.0]" in program


def test_lists_of_ints_are_pasted_as_the_tuples_that_solve_gets_and_unusual_dtypes_are_named() -> None:
    spec = Spec.model_validate(
        {**MASKED_SPEC, "inputs": {**MASKED_SPEC["inputs"], "x": {"dtype": "float64", "shape": ["N"], "type": "array"}}}
    )
    inputs = {"x": [1.0, 2.0], "mask": [True, False], "times": 2, "counts": [1, 1]}
    lines = list(own.paste(spec, inputs))
    assert 'x = jnp.array([1.0, 2.0], "float64")' in lines
    assert "mask = jnp.array([True, False])" in lines
    assert "counts = (1, 1)" in lines
    assert lines[-1] == "solve(x, mask, times, counts)"


def test_bars_of_what_is_shown_stand_below_the_input() -> None:
    text = one(replace(WRONG, counterexample=SHOWN), SHOWN)
    assert "`w`:" in text and "yours" in text and "█" in text
    assert "█" not in one(replace(WRONG, counterexample=SHOWN))


def test_a_terminal_without_unicode_gets_bars_of_another_letter() -> None:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", write_through=True) as file:
        own.show_bars(Console(file=file, width=100), STEP, SHOWN)
        assert b"####" in raw.getvalue()


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_explained(verdict: Verdict) -> None:
    told = HELP[verdict]
    assert told.summary and told.happened.endswith(".") and told.remedies
    assert told.causes or verdict is Verdict.ACCEPTED
    file = io.StringIO()
    own.explain(Console(file=file, width=100), verdict)
    text = file.getvalue()
    assert text.startswith(f"{verdict.value}: {told.summary[:40]}")
    assert text.count("  - ") == len(told.causes) + len(told.remedies)


def test_all_verdicts_are_listed_a_line_each_in_their_order() -> None:
    file = io.StringIO()
    own.explain_all(Console(file=file, width=200))
    names = [line.split()[0] for line in file.getvalue().splitlines() if line and not line.startswith("more of one")]
    assert names == [verdict.value for verdict in Verdict]
