# mistake: weighted-is-plain
"""Believes that a mean of means is the mean."""

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def solve(w, x, y, counts):
    cuts = np.cumsum(counts)[:-1]
    parts = zip(jnp.split(x, cuts), jnp.split(y, cuts))
    local = jnp.stack([jax.grad(loss_of)(w, rows, targets) for rows, targets in parts])
    return {"summed": local.sum(axis=0), "averaged": local.mean(axis=0), "weighted": local.mean(axis=0)}
