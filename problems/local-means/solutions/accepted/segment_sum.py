"""Gradients of single rows, summed by the part that each row belongs to."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="counts")
def combine(w, x, y, counts):
    n = jnp.array(counts)
    part = jnp.repeat(jnp.arange(len(counts)), n, total_repeat_length=sum(counts))
    by_row = jax.vmap(jax.grad(lambda v, features, target: (features @ v - target) ** 2), in_axes=(None, 0, 0))(w, x, y)
    local = jax.ops.segment_sum(by_row, part, num_segments=len(counts)) / n[:, None]
    return {
        "summed": local.sum(axis=0),
        "averaged": local.mean(axis=0),
        "weighted": jnp.average(local, axis=0, weights=n.astype(jnp.float32)),
    }


def solve(w, x, y, counts):
    return combine(w, x, y, counts=counts)
