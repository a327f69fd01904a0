"""A bracket is missing."""

import jax


def solve(w, x, y, lr):
    return {"w": w, "loss": jax.numpy.mean((x @ w - y) ** 2, "gradient": w}
