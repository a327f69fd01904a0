"""Specs, cases and answers made by hand, for tests of what only looks at values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judge.model.case import Bank, Case, Group, Signature
from judge.model.outcome import Answer, OutputArray, Raised, Shard
from judge.model.problem import Spec
from judge.model.record import Finding
from judge.model.verdict import Verdict

DIMS = (("N", 4), ("D", 2))
#: Two outputs on 2 devices: a replicated matrix and a scalar.
OUTPUTS: Mapping[str, Any] = {
    "w": {"dtype": ["float32"], "shape": ["N", "D"], "placement": "replicated"},
    "loss": {"dtype": ["float32"], "shape": []},
}
W = np.arange(8, dtype=np.float32).reshape(4, 2)


def spec(**changed: Any) -> Spec:
    """A spec for 2 devices with `changed` top-level keys."""
    content: dict[str, Any] = {
        "title": "t",
        "summary": "s",
        "devices": 2,
        "dims": {"N": {"min": 2, "multiple_of": 2}, "D": {}},
        "inputs": {"x": {"type": "array", "dtype": "float32", "shape": ["N", "D"]}, "lr": {"type": "float"}},
        "outputs": OUTPUTS,
        "cases": [{"name": "one", "visible": True, "outputs": {}}],
        "fuzz": {"shapes": [{"dims": {}}], "strata": {"unit": {"ranges": {}}}},
    }
    return Spec.model_validate({**content, **changed})


def case(
    name: str = "example-1",
    group: Group = "examples",
    *,
    category: str = "",
    tolerance: float = 1e-3,
    expected: Mapping[str, ArrayLike] | None = None,
    dims: tuple[tuple[str, int], ...] = DIMS,
) -> Case:
    """A case that expects `W` and a loss of 3, or what is given; one tolerance for every element."""
    wanted: Mapping[str, ArrayLike] = {"w": W, "loss": 3.0} if expected is None else expected
    arrays = {key: _exact(value) for key, value in wanted.items()}
    tolerances = {key: np.full(value.shape, tolerance) for key, value in arrays.items()}
    return Case(name, group, category, Signature(dims), {"x": W, "lr": 0.1}, arrays, tolerances)


def _exact(value: ArrayLike) -> NDArray[Any]:
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def bank(*cases: Case, throwaway: Case | None = None) -> Bank:
    return Bank(1, cases, (throwaway or case("throwaway"),), "0" * 64)


def output(
    value: ArrayLike, *, devices: int = 2, split: int | None = None, kind: str = "jax", dtype: str = ""
) -> OutputArray:
    """An array on `devices`, whole on each or divided along axis `split`; a NumPy array is on device -1."""
    array = np.asarray(value)
    whole = tuple((0, size) for size in array.shape)
    shards = []
    for device in range(devices) if kind == "jax" else (-1,):
        if split is None:
            shards.append(Shard(device, whole, array))
            continue
        block = array.shape[split] // devices
        start, stop = device * block, (device + 1) * block
        index = tuple((start, stop) if axis == split else one for axis, one in enumerate(whole))
        shards.append(Shard(device, index, array[tuple(slice(*one) for one in index)]))
    return OutputArray(kind, dtype or array.dtype.name, array.shape, tuple(shards))


def answer(**outputs: OutputArray) -> Answer:
    """The right answer to `case()`, with some outputs replaced."""
    return Answer("dict", {"w": output(W), "loss": output(np.float32(3)), **outputs})


def without(key: str) -> Answer:
    return Answer("dict", {name: one for name, one in answer().outputs.items() if name != key})


def finding(
    verdict: Verdict,
    name: str = "example-1",
    *,
    source: Literal["live", "program", "structure"] = "live",
    sentence: str = "it is 5, expected 3.",
    discreet: str = "it is wrong.",
) -> Finding:
    return Finding(verdict, "check", source, name, "w", sentence, discreet)


def raised(message: str = "no such axis", line: int = 7, text: str = "return f(x)") -> Raised:
    return Raised("ValueError", message, line, text)
