"""Compiles with the counts as numbers that are not known while tracing."""

import jax
import jax.numpy as jnp


@jax.jit
def combine(w, x, y, counts):
    start, local = 0, []
    for n in counts:
        rows, targets = x[start : start + n], y[start : start + n]
        local.append(2 * rows.T @ (rows @ w - targets) / n)
        start += n
    local = jnp.stack(local)
    n = jnp.array(counts)
    return {"summed": local.sum(axis=0), "averaged": local.mean(axis=0), "weighted": n @ local / n.sum()}


def solve(w, x, y, counts):
    return combine(w, x, y, counts)
