"""The reference for `jit-step`: one step of gradient descent on the whole batch, in float64 NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DEVICES = 4


def solve(w: Any, x: Any, y: Any, lr: float) -> dict[str, NDArray[np.float64]]:
    """Updated weights [D], and loss [] and gradient [D] at the weights that came in."""
    w, x, y = (np.asarray(value, dtype=np.float64) for value in (w, x, y))
    residual = x @ w - y
    gradient = 2.0 * (x.T @ residual) / len(y)
    return {"w": w - lr * gradient, "loss": np.asarray(np.mean(residual**2)), "gradient": gradient}


def intermediates(w: Any, x: Any, y: Any, lr: float) -> dict[str, NDArray[np.float64]]:
    """What each device contributes, first axis by device; the sums over it, divided by N, are loss and gradient.

    `residual` [4, N/4], `squared_error_sum` [4] and `gradient_sum` [4, D] of the device's own rows.
    """
    w, x, y = (np.asarray(value, dtype=np.float64) for value in (w, x, y))
    rows = x.reshape(DEVICES, -1, x.shape[1])
    residual = rows @ w - y.reshape(DEVICES, -1)
    return {
        "residual": residual,
        "squared_error_sum": np.sum(residual**2, axis=1),
        "gradient_sum": 2.0 * np.einsum("rnd,rn->rd", rows, residual),
    }
