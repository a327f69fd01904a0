"""`structure`: facts of programs by the names of inputs and outputs; claims of a live run by existence alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from judge.checks.structure import structure
from judge.model.outcome import Collective, Facts, InputSplit, Path
from judge.model.verdict import Verdict
from tests.support.answers import spec

ALL = ((0, 1),)
REDUCED = Facts(
    devices=2,
    manual_regions=1,
    collectives=(Collective("all_reduce", ALL, 9),),
    splits=(InputSplit("x", 0, 2, "manual", 8),),
    paths=(Path("w", "x", "manual", reduced=True), Path("loss", "x", "manual", reduced=True)),
)
RULES: Mapping[str, Any] = {
    "split": {"inputs": ["x"], "by": "manual"},
    "reduce": {"inputs": ["x"], "outputs": ["w", "loss"]},
}


def told(facts: Facts, rules: Mapping[str, Any] = RULES, source: str = "program") -> list[str]:
    found = structure(spec(structure=rules), [facts], source)
    assert all(one.verdict is Verdict.WRONG_STRUCTURE for one in found)
    return [one.sentence for one in found]


def path(split: str, *, reduced: bool) -> tuple[Path, ...]:
    return tuple(Path(output, "x", split, reduced) for output in ("w", "loss"))


def test_split_by_hand_and_reduced_is_right() -> None:
    assert told(REDUCED) == []


def test_a_program_on_too_few_devices_is_told_so_and_nothing_else() -> None:
    assert told(replace(REDUCED, devices=1, paths=())) == ["the program runs on 1 of the 2 devices."]


@pytest.mark.parametrize(
    ("by", "way", "right"),
    [
        ("manual", "manual", True),
        ("manual", "auto", False),
        ("auto", "auto", True),
        ("auto", "manual", False),
        ("any", "manual", True),
        ("any", "auto", True),
        ("any", "none", False),
    ],
)
def test_rows_are_split_in_the_way_that_is_asked_for(by: str, way: str, right: bool) -> None:
    rules = {"split": {"inputs": ["x"], "by": by}}
    sentences = told(replace(REDUCED, paths=path(way, reduced=True)), rules)
    assert (sentences == []) == right
    assert right or "the rows of `x` are not split over the 2 devices" in sentences[0]


def test_an_output_that_is_not_reduced_is_named() -> None:
    paths = (REDUCED.paths[0], replace(REDUCED.paths[1], reduced=False))
    (sentence,) = told(replace(REDUCED, paths=paths))
    assert "`loss` is not reduced across the devices" in sentence


def test_a_gather_instead_of_a_reduction_is_told_with_its_line() -> None:
    gathered = replace(REDUCED, collectives=(Collective("all_gather", ALL, 12),), paths=path("manual", reduced=False))
    assert all("all_gather on line 12" in sentence for sentence in told(gathered))


def test_an_output_from_rows_that_were_never_split_is_named() -> None:
    paths = (Path("w", "x", "none", reduced=True), *REDUCED.paths)
    (first, *_) = told(replace(REDUCED, paths=paths), {"reduce": RULES["reduce"]})
    assert "`w` is computed from `x` without its rows being split" in first


def test_an_output_that_does_not_depend_on_the_input_is_named() -> None:
    (sentence,) = told(replace(REDUCED, paths=REDUCED.paths[:1]), {"reduce": RULES["reduce"]})
    assert sentence == "`loss` does not depend on `x` in the program."


def test_what_is_forbidden_is_found_with_its_line() -> None:
    rules = {"forbid": ["manual_region", "collective"]}
    sentences = told(REDUCED, rules)
    assert len(sentences) == 2
    assert "manual region" in sentences[0] and "all_reduce on line 9" in sentences[1]
    assert told(replace(REDUCED, manual_regions=0, collectives=()), rules) == []


def test_a_problem_that_demands_nothing_is_right_with_and_without_facts() -> None:
    assert told(replace(REDUCED, paths=()), {}) == []
    assert structure(spec(), [], "live") == []


@pytest.mark.parametrize("source", ["program", "live"])
def test_nothing_to_read_is_wrong_and_no_silent_pass(source: str) -> None:
    (found,) = structure(spec(structure=RULES), [], source)
    assert found.verdict is Verdict.WRONG_STRUCTURE


def test_a_fault_of_several_programs_is_told_once_and_one_faulty_program_is_enough() -> None:
    bad = replace(REDUCED, paths=path("none", reduced=True))
    once = structure(spec(structure=RULES), [bad], "program")
    assert structure(spec(structure=RULES), [bad, bad], "program") == once
    assert structure(spec(structure=RULES), [REDUCED, bad], "program") == once


def test_the_modules_of_a_live_run_are_asked_for_a_split_and_a_reduction_together() -> None:
    split = replace(REDUCED, collectives=(), paths=())
    reduction = replace(REDUCED, splits=(), paths=())
    assert structure(spec(structure=RULES), [split, reduction], "live") == []
    assert len(structure(spec(structure=RULES), [replace(split, splits=())], "live")) == 2


@pytest.mark.parametrize("op", ["all_gather", "collective_permute", "all_to_all"])
def test_moving_data_in_a_live_run_is_no_reduction(op: str) -> None:
    (sentence,) = told(replace(REDUCED, collectives=(Collective(op, ALL, 3),)), source="live")
    assert "no compiled module reduces over all 2 devices" in sentence


def test_a_reduction_over_some_devices_of_a_live_run_is_none() -> None:
    assert told(replace(REDUCED, collectives=(Collective("all_reduce", ((0,), (1,)), 3),)), source="live")


def test_a_split_of_another_axis_or_in_other_parts_of_a_live_run_is_none() -> None:
    for split in (InputSplit("x", 1, 2, "manual"), InputSplit("x", 0, 1, "manual"), InputSplit("x", 0, 2, "auto")):
        assert told(replace(REDUCED, splits=(split,)), source="live")
