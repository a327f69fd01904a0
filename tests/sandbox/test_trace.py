"""`judge.sandbox.trace`: what is rebuilt of a trace, and what is not believed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.runner.wire import Buffer
from judge.sandbox import trace as traces
from judge.sandbox.fields import Malformed

K = traces.ITERATIONS


def value(shape: tuple[int, ...], *, split: bool) -> dict[str, Any]:
    """An array on 2 devices, its first axis split or whole on both."""
    lead = [shape[0] // 2 * n for n in range(3)] if split else []
    shards = [
        {
            "device": d,
            "index": [[lead[d], lead[d + 1]] if split and not axis else [0, n] for axis, n in enumerate(shape)],
        }
        for d in range(2)
    ]
    return {"kind": "jax", "dtype": "int32", "shape": list(shape), "shards": shards}


def step(op: str, shape: tuple[int, ...], lead: tuple[int, ...] = (), **changed: Any) -> dict[str, Any]:
    base = {
        "span": [3, 4, 3, 9], "op": op, "parents": [], "shape": list(shape), "dtype": "int32", "backward": False, "label": "",
        "axes": [], "groups": [], "within": [], "manual": True, "outside": 0, "partial": False,
        "value": value((2, *lead, *shape), split=True),
    }  # fmt: skip
    return {**base, **changed}


def sent() -> tuple[dict[str, Any], list[Buffer]]:
    """A loop that ran 7 times on device 0 and once on device 1; a step inside it; a branch that device 1 alone took."""
    header = {
        "steps": [
            step("loop", ()),
            step("add", (3,), (K,), within=[["loop", 0, 0]], parents=[0]),
            step("branch", ()),
            step("mul", (), within=[["branch", 2, 1]], groups=[[0, 1]], axes=["d"]),
        ],
        "notes": [{"line": 4, "text": "not followed"}],
        "left_out": 2,
    }
    buffers: list[Buffer] = [
        *(np.array([count], np.int32) for count in (7, 1)),
        *(np.arange(3 * K, dtype=np.int32).reshape(1, K, 3) + 100 * d for d in range(2)),
        *(np.array([number], np.int32) for number in (0, 1)),
        *(np.array([5 + d], np.int32) for d in range(2)),
    ]
    return header, buffers


def test_each_device_has_the_iterations_that_it_ran_and_the_last_has_its_own_number() -> None:
    header, buffers = sent()
    added = traces.trace(header, buffers).steps[1]
    assert buffers == []
    assert [moment.iteration for moment in added.moments] == [(0,), (1,), (2,), (3,), (6,)]
    assert [[shard.device for shard in moment.held] for moment in added.moments] == [[0, 1], [0], [0], [0], [0]]
    held = added.moments[4].held[0].data
    assert held is not None
    assert held.tolist() == [12, 13, 14]
    assert added.loop == (0,)


def test_only_devices_that_took_a_branch_hold_what_is_inside() -> None:
    trace = traces.trace(*sent())
    ((moment),) = trace.steps[3].moments
    assert [(shard.device, None if shard.data is None else int(shard.data)) for shard in moment.held] == [(1, 6)]
    assert (trace.notes, trace.left_out) == (((4, "not followed"),), 2)


def test_a_value_outside_a_region_keeps_the_place_of_each_shard() -> None:
    header = {"steps": [step("mul", (4,), manual=False, value=value((4,), split=True))], "notes": [], "left_out": 0}
    trace = traces.trace(header, [np.array([0, 1], np.int32), np.array([2, 3], np.int32)])
    assert [shard.index for shard in trace.steps[0].moments[0].held] == [((0, 2),), ((2, 4),)]


def test_a_region_in_a_loop_has_the_axis_of_the_loop_first() -> None:
    loop = step("loop", (), manual=False, value=value((), split=False))
    array = {**value((2,), split=True), "shape": [K, 2]}
    for shard in array["shards"]:
        shard["index"].insert(0, [0, K])
    inside = step("add", (), within=[["loop", 0, 0]], outside=1, value=array)
    buffers: list[Buffer] = [np.array(2, np.int32)] * 2
    buffers += [np.arange(K, dtype=np.int32).reshape(K, 1) + 10 * d for d in range(2)]
    trace = traces.trace({"steps": [loop, inside], "notes": [], "left_out": 0}, buffers)
    assert [[int(one.data) for one in moment.held if one.data is not None] for moment in trace.steps[1].moments] == [
        [0, 10],
        [1, 11],
    ]


def test_steps_without_values_have_no_moments() -> None:
    nothing = {"kind": "jax", "dtype": "float32", "shape": [2, 3], "shards": []}
    trace = traces.trace({"steps": [step("mul", (3,), value=nothing)], "notes": [], "left_out": 0}, [])
    assert trace.steps[0].moments == ()


def changed(path: tuple[str | int, ...], new: object) -> Callable[[dict[str, Any]], None]:
    def change(header: dict[str, Any]) -> None:
        place: Any = header
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = new

    return change


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (("steps",), {}),
        (("steps", 1), 5),
        (("steps", 1, "op"), 3),
        (("steps", 1, "parents"), [1]),
        (("steps", 1, "parents"), [-1]),
        (("steps", 1, "parents"), ["0"]),
        (("steps", 1, "span"), [1, 2, 3]),
        (("steps", 1, "span"), [1, 2, 3, 1 << 40]),
        (("steps", 1, "shape"), [4]),
        (("steps", 1, "shape"), [-3]),
        (("steps", 1, "manual"), 1),
        (("steps", 1, "partial"), None),
        (("steps", 1, "outside"), 2),
        (("steps", 1, "within"), [["loop", 1, 0]]),
        (("steps", 1, "within"), [["branch", 0, 0]]),
        (("steps", 1, "within"), [["loop"]]),
        (("steps", 1, "within"), [["loop", 0, 0], ["loop", 0, 0]]),
        (("steps", 1, "within"), []),
        (("steps", 1, "value"), None),
        (("steps", 1, "value", "dtype"), "float32"),
        (("steps", 1, "value", "shards"), []),
        (("steps", 3, "groups"), [[1 << 20]]),
        (("steps", 3, "axes"), [1]),
        (("notes",), [{"line": "4", "text": "x"}]),
        (("notes",), None),
        (("left_out",), -1),
        (("left_out",), True),
    ],
)
def test_a_trace_that_does_not_hold_together_is_refused_whole(path: tuple[str | int, ...], new: object) -> None:
    header, buffers = sent()
    changed(path, new)(header)
    with pytest.raises(Malformed):
        traces.trace(header, buffers)
        traces.rest(buffers)


def test_a_loop_that_counts_in_floats_is_refused() -> None:
    header, buffers = sent()
    header["steps"][0]["value"]["dtype"] = "float32"
    buffers[0:2] = [np.array([7.0], np.float32)] * 2
    with pytest.raises(Malformed):
        traces.trace(header, buffers)


def test_the_makers_of_outputs_are_steps_that_exist() -> None:
    assert traces.made({"w": [0, 3]}, 4) == {"w": (0, 3)}
    refused: tuple[object, ...] = ({"w": [4]}, {"w": 3}, {"w": [True]}, [], None)
    for wrong in refused:
        with pytest.raises(Malformed):
            traces.made(wrong, 4)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(["loop", "branch", "jax", "int32", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["op", "value", "shape"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.integers(0, 3), st.sampled_from(sorted(step("add", ()))), _JSON)
def test_whatever_stands_in_a_field_is_rebuilt_or_refused(number: int, field: str, new: object) -> None:
    header, buffers = copy.deepcopy(sent())
    header["steps"][number][field] = new
    try:
        found = traces.trace(header, buffers)
    except Malformed:
        return
    assert len(found.steps) == 4
