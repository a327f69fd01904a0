"""How far apart is too far: a tolerance that knows the scale of the data.

    tolerance = atol + safety * unit

element by element. `unit` is the rounding error that any float32 computation of the answer must be allowed, found with
nothing but the float64 oracle `f`. Over `draws` random sign patterns s, each input v moved by `2**-24` of itself:

    unit = max over s of |f(v * (1 + s * 2**-24)) - f(v)|  +  2**-24 * |f(v)|

The first part is a backward error: 2**-24 is half the spacing of float32 relative to its value, so an answer within it
is the exact answer for inputs that float32 cannot tell from the given ones. The second part is the rounding of the
answer itself. No fixed pair of relative and absolute tolerances accepts right solutions at every scale (targets of 1e4)
and rejects an answer with bfloat16 inside (targets of 1); this one does: right solutions stay below 1.5 units, such
mistakes above 40.

Arrays of floats and float scalars move alike, for a program rounds a Python float to float32. Ints and bools stay as
they are: what is exact has no unit. The sign patterns come from a fixed seed, so a case has one tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

EPS = 2.0**-24
#: Any number does; changing it changes every tolerance a little.
SIGNS_SEED = 20240607

#: Float outputs are float64; ints and bools are what they are.
Outputs = Mapping[str, NDArray[Any]]


def perturbed(values: Sequence[Any], rng: np.random.Generator) -> list[Any]:
    """New values, each float moved by `2**-24` of itself up or down; ints, tuples and bools as they are."""
    moved: list[Any] = []
    for value in values:
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            signs = rng.integers(0, 2, size=value.shape) * 2 - 1
            moved.append(value * (1.0 + signs * EPS))
        elif isinstance(value, float):
            moved.append(value * (1.0 + (int(rng.integers(0, 2)) * 2 - 1) * EPS))
        else:
            moved.append(value)
    return moved


def perturb_unit(
    function: Callable[[Sequence[Any]], Outputs], values: Sequence[Any], expected: Outputs, draws: int
) -> dict[str, NDArray[np.float64]]:
    """The unit of each element of `expected`, which is `function(values)`; float64, zero for ints and bools.

    An element that is not finite, in `expected` or in a draw, makes its unit NaN or infinite.
    """
    rng = np.random.default_rng(SIGNS_SEED)
    unit = {key: np.zeros(value.shape) for key, value in expected.items()}
    floats = [key for key, value in expected.items() if value.dtype.kind == "f"]
    if not floats:
        return unit
    with np.errstate(all="ignore"):
        for _ in range(draws):
            outputs = function(perturbed(values, rng))
            for key in floats:
                unit[key] = np.maximum(unit[key], np.abs(outputs[key] - expected[key]))
        for key in floats:
            unit[key] = unit[key] + EPS * np.abs(expected[key])
    return unit


def tolerance(
    expected: Outputs, unit: Mapping[str, NDArray[np.float64]], *, atol: float, safety: float
) -> dict[str, NDArray[np.float64]]:
    """`atol + safety * unit` for floats; 0 for ints and bools, which are right or wrong."""
    return {
        key: np.asarray(atol + safety * unit[key]) if value.dtype.kind == "f" else np.zeros(value.shape)
        for key, value in expected.items()
    }
