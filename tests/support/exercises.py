"""The exercises of the labelled cases as problems, without their folders: enough to run submissions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from judge.model.case import Case, Signature, Value
from judge.model.problem import Problem, Spec
from judge.model.submission import Submission

#: Devices, and the call as `name: shape`, `float`, `int` or `ints`.
EXERCISES: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "shard-map-step": (8, {"w": ("D", "K"), "b": ("K",), "x": ("N", "D"), "y": ("N", "K"), "lr": "float"}),
    "jit-step": (4, {"w": ("D",), "x": ("N", "D"), "y": ("N",), "lr": "float"}),
    "masked-step": (
        8,
        {"w": ("D", "K"), "b": ("K",), "x": ("N", "D"), "y": ("N", "K"), "mask": ("N",), "lr": "float"},
    ),
    "pmap-step": (8, {"w": ("D", "K"), "b": ("K",), "x": ("N", "D"), "y": ("N", "K"), "lr": "float"}),
    "ten-steps": (4, {"w": ("D",), "x": ("N", "D"), "y": ("N",), "lr": "float", "steps": "int"}),
    "local-means": (1, {"w": ("D",), "x": ("N", "D"), "y": ("N",), "counts": "ints"}),
}
SCALARS: Mapping[str, Any] = {"lr": 0.1, "steps": 3, "counts": (3, 4, 1)}


def problem(slug: str, **limits: float) -> Problem:
    """A problem with the devices and the inputs of an exercise; its outputs and cases are of no account here."""
    devices, inputs = EXERCISES[slug]
    spec = Spec.model_validate(
        {
            "title": slug,
            "summary": slug,
            "devices": devices,
            "dims": {name: {} for name in ("N", "D", "K")},
            "inputs": {name: _input(name, given) for name, given in inputs.items()},
            "outputs": {"loss": {"dtype": ["float32"], "shape": []}},
            "limits": limits,
            "cases": [{"name": "none", "outputs": {}}],
            "fuzz": {"shapes": [{"dims": {}}], "strata": {"unit": {"ranges": {}}}},
        }
    )
    return Problem(slug=slug, folder=Path(slug), digest="", spec=spec, statement="")


def case(slug: str, label: str = "one", *, seed: int = 0, n: int = 8, d: int = 3, k: int = 2, **scalars: Any) -> Case:
    """A case of random inputs; `scalars` replace those of `SCALARS`."""
    draw = np.random.Generator(np.random.PCG64(seed))
    sizes = {"N": n, "D": d, "K": k}
    inputs: dict[str, Value] = {}
    for name, given in EXERCISES[slug][1].items():
        if isinstance(given, str):
            inputs[name] = scalars.get(name, SCALARS[name])
        else:
            values = draw.normal(size=tuple(sizes[dim] for dim in given))
            inputs[name] = values > -0.5 if name == "mask" else values.astype(np.float32)
    static = tuple((name, inputs[name]) for name in ("steps", "counts") if name in inputs)
    dims = tuple(sizes.items())
    return Case(label, "fuzzed", "", Signature(dims, static), inputs, {}, {})  # type: ignore[arg-type]  # int or tuple


def submission(slug: str, source: bytes | str, name: str = "solve.py") -> Submission:
    content = source.encode() if isinstance(source, str) else source
    return Submission("student", slug, Path(name), content, hashlib.sha256(content).hexdigest())


def _input(name: str, given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        return {"type": given}
    return {"type": "array", "dtype": "bool" if name == "mask" else "float32", "shape": list(given)}
