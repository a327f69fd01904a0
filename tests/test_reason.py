"""One sentence for the student."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import reason
from judge.model.outcome import Ended, Raised
from judge.model.verdict import Verdict
from tests.support.answers import case, finding, raised

EXAMPLE = case("example-1")
HIDDEN = case("hidden-far", "hidden", category="targets of 1e4.")
CASES = {one.id: one for one in (EXAMPLE, HIDDEN, case("fresh-1"))}
FOUND = finding(Verdict.WRONG_ANSWER)


def test_an_example_is_told_by_number_with_the_values() -> None:
    assert reason.sentence(FOUND, CASES, None) == "On example 1, it is 5, expected 3."


def test_a_hidden_case_is_told_by_its_category_without_a_value() -> None:
    hidden = reason.sentence(replace(FOUND, case="hidden-far"), CASES, None)
    assert hidden == "On a hidden case (targets of 1e4), it is wrong."


def test_a_fresh_case_is_told_by_its_sizes() -> None:
    assert reason.sentence(replace(FOUND, case="fresh-1"), CASES, None).startswith("On a fresh case with N=4, D=2, ")


def test_a_fact_about_the_whole_program_stands_alone_with_a_capital() -> None:
    assert reason.sentence(replace(FOUND, case=""), CASES, None) == "It is 5, expected 3."


def test_the_hint_of_a_recognised_mistake_comes_last() -> None:
    assert reason.sentence(FOUND, CASES, "Use pmean.").endswith("expected 3. Use pmean.")


def test_an_exception_is_told_with_its_line_and_on_a_hidden_case_without_its_message() -> None:
    found = reason.of_raised(raised("shapes (3, 4)"), "live", "example-1")
    assert found.verdict is Verdict.RUNTIME_ERROR
    assert found.sentence == "solve raised ValueError: shapes (3, 4) (line 7: `return f(x)`)."
    assert found.discreet == "solve raised ValueError (line 7: `return f(x)`)."


@pytest.mark.parametrize(
    ("given_", "text"),
    [
        (Raised("E", "", 0, ""), "E without a message."),
        (Raised("E", "too far!", 0, ""), "E: too far!"),
        (Raised("E", "a\n  b\tc", 3, ""), "E: a b c (line 3)."),
        (Raised("E", "done.", 3, "  x = 1  "), "E: done. (line 3: `x = 1`)."),
    ],
)
def test_messages_are_one_line_and_one_sentence(given_: Raised, text: str) -> None:
    assert reason.told(given_) == text


def test_a_load_error_says_why() -> None:
    found = reason.of_load(raised("bad"))
    assert found.verdict is Verdict.LOAD_ERROR
    assert found.sentence.startswith("the file could not be loaded: ValueError: bad")


def test_an_end_says_what_was_hit_and_when() -> None:
    found = reason.of_end(Ended(Verdict.TIME_LIMIT, "call", "it used 10 s"), "live", "example-1")
    assert (found.verdict, found.sentence) == (Verdict.TIME_LIMIT, "it used 10 s (call).")


@given(st.text(max_size=5000), st.integers(0, 10**6), st.text(max_size=500))
def test_any_message_becomes_one_line_of_bounded_length(message: str, line: int, text: str) -> None:
    told = reason.told(Raised("E", message, line, text))
    assert len(told) < 900
    assert "\n" not in told.partition(" (line ")[0]
