"""Gives the whole batch to each replica: nothing to average, and nothing shared out."""

import jax
import jax.numpy as jnp


def step(_, w, b, x, y, lr):
    loss, (gw, gb) = jax.value_and_grad(lambda w, b: jnp.mean((x @ w + b - y) ** 2), (0, 1))(w, b)
    return w - lr * gw, b - lr * gb, loss


mapped = jax.pmap(step, axis_name="batch", in_axes=(0, None, None, None, None, None))


def solve(w, b, x, y, lr):
    w, b, loss = mapped(jnp.arange(8), w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
