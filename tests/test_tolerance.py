from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from judge.tolerance import EPS, perturb_unit, perturbed, tolerance

Outputs = dict[str, NDArray[Any]]
DEVICES = 8
#: Half-width and offset of the targets (and of the bias) of each scale.
SCALES = {"unit": (1.0, 0.0), "x300": (300.0, 0.0), "offset 1e4": (1.0, 1e4), "1e-3": (1e-3, 0.0)}


def step(values: Sequence[Any]) -> Outputs:
    """The float64 step of a linear model with bias."""
    w, b, x, y, lr = values
    residual = x @ w + b - y
    return {
        "w": w - lr * 2.0 * x.T @ residual / len(x),
        "b": b - lr * 2.0 * residual.sum(axis=0) / len(x),
        "loss": np.asarray(np.sum(residual**2) / len(x)),
    }


def bfloat16(array: NDArray[Any]) -> NDArray[Any]:
    """The nearest values with eight bits of mantissa, as float32."""
    bits = (array.astype(np.float32).view(np.uint32) + 0x8000) & np.uint32(0xFFFF0000)
    return bits.view(np.float32)


def step32(values: Sequence[Any], order: NDArray[Any], cast: Callable[[Any], Any] = lambda array: array) -> Outputs:
    """The same in float32, shard by shard, the rows in another order; `cast` is done to what the model multiplies."""
    w, b, x, y = (np.asarray(value, np.float32) for value in values[:4])
    lr, rows = np.float32(values[4]), len(order) // DEVICES
    gradient_w, gradient_b, loss = np.zeros_like(w), np.zeros_like(b), np.float32(0)
    for part in np.split(order, DEVICES):
        residual = cast(x[part]) @ cast(w) + b - y[part]
        gradient_w += np.float32(2) * x[part].T @ residual / np.float32(rows)
        gradient_b += np.float32(2) * residual.sum(axis=0) / np.float32(rows)
        loss += (residual**2).sum() / np.float32(rows)
    eighth = np.float32(1 / DEVICES)
    return {"w": w - lr * (gradient_w * eighth), "b": b - lr * (gradient_b * eighth), "loss": np.asarray(loss * eighth)}


def drawn(rng: np.random.Generator, scale: str) -> list[Any]:
    width, offset = SCALES[scale]
    rows, features, outputs = 8 * int(rng.integers(1, 5)), int(rng.integers(1, 9)), int(rng.integers(1, 5))

    def array(*shape: int, around: float = 0.0) -> NDArray[Any]:
        return (rng.uniform(-width, width, shape) + around).astype(np.float32)

    return [
        array(features, outputs),
        array(outputs, around=offset),
        array(rows, features),
        array(rows, outputs, around=offset),
        float(rng.choice([0.0, 0.1, 0.01, 1.0])),
    ]


def units_needed(values: Sequence[Any], actual: Outputs, atol: float) -> float:
    """How many units beyond `atol` it takes to call `actual` right."""
    exact = [value.astype(np.float64) if isinstance(value, np.ndarray) else value for value in values]
    expected = step(exact)
    unit = perturb_unit(step, exact, expected, 24)
    return max(
        float(np.max(np.maximum(np.abs(actual[key] - expected[key]) - atol, 0) / np.maximum(unit[key], 1e-300)))
        for key in expected
    )


@pytest.mark.parametrize("scale", SCALES)
def test_right_float32_steps_stay_below_two_units_at_every_scale_and_row_order(scale: str) -> None:
    rng = np.random.default_rng(11)
    worst = 0.0
    for _ in range(60):
        values = drawn(rng, scale)
        order = rng.permutation(len(values[2]))
        worst = max(worst, units_needed(values, step32(values, order), atol=1e-6))
    # 16 units are allowed: a right solution has eight times what it needs.
    assert worst < 2.0


@pytest.mark.parametrize("scale", ["unit", "x300"])
def test_bfloat16_inside_needs_more_than_sixteen_units(scale: str) -> None:
    rng = np.random.default_rng(12)
    for _ in range(40):
        values = [*drawn(rng, scale)[:4], 0.1]
        wrong = step32(values, np.arange(len(values[2])), cast=bfloat16)
        assert units_needed(values, wrong, atol=1e-6) > 16


def test_a_rate_that_a_program_rounds_to_float32_stays_within_two_units() -> None:
    rng = np.random.default_rng(13)
    for _ in range(40):
        values = drawn(rng, "x300")
        values[4] = 0.1
        exact = [value.astype(np.float64) if isinstance(value, np.ndarray) else value for value in values]
        rounded = step([*exact[:4], float(np.float32(0.1))])
        assert units_needed(values, rounded, atol=0.0) < 2.0


def test_every_float_moves_by_half_a_float32_spacing_and_nothing_else_moves() -> None:
    values: list[Any] = [np.full(100, 3.0), 0.5, np.array([True, False]), np.array([1, 2]), 7, (1, 2)]
    moved = perturbed(values, np.random.default_rng(0))
    assert set(np.unique(moved[0] / 3.0 - 1.0)) == {-EPS, EPS}
    assert abs(moved[1] - 0.5) == 0.5 * EPS
    for before, after in zip(values[2:], moved[2:], strict=True):
        assert after is before


def test_the_unit_of_the_identity_is_two_roundings() -> None:
    values = [np.array([1.0, -4.0, 0.0])]
    expected = {"same": values[0]}
    unit = perturb_unit(lambda given: {"same": given[0]}, values, expected, 8)
    np.testing.assert_array_equal(unit["same"], 2 * EPS * np.abs(values[0]))


def test_the_tolerance_is_the_absolute_part_and_so_many_units_and_zero_for_what_is_exact() -> None:
    expected = {"a": np.array([1.0]), "n": np.array([3]), "yes": np.array([True])}
    unit = {key: np.full(1, 0.5) for key in expected}
    found = tolerance(expected, unit, atol=0.25, safety=4.0)
    assert found["a"] == 2.25
    assert found["n"] == 0
    assert found["yes"] == 0


def test_what_is_not_finite_has_no_finite_unit() -> None:
    values = [np.array([0.0])]
    with np.errstate(all="ignore"):
        expected = {"inverse": 1.0 / values[0]}
    unit = perturb_unit(lambda given: {"inverse": 1.0 / given[0]}, values, expected, 4)
    assert not np.isfinite(unit["inverse"]).any()
