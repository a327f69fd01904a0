"""Right numbers from NumPy; no device has seen them."""

import numpy as np


def solve(w, x, y, lr):
    w, x, y = np.asarray(w), np.asarray(x), np.asarray(y)
    residual = x @ w - y
    gradient = (2 * x.T @ residual / len(y)).astype(np.float32)
    return {"w": w - np.float32(lr) * gradient, "loss": np.mean(residual**2), "gradient": gradient}
