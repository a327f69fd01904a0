# mistake: equal-parts
"""Cuts the batch into equal parts, whatever the counts say."""

import jax
import jax.numpy as jnp


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def solve(w, x, y, counts):
    parts = zip(jnp.array_split(x, len(counts)), jnp.array_split(y, len(counts)))
    local = jnp.stack([jax.grad(loss_of)(w, rows, targets) for rows, targets in parts])
    n = jnp.array(counts, jnp.float32)
    return {"summed": local.sum(axis=0), "averaged": local.mean(axis=0), "weighted": n @ local / n.sum()}
