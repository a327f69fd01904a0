"""Outcomes of the live run and of the program, put together."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from judge import evidence
from judge.evidence import AGAIN, Evidence
from judge.model.case import Case
from judge.model.outcome import Answer, Ended, LiveOutcome, Load, ProgramOutcome, Raised, Usage
from judge.model.verdict import Verdict
from tests.support.answers import W, answer, case, finding, output, raised, spec

ONE, TWO = case("example-1"), case("example-2")
SHOWN = {"example-1": ONE, "example-2": TWO, "throwaway": case("throwaway")}
WRONG = answer(w=output(W + 1))


def live(*answers: tuple[str, Answer | Raised], load: Load | None = None, ended: Ended | None = None) -> Evidence:
    return evidence.of_live(spec(), SHOWN, LiveOutcome(load, answers, ended, Usage()))


def program(*cases: Case, **answers: Answer) -> Evidence:
    by_id = {name.replace("_", "-"): one for name, one in answers.items()}
    return evidence.of_program(spec(), cases, ProgramOutcome(by_id, {}, {}, None, Usage()))


def verdicts(found: Evidence) -> list[Verdict]:
    return [one.verdict for one in found.findings]


def test_right_and_wrong_answers_are_told_apart() -> None:
    found = live(("example-1", answer()), ("example-2", WRONG))
    assert found.passed == {"example-1"}
    assert set(found.failed) == {"example-2"}
    assert set(found.answers) == {"example-1", "example-2"}


def test_what_solve_raised_is_a_runtime_error_of_that_case() -> None:
    found = live(("example-1", raised()))
    assert verdicts(found) == [Verdict.RUNTIME_ERROR]
    assert found.findings[0].case == "example-1"
    assert not found.answers and not found.passed


def test_a_file_that_does_not_load_is_a_load_error() -> None:
    assert verdicts(live(load=Load(raised()))) == [Verdict.LOAD_ERROR]


def test_an_end_is_a_finding_of_the_first_case_without_answer() -> None:
    found = live(("example-1", answer()), ended=Ended(Verdict.DEADLOCK, "call", "no answer came"))
    assert verdicts(found) == [Verdict.DEADLOCK]
    assert found.findings[0].case == "example-2"
    assert found.passed == {"example-1"}


def test_a_case_that_is_wrong_when_repeated_is_not_reproducible_and_no_longer_passed() -> None:
    found = live(("example-1", answer()), (AGAIN + "example-1", WRONG))
    assert verdicts(found) == [Verdict.NOT_REPRODUCIBLE]
    assert "right the first time and wrong when repeated" in found.findings[0].sentence
    assert "example-1" in found.failed and not found.passed


def test_a_case_that_is_right_only_when_repeated_stays_failed() -> None:
    found = live(("example-1", WRONG), (AGAIN + "example-1", answer()))
    assert verdicts(found) == [Verdict.WRONG_ANSWER]
    assert not found.passed


def test_a_case_without_answer_of_the_program_is_neither_passed_nor_failed() -> None:
    found = program(case("hidden-1"), case("hidden-2"), hidden_1=answer())
    assert found.passed == {"hidden-1"}
    assert not found.failed


def test_a_program_that_is_wrong_where_the_live_run_is_right_is_unfaithful() -> None:
    ran = live(("example-1", answer()))
    assert evidence.unfaithful(ran, program(ONE, example_1=WRONG), [ONE])
    assert not evidence.unfaithful(ran, program(ONE, example_1=answer()), [ONE])
    assert not evidence.unfaithful(live(("example-1", WRONG)), program(ONE, example_1=WRONG), [ONE])


def test_a_placement_that_the_partitioner_chose_does_not_make_a_program_unfaithful() -> None:
    ran = live(("example-1", answer()))
    assert not evidence.unfaithful(ran, program(ONE, example_1=answer(w=output(W, devices=1))), [ONE])


def test_wrong_live_and_right_in_the_program_is_not_reproducible() -> None:
    ran = live(("example-1", answer()), ("example-2", WRONG))
    evidence.not_reproducible(ran, program(ONE, TWO, example_1=answer(), example_2=answer()))
    assert verdicts(ran) == [Verdict.NOT_REPRODUCIBLE]
    assert "the exported program is right" in ran.findings[0].sentence


def test_wrong_in_both_is_a_wrong_answer() -> None:
    ran = live(("example-2", WRONG))
    evidence.not_reproducible(ran, program(TWO, example_2=WRONG))
    assert verdicts(ran) == [Verdict.WRONG_ANSWER]


def test_another_fault_than_wrong_values_stays_what_it_is() -> None:
    ran = live(("example-2", answer(w=output(W, devices=1))))
    evidence.not_reproducible(ran, program(TWO, example_2=answer()))
    assert verdicts(ran) == [Verdict.WRONG_PLACEMENT]


@pytest.mark.parametrize(("returned", "verdict"), [("same", Verdict.NOT_REPRODUCIBLE), ("other", Verdict.WRONG_ANSWER)])
def test_an_earlier_answer_to_the_throw_away_case_is_told_from_a_wrong_one(returned: str, verdict: Verdict) -> None:
    throwaway = case("throwaway", expected={"w": W + 50, "loss": 3.0})
    shown: Mapping[str, Case] = {**SHOWN, "throwaway": throwaway}
    given = answer() if returned == "same" else WRONG
    outcome = LiveOutcome(None, (("example-1", answer()), ("throwaway", given)), None, Usage())
    ran = evidence.of_live(spec(), shown, outcome)
    evidence.not_reproducible(ran, Evidence())
    assert verdicts(ran) == [verdict]


def test_a_forgiven_placement_leaves_the_other_faults_of_a_case() -> None:
    placed = program(
        case("hidden-1"),
        case("hidden-2"),
        hidden_1=answer(w=output(W, devices=1)),
        hidden_2=answer(w=output(W + 1, devices=1)),
    )
    assert evidence.placement_only_in_program(placed) == ["hidden-1"]
    evidence.forgive_placement(placed)
    assert placed.passed == {"hidden-1"}
    assert verdicts(placed) == [Verdict.WRONG_ANSWER]
    assert [one.verdict for one in placed.failed["hidden-2"]] == [Verdict.WRONG_ANSWER]


def test_a_stand_in_speaks_for_the_cases_of_its_shape_and_for_no_example() -> None:
    small, large = case("hidden-small", "hidden"), case("hidden-large", "hidden", dims=(("N", 8), ("D", 2)))
    stand_in = case("fresh")
    for given, right in ((answer(), True), (WRONG, False)):
        outcome = LiveOutcome(None, (("fresh", given),), None, Usage())
        found = evidence.of_live(spec(), {"fresh": stand_in}, outcome)
        total = Evidence()
        evidence.spread(found, {small.signature: stand_in}, [ONE, small, large], total)
        assert total.passed == ({"hidden-small"} if right else set())
        assert set(total.failed) == (set() if right else {"hidden-small"})


def test_a_stand_in_without_answer_lets_no_case_pass() -> None:
    small = case("hidden-small", "hidden")
    total = Evidence()
    evidence.spread(Evidence(), {small.signature: case("fresh")}, [small], total)
    assert not total.passed and "hidden-small" in total.failed


def test_what_is_forgotten_leaves_no_trace() -> None:
    found = live(("example-1", WRONG), ("example-2", answer()))
    found.forget(["example-1", "example-2"])
    assert found == Evidence()


def test_a_case_that_failed_once_is_never_passed_again() -> None:
    found = Evidence()
    found.add(ONE, WRONG, [finding(Verdict.WRONG_ANSWER)])
    found.add(ONE, answer(), [])
    assert not found.passed
