"""Returns the one that is right."""

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
    return {"weighted": n @ local / n.sum()}
