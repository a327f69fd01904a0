"""Findings -> verdict and points."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.decide import Decision, Tally, decide, total_points
from judge.errors import JudgeFault
from judge.model.record import Finding
from judge.model.verdict import ENDS, Verdict
from tests.support.answers import finding, spec

POINTS = {"examples": 20, "hidden": 30, "fuzzed": 30, "placement": 10, "structure": 10}
STRUCTURE = {"split": {"inputs": ["x"], "by": "manual"}}
SPEC = spec(points=POINTS, structure=STRUCTURE)
FULL = {"examples": Tally(2, 2), "hidden": Tally(3, 3), "fuzzed": Tally(100, 100)}
NONE = {"examples": Tally(0, 2), "hidden": Tally(0, 3), "fuzzed": Tally(0, 100)}
#: What a finding may say.
FAULTS = tuple(one for one in Verdict if one not in (Verdict.ACCEPTED, Verdict.UNGRADED))
ENDS_SORTED = sorted(ENDS, key=lambda end: end.value)
#: The order of the specification, spelled out once more by hand.
ORDER = [
    "wrong_type",
    "wrong_keys",
    "wrong_shape",
    "wrong_dtype",
    "wrong_placement",
    "replicas_differ",
    "not_reproducible",
    "wrong_answer",
    "wrong_structure",
]


def decided(*verdicts: Verdict, tallies: dict[str, Tally] = NONE) -> Decision:
    return decide(SPEC, [finding(one) for one in verdicts], tallies, structure_read=True)


def points(decision: Decision) -> dict[str, float]:
    return {group.name: group.points for group in decision.groups}


def test_nothing_found_and_everything_passed_is_accepted_with_full_points() -> None:
    decision = decided(tallies=FULL)
    assert (decision.verdict, decision.leading) == (Verdict.ACCEPTED, None)
    assert decision.score == decision.max_score == 100


@pytest.mark.parametrize("verdict", FAULTS)
def test_a_single_finding_is_the_verdict(verdict: Verdict) -> None:
    assert decided(verdict).verdict is verdict


@pytest.mark.parametrize(("earlier", "later"), list(itertools.combinations(ORDER, 2)))
def test_the_earlier_of_two_wrong_verdicts_counts_whatever_was_recorded_first(earlier: str, later: str) -> None:
    first, second = Verdict(earlier), Verdict(later)
    assert decided(first, second).verdict is first
    assert decided(second, first).verdict is first


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(ENDS_SORTED, 2)))
def test_of_several_ends_the_one_recorded_first_counts(one: Verdict, other: Verdict) -> None:
    assert decided(Verdict.WRONG_ANSWER, one, other).verdict is one


@pytest.mark.parametrize("end", ENDS_SORTED)
@pytest.mark.parametrize("wrong", ORDER)
def test_an_end_comes_before_everything_wrong(end: Verdict, wrong: str) -> None:
    assert decided(Verdict(wrong), end).verdict is end


@pytest.mark.parametrize("other", [one for one in FAULTS if one is not Verdict.LOAD_ERROR])
def test_a_load_error_comes_before_all(other: Verdict) -> None:
    assert decided(other, Verdict.LOAD_ERROR).verdict is Verdict.LOAD_ERROR


def test_the_first_of_equal_findings_leads() -> None:
    first, second = finding(Verdict.WRONG_ANSWER, "example-1"), finding(Verdict.WRONG_ANSWER, "example-2")
    assert decide(SPEC, [first, second], NONE, structure_read=True).leading is first


@pytest.mark.parametrize(
    "tallies",
    [
        {},
        {"examples": Tally(0, 0)},
        {"examples": Tally(0, 0), "hidden": Tally(0, 0), "fuzzed": Tally(0, 0)},
        {**FULL, "fuzzed": Tally(0, 0)},
        {"hidden": Tally(3, 3), "fuzzed": Tally(100, 100)},
    ],
)
def test_what_was_never_checked_is_a_fault_of_the_judge_and_no_pass(tallies: dict[str, Tally]) -> None:
    with pytest.raises(JudgeFault):
        decided(tallies=tallies)


@pytest.mark.parametrize("group", FULL)
def test_a_case_without_answer_and_without_finding_is_a_fault_of_the_judge(group: str) -> None:
    tally = FULL[group]
    with pytest.raises(JudgeFault, match=group):
        decided(tallies={**FULL, group: Tally(tally.passed - 1, tally.total)})


def test_a_structure_that_nobody_read_is_a_fault_of_the_judge() -> None:
    with pytest.raises(JudgeFault, match="structure"):
        decide(SPEC, [], FULL, structure_read=False)


def test_a_problem_that_demands_no_structure_needs_none_read() -> None:
    free = spec(points={**POINTS, "structure": 0})
    assert decide(free, [], FULL, structure_read=False).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("verdict", [Verdict.ACCEPTED, Verdict.UNGRADED])
def test_a_finding_that_claims_no_fault_is_a_fault_of_the_judge(verdict: Verdict) -> None:
    with pytest.raises(JudgeFault, match=verdict.value):
        decided(verdict, tallies=FULL)


def test_zeros_replicated_on_all_devices_earn_nothing() -> None:
    decision = decided(Verdict.WRONG_ANSWER)
    assert decision.score == 0
    assert points(decision) == dict.fromkeys(POINTS, 0)


def test_placement_and_structure_earn_nothing_unless_every_example_passes() -> None:
    tallies = {**FULL, "examples": Tally(1, 2)}
    assert points(decided(Verdict.WRONG_ANSWER, tallies=tallies)) == {
        "examples": 10,
        "hidden": 30,
        "fuzzed": 30,
        "placement": 0,
        "structure": 0,
    }


def test_groups_of_cases_earn_their_share() -> None:
    tallies = {"examples": Tally(2, 2), "hidden": Tally(1, 3), "fuzzed": Tally(73, 100)}
    earned = points(decided(Verdict.WRONG_ANSWER, tallies=tallies))
    assert earned == {"examples": 20, "hidden": 10, "fuzzed": 21.9, "placement": 10, "structure": 10}


@pytest.mark.parametrize("verdict", [Verdict.WRONG_PLACEMENT, Verdict.REPLICAS_DIFFER])
def test_a_wrong_placement_on_any_case_costs_its_whole_group(verdict: Verdict) -> None:
    assert points(decided(verdict, tallies=FULL))["placement"] == 0


def test_a_wrong_structure_costs_its_group_and_nothing_else() -> None:
    decision = decided(Verdict.WRONG_STRUCTURE, tallies=FULL)
    assert (decision.verdict, decision.score) == (Verdict.WRONG_STRUCTURE, 90)
    assert points(decision)["structure"] == 0


def test_a_structure_that_nobody_read_earns_nothing() -> None:
    decision = decide(SPEC, [finding(Verdict.WRONG_ANSWER)], FULL, structure_read=False)
    assert points(decision)["structure"] == 0


def test_accepted_is_full_marks_even_where_thirds_of_points_are_given() -> None:
    thirds = spec(points=dict.fromkeys(POINTS, 1 / 3), structure=STRUCTURE)
    decision = decide(thirds, [], FULL, structure_read=True)
    assert decision.score == decision.max_score


findings = st.lists(
    st.builds(finding, st.sampled_from(FAULTS), st.sampled_from(["example-1", "hidden-1", "fuzz-001", ""])), max_size=6
)
tally = st.integers(0, 9).flatmap(lambda total: st.builds(Tally, st.integers(0, total), st.just(total)))
tallies = st.dictionaries(st.sampled_from(["examples", "hidden", "fuzzed"]), tally)


@given(findings, tallies, st.booleans())
def test_any_findings_have_a_verdict_and_only_what_passed_whole_is_accepted(
    found: Sequence[Finding], counted: dict[str, Tally], read: bool
) -> None:
    try:
        decision = decide(SPEC, found, counted, structure_read=read)
    except JudgeFault:
        assert not found
        return
    assert 0 <= decision.score <= decision.max_score == total_points(SPEC.points)
    assert (decision.verdict is Verdict.ACCEPTED) == (not found)
    assert decision.verdict is not Verdict.UNGRADED
    if decision.verdict is Verdict.ACCEPTED:
        assert read
        assert set(counted) == set(FULL)
        assert all(one.passed == one.total > 0 for one in counted.values())
        assert decision.score == decision.max_score
    else:
        assert decision.leading in found


@given(findings, tallies, st.booleans())
def test_the_order_of_findings_decides_among_ends_only(
    found: list[Finding], counted: dict[str, Tally], read: bool
) -> None:
    wrong = [one for one in found if one.verdict not in ENDS]
    if not wrong:
        return
    turned = wrong[::-1]
    assert (
        decide(SPEC, wrong, counted, structure_read=read).verdict
        is decide(SPEC, turned, counted, structure_read=read).verdict
    )
