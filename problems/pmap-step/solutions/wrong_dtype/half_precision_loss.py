"""Keeps the loss in float16 to save space."""

import jax
import jax.numpy as jnp


def step(w, b, x, y, lr):
    out = jax.value_and_grad(lambda w, b: jnp.mean((x @ w + b - y) ** 2), (0, 1))(w, b)
    loss, (gw, gb) = jax.lax.pmean(out, "batch")
    return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss.astype(jnp.float16)}


mapped = jax.pmap(step, axis_name="batch", in_axes=(None, None, 0, 0, None))


def solve(w, b, x, y, lr):
    return mapped(w, b, x.reshape(8, -1, *x.shape[1:]), y.reshape(8, -1, *y.shape[1:]), lr)
