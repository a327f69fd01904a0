"""`judge.sandbox.replies`: what is rebuilt, and what is not believed."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.checks.arrays import whole
from judge.model.outcome import Facts
from judge.runner.wire import Buffer
from judge.sandbox import replies
from judge.sandbox.fields import Malformed

SPLIT = {
    "type": "dict",
    "outputs": [
        {
            "key": "w",
            "kind": "jax",
            "dtype": "float32",
            "shape": [4, 2],
            "shards": [{"device": d, "index": [[2 * d, 2 * d + 2], [0, 2]]} for d in range(2)],
        }
    ],
}
FACTS = {
    "devices": 8,
    "manual_regions": 1,
    "collectives": [{"op": "all_reduce", "groups": [[0, 1], [2, 3]], "line": 4}],
    "splits": [{"input": "x", "axis": 0, "parts": 8, "by": "manual", "line": 3}],
    "paths": [{"output": "w", "input": "x", "split": "manual", "reduced": True}],
}


def parts(*lead: int) -> list[Buffer]:
    return [np.full((*lead, 2, 2), d, np.float32) for d in range(2)]


def test_an_answer_keeps_each_shard_with_its_device_and_place() -> None:
    answer = replies.answer(SPLIT, parts())
    shards = answer.outputs["w"].shards
    assert [(shard.device, shard.index) for shard in shards] == [(0, ((0, 2), (0, 2))), (1, ((2, 4), (0, 2)))]
    assert shards[1].data is not None
    assert np.array_equal(shards[1].data, np.ones((2, 2)))


def test_a_layout_gives_each_case_its_part_of_every_stack() -> None:
    stacked: list[Buffer] = [np.arange(12, dtype=np.float32).reshape(3, 2, 2), np.zeros((3, 2, 2), np.float32)]
    answers = replies.layout(SPLIT, stacked, 3)
    first = [answer.outputs["w"].shards[0].data for answer in answers]
    assert [None if data is None else data.ravel().tolist() for data in first] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]


def test_a_scalar_of_a_layout_is_an_array_of_no_axes() -> None:
    output = {"key": "l", "kind": "jax", "dtype": "float32", "shape": [], "shards": [{"device": 0, "index": []}]}
    (answer,) = replies.layout({"type": "dict", "outputs": [output]}, [np.ones(1, np.float32)], 1)
    data = answer.outputs["l"].shards[0].data
    assert isinstance(data, np.ndarray)
    assert data.shape == ()


def changed(path: str, value: Any) -> dict[str, Any]:
    """`SPLIT` with one field replaced."""
    answer: Any = copy.deepcopy(SPLIT)
    place = answer
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        place = place[step]
    place[last] = value
    assert isinstance(answer, dict)
    return answer


SHARD = "outputs.0.shards.0"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("type", 3),
        ("type", "tuple"),
        ("outputs", {}),
        ("outputs.0", []),
        ("outputs.0.key", None),
        ("outputs.0.kind", "list"),
        ("outputs.0.dtype", "complex64"),
        ("outputs.0.dtype", "int32"),
        ("outputs.0.shape", [4]),
        ("outputs.0.shape", [4, 2.0]),
        ("outputs.0.shape", [True, 2]),
        ("outputs.0.shape", [-4, 2]),
        ("outputs.0.shards", []),
        ("outputs.0.shards", [{}] * 5000),
        (f"{SHARD}.device", 1),
        (f"{SHARD}.device", -1),
        (f"{SHARD}.device", "0"),
        (f"{SHARD}.index", [[0, 2]]),
        (f"{SHARD}.index", [[0, 2], [0, 3]]),
        (f"{SHARD}.index", [[2, 0], [0, 2]]),
        (f"{SHARD}.index", [[0, 1], [0, 2]]),
        (f"{SHARD}.index", [[0, 2], [0]]),
        (f"{SHARD}.index", [[-2, 0], [0, 2]]),
    ],
)
def test_an_answer_that_does_not_hold_together_is_malformed(path: str, value: Any) -> None:
    with pytest.raises(Malformed):
        replies.answer(changed(path, value), parts())


@pytest.mark.parametrize(
    "buffers",
    [
        [],
        parts()[:1],
        [*parts(), *parts()],
        [b"1234", b"5678"],
        parts(1),
        [np.zeros((2, 2)), np.zeros((2, 2))],
    ],
)
def test_buffers_that_are_not_the_shards_are_malformed(buffers: list[Buffer]) -> None:
    with pytest.raises(Malformed):
        replies.answer(SPLIT, buffers)


def test_a_key_that_comes_twice_is_malformed() -> None:
    twice = {"type": "dict", "outputs": [*SPLIT["outputs"], *SPLIT["outputs"]]}
    with pytest.raises(Malformed, match="twice"):
        replies.answer(twice, [*parts(), *parts()])


def test_half_a_surrogate_pair_does_not_reach_a_report() -> None:
    error = {"type": "E", "message": "\ud800", "line": 1, "text": ""}
    raised = replies.raised({"error": error})
    assert raised is not None
    assert raised.message == "?"


def test_the_name_of_an_exception_is_one_line() -> None:
    raised = replies.raised({"error": {"type": "ok\nverdict: accepted", "message": "", "line": 0, "text": ""}})
    assert raised is not None
    assert raised.type == "ok verdict: accepted"


@pytest.mark.parametrize("error", [3, [], {}, {"type": "E", "message": "", "line": -1, "text": ""}])
def test_an_error_of_another_form_is_malformed(error: Any) -> None:
    with pytest.raises(Malformed):
        replies.raised({"error": error})


def test_facts_are_rebuilt() -> None:
    found = replies.facts(FACTS, 8, ["x"])
    assert isinstance(found, Facts)
    assert (found.collectives[0].groups, found.splits[0].by, found.paths[0].reduced) == (
        ((0, 1), (2, 3)),
        "manual",
        True,
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.update(devices=9),
        lambda facts: facts.update(devices=0),
        lambda facts: facts.update(paths=None),
        lambda facts: facts["paths"][0].update(reduced=1),
        lambda facts: facts["paths"][0].update(split="some"),
        lambda facts: facts["paths"][0].update(input="z"),
        lambda facts: facts["splits"][0].update(by="magic"),
        lambda facts: facts["collectives"][0].update(groups=[["a"]]),
    ],
)
def test_facts_of_another_form_are_malformed(change: Callable[[dict[str, Any]], None]) -> None:
    facts: dict[str, Any] = copy.deepcopy(FACTS)
    change(facts)
    with pytest.raises(Malformed):
        replies.facts(facts, 8, ["x"])


@pytest.mark.parametrize("kept", [{"lr": 0.2}, {"other": 0.1}, {"lr": "0.1"}, None, {"lr": True}])
def test_only_floats_that_were_sent_can_have_been_kept(kept: Any) -> None:
    with pytest.raises(Malformed):
        replies.scalars(kept, {"lr": 0.1})


VALUES = (
    st.none()
    | st.booleans()
    | st.sampled_from([-1, 0, 1, 2, 17, 4096, 1 << 20, 1 << 31, 1 << 40, 1 << 63])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["jax", "numpy", "dict", "bool", "float32", "bytes", "manual", "\ud800", "x" * 5000])
)
TREES = st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))
BUFFERS: st.SearchStrategy[list[Buffer]] = st.lists(
    st.binary(max_size=9) | st.sampled_from([*parts(), *parts(3), np.zeros((0, 1 << 30), np.float32)]), max_size=3
)


def places(tree: Any) -> list[tuple[Any, Any]]:
    """(container, key) of every value in a tree."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [place for key in keys for place in [(tree, key), *places(tree[key])]]


@st.composite
def nearly(draw: st.DrawFn, right: dict[str, Any]) -> dict[str, Any]:
    """`right` with one to three values replaced by any others."""
    tree: dict[str, Any] = json.loads(json.dumps(right))
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(places(tree) or [(tree, "type")]))
        container[key] = draw(TREES)
    return tree


@settings(deadline=None, max_examples=150)
@given(nearly(SPLIT) | TREES, BUFFERS | st.just(parts()) | st.just(parts(3)), st.sampled_from([None, 1, 3]))
def test_any_answer_is_refused_or_holds_no_more_than_was_sent(
    tree: Any, buffers: list[Buffer], cases: int | None
) -> None:
    sent = sum(len(one) if isinstance(one, bytes) else one.nbytes for one in buffers)
    with contextlib.suppress(Malformed):
        answers = [replies.answer(tree, buffers)] if cases is None else replies.layout(tree, buffers, cases)
        outputs = [output for answer in answers for output in answer.outputs.values()]
        shards = [shard for output in outputs for shard in output.shards]
        assert sum(0 if shard.data is None else shard.data.nbytes for shard in shards) <= sent
        assert all(shard.data is None or shard.data.shape == extents(shard.index) for shard in shards)
        assert all(made is None or made.nbytes <= sent for made in map(whole, outputs))


def extents(index: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    return tuple(stop - start for start, stop in index)


@settings(deadline=None, max_examples=150)
@given(nearly({"error": {"type": "E", "message": "", "line": 0, "text": ""}, "facts": FACTS, "scalars": {"lr": 0.5}}))
def test_any_error_facts_and_scalars_are_refused_or_rebuilt(tree: dict[str, Any]) -> None:
    with contextlib.suppress(Malformed):
        raised = replies.raised(tree)
        assert raised is None or len((raised.message + raised.type + raised.text).encode()) < 20_000
    with contextlib.suppress(Malformed):
        assert replies.facts(tree.get("facts"), 8, ["x"]).devices <= 8
    with contextlib.suppress(Malformed):
        assert dict(replies.scalars(tree.get("scalars"), {"lr": 0.5})).items() <= {"lr": 0.5}.items()
