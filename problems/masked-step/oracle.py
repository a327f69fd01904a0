"""The step in float64 NumPy: one device, the valid rows picked out, the formula of the statement."""

from __future__ import annotations

from typing import Any

import numpy as np

DEVICES = 8


def _float64(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array, np.float64) for array in arrays]


def solve(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """Return `w` `[D, K]` and `b` `[K]` after one step over the valid rows, and `loss` `()` before it; all float64."""
    w, b, x, y = _float64(w, b, x, y)
    valid = np.asarray(mask, bool)
    x, y = x[valid], y[valid]
    residual = x @ w + b - y
    loss = np.sum(residual**2) / len(x)
    gradient_w = 2.0 * x.T @ residual / len(x)
    gradient_b = 2.0 * residual.sum(axis=0) / len(x)
    return {"w": w - lr * gradient_w, "b": b - lr * gradient_b, "loss": loss}


def intermediates(w: Any, b: Any, x: Any, y: Any, mask: Any, lr: float) -> dict[str, np.ndarray]:
    """What each device holds on the way, float64, device first: `[8, ...]`.

    Residuals of rows that are not valid are 0. A value that all devices hold after the reduction stands there eight times.
    """
    w, b, x, y = _float64(w, b, x, y)
    valid = np.asarray(mask, bool)[:, None]
    # Zeroed before the arithmetic: padding may hold anything, and its square need not be finite.
    xs = np.where(valid, x, 0.0).reshape(DEVICES, -1, x.shape[1])
    ys = np.where(valid, y, 0.0).reshape(DEVICES, -1, y.shape[1])
    residuals = (xs @ w + b - ys) * valid.reshape(DEVICES, -1, 1)
    counts = valid.reshape(DEVICES, -1).sum(axis=1)
    sums = {
        "shard_squared_error": np.sum(residuals**2, axis=(1, 2)),
        "shard_gradient_sum_w": 2.0 * np.einsum("rnd,rnk->rdk", xs, residuals),
        "shard_gradient_sum_b": 2.0 * residuals.sum(axis=1),
    }
    total = counts.sum()
    means = {
        "count": np.float64(total),
        "loss": sums["shard_squared_error"].sum() / total,
        "gradient_w": sums["shard_gradient_sum_w"].sum(axis=0) / total,
        "gradient_b": sums["shard_gradient_sum_b"].sum(axis=0) / total,
    }
    everywhere = {name: np.broadcast_to(mean, (DEVICES, *mean.shape)) for name, mean in means.items()}
    return {"residual": residuals, "shard_count": counts.astype(np.float64), **sums, **everywhere}
