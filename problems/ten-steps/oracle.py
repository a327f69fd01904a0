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
    """What each device holds before each update, first axis by device, second by update.

    `residuals` [4, steps, N/4]; `local_losses` [4, steps] and `local_gradients` [4, steps, D] are means over the device's own
    rows; `mean_losses` and `mean_gradients` are the means of those over the devices, which all devices hold.
    """
    w, x, y = (np.asarray(value, dtype=np.float64) for value in (w, x, y))
    rows = x.reshape(DEVICES, -1, x.shape[1])
    targets = y.reshape(DEVICES, -1)
    residuals, losses, gradients = [], [], []
    for _ in range(steps):
        residual = rows @ w - targets
        residuals.append(residual)
        gradient = 2.0 * np.einsum("rnd,rn->rd", rows, residual) / rows.shape[1]
        losses.append(np.mean(residual**2, axis=1))
        gradients.append(gradient)
        w = w - lr * np.mean(gradient, axis=0)
    local_losses, local_gradients = np.stack(losses, axis=1), np.stack(gradients, axis=1)
    return {
        "residuals": np.stack(residuals, axis=1),
        "local_losses": local_losses,
        "local_gradients": local_gradients,
        "mean_losses": np.broadcast_to(local_losses.mean(axis=0), local_losses.shape),
        "mean_gradients": np.broadcast_to(local_gradients.mean(axis=0), local_gradients.shape),
    }
