"""`placement`: devices are counted and each shard's place is compared, since claims of the array prove nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from judge.checks.placement import placement
from judge.model.outcome import OutputArray
from judge.model.record import Finding
from judge.model.verdict import Verdict
from tests.support.answers import OUTPUTS, W, answer, case, output, spec


def placed(w: OutputArray, wanted: str | Mapping[str, int], devices: int = 2) -> list[Finding]:
    outputs: dict[str, Any] = {**OUTPUTS, "w": {**OUTPUTS["w"], "placement": wanted}}
    return placement(spec(outputs=outputs, devices=devices), case(), answer(w=w), "live")


def only(found: list[Finding]) -> str:
    (one,) = found
    assert (one.verdict, one.output) == (Verdict.WRONG_PLACEMENT, "w")
    return one.sentence


def test_a_whole_copy_on_every_device_is_replicated() -> None:
    assert placed(output(W), "replicated") == []


def test_an_array_on_one_device_is_not_replicated_although_it_is_whole_there() -> None:
    assert "device 0 alone; it must be replicated on all 2 devices" in only(placed(output(W, devices=1), "replicated"))


def test_an_array_on_some_of_the_devices_is_not_replicated() -> None:
    assert "on 2 devices (0, 1); it must be replicated on all 4" in only(placed(output(W), "replicated", devices=4))


def test_a_split_array_is_not_replicated() -> None:
    assert "is split over the devices" in only(placed(output(W, split=0), "replicated"))


def test_a_numpy_array_is_on_no_device() -> None:
    assert "on no device" in only(placed(output(W, kind="numpy"), "replicated"))


@pytest.mark.parametrize("axis", [0, 1])
def test_an_array_is_split_along_the_axis_that_is_asked_for(axis: int) -> None:
    assert placed(output(W, split=axis), {"split": axis}) == []
    assert "of axis" in only(placed(output(W, split=1 - axis), {"split": axis}))


def test_a_replicated_array_is_not_split() -> None:
    assert only(placed(output(W), {"split": 0})) == "device 0 holds 0:4 of axis 0 of `w`; it must hold 0:2."


def test_blocks_on_swapped_devices_are_wrong() -> None:
    one = output(W, split=0)
    first, second = one.shards
    swapped = replace(one, shards=(replace(first, device=1), replace(second, device=0)))
    assert "must hold" in only(placed(swapped, {"split": 0}))


def test_a_block_that_two_devices_share_out_twice_is_wrong() -> None:
    one = output(W, split=0)
    doubled = replace(one, shards=(*one.shards, one.shards[0]))
    assert "must be split over all 2 devices" in only(placed(doubled, {"split": 0}))


def test_anywhere_is_right_where_nothing_is_asked_for() -> None:
    for one in (output(W, devices=1), output(W, split=1), output(np.zeros((4, 2)), kind="numpy")):
        assert placed(one, "any") == []
