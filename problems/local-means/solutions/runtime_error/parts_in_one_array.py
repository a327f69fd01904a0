"""Stacks the parts, which only works when all have the same size."""

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def solve(w, x, y, counts):
    cuts = np.cumsum(counts)[:-1]
    xs, ys = jnp.stack(jnp.split(x, cuts)), jnp.stack(jnp.split(y, cuts))
    local = jax.vmap(jax.grad(loss_of), in_axes=(None, 0, 0))(w, xs, ys)
    n = jnp.array(counts, jnp.float32)
    return {"summed": local.sum(axis=0), "averaged": local.mean(axis=0), "weighted": n @ local / n.sum()}
