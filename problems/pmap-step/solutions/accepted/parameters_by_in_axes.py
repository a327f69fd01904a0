"""Lets pmap copy the parameters: in_axes None for what all replicas share."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.pmap, axis_name="replica", in_axes=(None, None, 0, 0, None))
def step(w, b, x, y, lr):
    def loss_fn(w, b):
        return jnp.mean(jnp.square(jnp.dot(x, w) + b - y))

    result = jax.value_and_grad(loss_fn, argnums=(0, 1))(w, b)
    loss, (gw, gb) = jax.lax.pmean(result, "replica")
    return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}


def solve(w, b, x, y, lr):
    n, d = x.shape
    return step(w, b, x.reshape(8, n // 8, d), y.reshape(8, n // 8, -1), lr)
