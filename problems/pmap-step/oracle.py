"""The step in float64 NumPy: one device, the whole batch, the formula of the statement; the answer stands there 8 times."""

from __future__ import annotations

from typing import Any

import numpy as np

DEVICES = 8


def _float64(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array, np.float64) for array in arrays]


def _stacked(value: np.ndarray) -> np.ndarray:
    return np.repeat(np.asarray(value)[None], DEVICES, axis=0)


def solve(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Return `w` `[8, D, K]` and `b` `[8, K]` after one step, and `loss` `[8]` before it; float64, all rows equal."""
    w, b, x, y = _float64(w, b, x, y)
    residual = x @ w + b - y
    loss = np.sum(residual**2) / y.size
    gradient_w = 2.0 * x.T @ residual / y.size
    gradient_b = 2.0 * residual.sum(axis=0) / y.size
    return {"w": _stacked(w - lr * gradient_w), "b": _stacked(b - lr * gradient_b), "loss": _stacked(loss)}


def intermediates(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """What each device holds on the way, float64, device first: `[8, ...]`.

    A value that all devices hold after the mean stands there eight times.
    """
    w, b, x, y = _float64(w, b, x, y)
    xs = x.reshape(DEVICES, -1, x.shape[1])
    ys = y.reshape(DEVICES, -1, y.shape[1])
    elements = ys[0].size
    predictions = xs @ w + b
    residuals = predictions - ys
    shard_loss = np.sum(residuals**2, axis=(1, 2)) / elements
    shard_gradient_w = 2.0 * np.einsum("rnd,rnk->rdk", xs, residuals) / elements
    shard_gradient_b = 2.0 * residuals.sum(axis=1) / elements
    return {
        "prediction": predictions,
        "residual": residuals,
        "shard_loss": shard_loss,
        "shard_gradient_w": shard_gradient_w,
        "shard_gradient_b": shard_gradient_b,
        "loss": _stacked(shard_loss.mean(axis=0)),
        "gradient_w": _stacked(shard_gradient_w.mean(axis=0)),
        "gradient_b": _stacked(shard_gradient_b.mean(axis=0)),
    }
