# mistake: weighted-by-parts
"""Takes the mean of the products with the counts."""

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def solve(w, x, y, counts):
    cuts = np.cumsum(counts)[:-1]
    parts = zip(jnp.split(x, cuts), jnp.split(y, cuts))
    local = jnp.stack([jax.grad(loss_of)(w, rows, targets) for rows, targets in parts])
    n = jnp.array(counts, jnp.float32)
    return {
        "summed": local.sum(axis=0),
        "averaged": local.mean(axis=0),
        "weighted": jnp.mean(n[:, None] * local, axis=0),
    }
