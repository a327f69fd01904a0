"""The step in float64 NumPy: one device, the whole batch, the formula of the statement."""

from __future__ import annotations

from typing import Any

import numpy as np

DEVICES = 8


def _float64(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array, np.float64) for array in arrays]


def solve(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """Return `w` `[D, K]` and `b` `[K]` after one step, and `loss` `()` before it; all float64."""
    w, b, x, y = _float64(w, b, x, y)
    residual = x @ w + b - y
    loss = np.sum(residual**2) / len(x)
    gradient_w = 2.0 * x.T @ residual / len(x)
    gradient_b = 2.0 * residual.sum(axis=0) / len(x)
    return {"w": w - lr * gradient_w, "b": b - lr * gradient_b, "loss": loss}


def intermediates(w: Any, b: Any, x: Any, y: Any, lr: float) -> dict[str, np.ndarray]:
    """What each device holds on the way, float64, device first: `[8, ...]`.

    A value that all devices hold after the reduction stands there eight times.
    """
    w, b, x, y = _float64(w, b, x, y)
    xs = x.reshape(DEVICES, -1, x.shape[1])
    ys = y.reshape(DEVICES, -1, y.shape[1])
    rows = xs.shape[1]
    predictions = xs @ w + b
    residuals = predictions - ys
    shard_gradient_w = 2.0 * np.einsum("rnd,rnk->rdk", xs, residuals) / rows
    shard_gradient_b = 2.0 * residuals.sum(axis=1) / rows
    shard_loss = np.sum(residuals**2, axis=(1, 2)) / rows
    return {
        "prediction": predictions,
        "residual": residuals,
        "shard_loss": shard_loss,
        "shard_gradient_w": shard_gradient_w,
        "shard_gradient_b": shard_gradient_b,
        "loss": np.broadcast_to(shard_loss.mean(axis=0), shard_loss.shape),
        "gradient_w": np.broadcast_to(shard_gradient_w.mean(axis=0), shard_gradient_w.shape),
        "gradient_b": np.broadcast_to(shard_gradient_b.mean(axis=0), shard_gradient_b.shape),
    }
