"""Small problems made for a test: one file of an author's code, and the models around it."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from judge.model.problem import Problem, Spec

#: A step of a linear model without bias: two shapes, two rates, one of them zero.
STEP = """
    import numpy as np

    def solve(w, x, y, lr):
        residual = x @ w - y
        return {"w": w - lr * 2.0 * x.T @ residual / len(x), "loss": np.mean(residual**2)}
"""

STEP_MISTAKES = '''
    import numpy as np
    from oracle import solve

    def _private(w, x, y, lr):
        return {}

    def four_times(w, x, y, lr):
        """Your gradient is the sum
        of the shard means."""
        right = solve(w, x, y, lr)
        return {"w": w + 4.0 * (right["w"] - w), "loss": right["loss"]}

    def ascent(w, x, y, lr):
        """You add the gradient."""
        return {"w": 2.0 * w - solve(w, x, y, lr)["w"], "loss": solve(w, x, y, lr)["loss"]}

    def nothing_updated(w, x, y, lr):
        """You return the weights that came in."""
        return {"w": w, "loss": solve(w, x, y, lr)["loss"]}

    def rate_as_integer(w, x, y, lr):
        """You cut the rate to a whole number."""
        return solve(w, x, y, int(lr))
'''

STEP_SPEC: dict[str, Any] = {
    "title": "A step",
    "summary": "One step.",
    "devices": 4,
    "dims": {"N": {"min": 4, "multiple_of": 4}, "D": {}},
    "inputs": {
        "w": {"type": "array", "dtype": "float32", "shape": ["D"]},
        "x": {"type": "array", "dtype": "float32", "shape": ["N", "D"]},
        "y": {"type": "array", "dtype": "float32", "shape": ["N"]},
        "lr": {"type": "float"},
    },
    "outputs": {
        "w": {"dtype": ["float32"], "shape": ["D"], "placement": "replicated"},
        "loss": {"dtype": ["float32"], "shape": []},
    },
    "cases": [
        {
            "name": "by-hand",
            "visible": True,
            "inputs": {"w": [0.0], "x": [[1.0], [2.0], [3.0], [4.0]], "y": [1.0, 2.0, 3.0, 4.0], "lr": 0.1},
            "outputs": {"w": [1.5], "loss": 7.5},
        },
        {
            "name": "by-rule",
            "category": "a case made by a rule",
            "rule": {"dims": {"N": 8, "D": 3}, "seed": 5, "stratum": "unit", "values": {"lr": 1.0}},
            "outputs": {"w": [1.18, -1.86, 2.14], "loss": 5.43},
        },
    ],
    "fuzz": {
        "cases": 24,
        "shapes": [
            {"dims": {"N": 4, "D": 1}, "values": {"lr": [0.1, 0.0]}},
            {"dims": {"N": 8, "D": 3}, "values": {"lr": [0.5, 1.0]}},
        ],
        "strata": {
            "unit": {
                "weight": 2,
                "doc": "Numbers of everyday size.",
                "ranges": {n: {"min": -2.0, "max": 2.0} for n in "wxy"},
            },
            "offset": {
                "doc": "targets near 10000",
                "ranges": {
                    "w": {"min": -1.0, "max": 1.0},
                    "x": {"min": -1.0, "max": 1.0},
                    "y": {"min": -1.0, "max": 1.0, "offset": 10000.0},
                },
            },
        },
    },
}

#: A mean over the valid rows, which says how many there are; whole numbers and a tuple among its inputs.
MASKED = """
    import numpy as np

    def solve(x, mask, times, counts):
        return {"mean": np.mean(x[mask]) * times, "valid": int(mask.sum()), "parts": np.array(counts) > 1}
"""

MASKED_SPEC: dict[str, Any] = {
    "title": "A masked mean",
    "summary": "A mean.",
    "devices": 4,
    "dims": {"N": {"multiple_of": 4}, "P": {}},
    "inputs": {
        "x": {"type": "array", "dtype": "float32", "shape": ["N"]},
        "mask": {"type": "array", "dtype": "bool", "shape": ["N"], "at_least_one": True},
        "times": {"type": "int", "min": 1},
        "counts": {"type": "ints", "min": 1, "sum": "N"},
    },
    "outputs": {
        "mean": {"dtype": ["float32"], "shape": []},
        "valid": {"dtype": ["int32"], "shape": []},
        "parts": {"dtype": ["bool"], "shape": [2]},
    },
    "cases": [
        {
            "name": "by-hand",
            "visible": True,
            "inputs": {"x": [1.0, 2.0, 3.0, 9.0], "mask": [True, True, False, False], "times": 2, "counts": [1, 3]},
            "outputs": {"mean": 3.0, "valid": 2, "parts": [False, True]},
        }
    ],
    "fuzz": {
        "cases": 30,
        "shapes": [
            {"dims": {"N": 4, "P": 1}, "values": {"times": [1], "counts": [[1, 3]]}},
            {"dims": {"N": 16, "P": 1}, "values": {"times": [2, 3], "counts": [[10, 6]]}},
        ],
        "strata": {
            "gaps": {
                "ranges": {
                    "x": {"min": -2.0, "max": 2.0, "unmasked": {"mask": "mask", "values": [1.0e18, -1.0e18]}},
                    "mask": {"share": 0.3, "empty_shards": 3},
                }
            }
        },
    },
}


def authored(folder: Path, spec: dict[str, Any], *, oracle: str = "", mistakes: str = "") -> Problem:
    """A problem in `folder`, its files written where there is something to write."""
    for name, source in (("oracle.py", oracle), ("mistakes.py", mistakes)):
        if source:
            (folder / name).write_text(textwrap.dedent(source), encoding="utf-8")
    return Problem(
        slug=folder.name, folder=folder, digest="0" * 64, spec=Spec.model_validate(spec), statement="A statement."
    )


def step_problem(folder: Path, *, oracle: str = STEP, mistakes: str = STEP_MISTAKES) -> Problem:
    return authored(folder, STEP_SPEC, oracle=oracle, mistakes=mistakes)


def masked_problem(folder: Path, *, oracle: str = MASKED) -> Problem:
    return authored(folder, MASKED_SPEC, oracle=oracle)
