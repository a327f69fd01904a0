"""Are the checks of a problem awake? Answers that cannot be right, each of which must make a finding.

Beside them a control: the oracle's own values, rounded to the dtype of the YAML and placed as it asks, must make none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from judge.checks import check_answer
from judge.checks.structure import structure
from judge.model.case import Case
from judge.model.outcome import Answer, Facts, OutputArray, Shard
from judge.model.problem import Output, Spec, Split

OTHER_DTYPES = ("complex64", "float16", "uint8")


def right_answer(spec: Spec, outputs: Mapping[str, NDArray[np.generic]]) -> Answer:
    """An answer of these values, in the first dtype, of the first kind and placed as the problem asks."""
    return Answer("dict", {key: _array(spec, output, outputs[key]) for key, output in spec.outputs.items()})


def _array(spec: Spec, output: Output, value: NDArray[np.generic]) -> OutputArray:
    with np.errstate(over="ignore"):
        data = value.astype(output.dtype[0])
    kind = output.arrays[0]
    index = tuple((0, size) for size in data.shape)
    if kind == "numpy":
        shards = [Shard(-1, index, data)]
    elif isinstance(output.placement, Split):
        shards = _blocks(data, output.placement.split, spec.devices)
    else:
        held = spec.devices if output.placement == "replicated" else 1
        shards = [Shard(device, index, data) for device in range(held)]
    return OutputArray(kind, output.dtype[0], data.shape, tuple(shards))


def _blocks(data: NDArray[np.generic], axis: int, devices: int) -> list[Shard]:
    index = [(0, size) for size in data.shape]
    block = data.shape[axis] // devices
    shards = []
    for device, part in enumerate(np.split(data, devices, axis)):
        index[axis] = (device * block, (device + 1) * block)
        shards.append(Shard(device, tuple(index), part))
    return shards


def asleep(spec: Spec, case: Case) -> list[str]:
    """Junk that the checks let pass, in words; [] is as it should be."""
    right = right_answer(spec, case.expected)
    passed = [name for name, answer in junk(spec, right) if not check_answer(spec, case, answer, "live")]
    if not spec.structure.demands_nothing:
        idle = Facts(spec.devices, 0, (), (), ())
        cases: list[tuple[str, list[Facts]]] = [("no program at all", [])]
        if spec.structure.split is not None or spec.structure.reduce is not None:
            cases.append(("a program that splits and reduces nothing", [idle]))
        passed += [name for name, facts in cases if not structure(spec, facts, "program")]
    return passed


def control(spec: Spec, case: Case) -> list[str]:
    """What the checks say against the oracle's own values; [] is as it should be."""
    return [one.sentence for one in check_answer(spec, case, right_answer(spec, case.expected), "live")]


def junk(spec: Spec, right: Answer) -> Iterator[tuple[str, Answer]]:
    """(what it is, the answer): the right answer spoiled in one way each."""
    yield "a list in place of the dict", Answer("list", {})
    yield "None in place of the dict", Answer("NoneType", {})
    yield "an empty dict", Answer("dict", {})
    yield "one key too many", Answer("dict", {**right.outputs, "one_key_too_many": next(iter(right.outputs.values()))})
    for key, output in spec.outputs.items():
        rest = {name: one for name, one in right.outputs.items() if name != key}
        yield f"no key `{key}`", Answer("dict", rest)
        for what, spoiled in _spoiled(spec, output, right.outputs[key]):
            yield f"`{key}` {what}", Answer("dict", {**right.outputs, key: spoiled})


def _spoiled(spec: Spec, output: Output, right: OutputArray) -> Iterator[tuple[str, OutputArray]]:
    yield "as a list", replace(right, kind="list", shards=())
    yield "without values", replace(right, shards=())
    yield "with one axis too many", replace(right, shape=(*right.shape, 1))
    yield "of a dtype that is not listed", replace(right, dtype=next(d for d in OTHER_DTYPES if d not in output.dtype))
    if right.shards[0].data is not None and right.shards[0].data.size:
        yield "with a wrong element", _with(right, range(len(right.shards)), _wrong)
    if output.placement != "any" and spec.devices > 1:
        yield "on one device alone", replace(right, shards=right.shards[:1])
    if output.placement == "replicated" and spec.devices > 1 and right.shape and 0 not in right.shape:
        yield "with one copy unlike the others", _with(right, [spec.devices - 1], _wrong)


def _wrong(data: NDArray[np.generic]) -> NDArray[np.generic]:
    """NaN in place of the first number; another number where there is no NaN."""
    wrong = data.copy()
    if wrong.dtype.kind == "f":
        wrong.reshape(-1)[0] = np.nan
    elif wrong.dtype.kind == "b":
        wrong.reshape(-1)[0] = not wrong.reshape(-1)[0]
    else:
        wrong.reshape(-1)[0] += 1
    return wrong


def _with(right: OutputArray, places: range | list[int], change: object) -> OutputArray:
    assert callable(change), "a function of an array"
    shards = [
        replace(shard, data=change(shard.data)) if place in places and shard.data is not None else shard
        for place, shard in enumerate(right.shards)
    ]
    return replace(right, shards=tuple(shards))
