from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from judge.bank import check_pinned, draw_bank
from judge.errors import Fault, FaultyFile
from judge.oracle.client import Oracle
from tests.support.authored import STEP, STEP_SPEC, authored


def checked(tmp_path: Path, outputs: dict[str, Any], case: int = 0) -> list[Fault]:
    spec = copy.deepcopy(STEP_SPEC)
    spec["cases"][case]["outputs"] = outputs
    if case == 0:
        del spec["cases"][1]
    else:
        del spec["cases"][0]
    (tmp_path / "problem.yaml").write_text("cases:\n  - name: by-hand\n  - {name: by-rule, visible: false}\n")
    with Oracle(authored(tmp_path, spec, oracle=STEP)) as oracle:
        return check_pinned(oracle.problem, oracle)


def test_outputs_that_agree_to_their_digits_are_no_fault(tmp_path: Path) -> None:
    assert checked(tmp_path, {"w": [1.5], "loss": 7.5}) == []


def test_a_value_is_held_to_the_digits_that_are_printed(tmp_path: Path) -> None:
    (fault,) = checked(tmp_path, {"w": [1.5], "loss": 7.51})
    assert str(fault).endswith("case by-hand, `loss`: it says 7.51, the oracle 7.5; correct the value, or the oracle")
    assert fault.line == 2


def test_zeros_dropped_at_the_end_do_not_loosen_the_others(tmp_path: Path) -> None:
    # Printed to six digits elsewhere: then 1.4 stands for 1.400000.
    found = checked(tmp_path, {"w": [1.4], "loss": 7.500001})
    assert [fault.message.partition(",")[0] for fault in found] == ["case by-hand", "case by-hand"]


def test_a_rounded_value_of_a_rule_agrees(tmp_path: Path) -> None:
    with Oracle(authored(tmp_path, STEP_SPEC, oracle=STEP)) as oracle:
        expected = draw_bank(oracle.problem, 1, oracle).cases[1].expected
    outputs = {"w": [round(value, 4) for value in expected["w"].tolist()], "loss": round(float(expected["loss"]), 4)}
    assert checked(tmp_path, outputs, case=1) == []


def test_the_fault_of_a_case_in_flow_style_has_its_line_too(tmp_path: Path) -> None:
    found = checked(tmp_path, {"w": [9.0, 9.0, 9.0], "loss": 0.5}, case=1)
    assert [fault.line for fault in found] == [3, 3]


def test_another_shape_and_a_missing_output_are_faults(tmp_path: Path) -> None:
    found = checked(tmp_path, {"w": 1.5})
    assert "its shape is (), the oracle's (1,)" in found[0].message
    assert "has no output `loss`" in found[1].message


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"w": [0.0], "x": [[1.0]] * 4, "y": [1.0] * 4}, "'lr' is missing or unknown"),
        ({"w": [0.0], "x": [[1.0]] * 4, "y": [1.0] * 5, "lr": 0.1}, "`y` has 5 where N is 4"),
        ({"w": [0.0], "x": [[1.0], [1.0, 2.0]], "y": [1.0] * 4, "lr": 0.1}, "inhomogeneous"),
    ],
)
def test_inputs_that_do_not_fit_are_a_faulty_file_that_names_the_case(
    tmp_path: Path, inputs: dict[str, Any], message: str
) -> None:
    spec = copy.deepcopy(STEP_SPEC)
    spec["cases"][0]["inputs"] = inputs
    with Oracle(authored(tmp_path, spec, oracle=STEP)) as oracle, pytest.raises(FaultyFile) as caught:
        draw_bank(oracle.problem, 1, oracle)
    assert "case by-hand" in str(caught.value)
    assert message in str(caught.value)
