"""The reference for `ten-steps`: full-batch gradient descent in float64 NumPy, every step of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DEVICES = 4


def solve(w: Any, x: Any, y: Any, lr: float, steps: int) -> dict[str, NDArray[np.float64]]:
    """Weights after each update [steps, D], and the loss before each update [steps]."""
    w, x, y = (np.asarray(value, dtype=np.float64) for value in (w, x, y))
    weights, losses = [], []
    for _ in range(steps):
        residual = x @ w - y
        w = w - lr * 2.0 * (x.T @ residual) / len(y)
        weights.append(w)
        losses.append(np.mean(residual**2))
    return {"weights": np.array(weights), "losses": np.array(losses)}


def intermediates(w: Any, x: Any, y: Any, lr: float, steps: int) -> dict[str, NDArray[np.float64]]:
    """What each device contributes before each update, first axis by device; the means over it are the global values.

    `local_losses` [4, steps] and `local_gradients` [4, steps, D] are means over the device's own rows.
    """
    w, x, y = (np.asarray(value, dtype=np.float64) for value in (w, x, y))
    rows = x.reshape(DEVICES, -1, x.shape[1])
    targets = y.reshape(DEVICES, -1)
    losses, gradients = [], []
    for _ in range(steps):
        residual = rows @ w - targets
        gradient = 2.0 * np.einsum("rnd,rn->rd", rows, residual) / rows.shape[1]
        losses.append(np.mean(residual**2, axis=1))
        gradients.append(gradient)
        w = w - lr * np.mean(gradient, axis=0)
    return {"local_losses": np.stack(losses, axis=1), "local_gradients": np.stack(gradients, axis=1)}
