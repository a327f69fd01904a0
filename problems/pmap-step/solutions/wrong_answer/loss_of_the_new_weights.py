# mistake: loss-after-step
"""Evaluates the loss once the weights have moved."""

import jax
import jax.numpy as jnp


def loss_fn(w, b, x, y):
    return jnp.mean((x @ w + b - y) ** 2)


def step(w, b, x, y, lr):
    gw, gb = jax.lax.pmean(jax.grad(loss_fn, (0, 1))(w, b, x, y), "batch")
    w, b = w - lr * gw, b - lr * gb
    return w, b, jax.lax.pmean(loss_fn(w, b, x, y), "batch")


mapped = jax.pmap(step, axis_name="batch", in_axes=(None, None, 0, 0, None))


def solve(w, b, x, y, lr):
    w, b, loss = mapped(w, b, x.reshape(8, -1, *x.shape[1:]), y.reshape(8, -1, *y.shape[1:]), lr)
    return {"w": w, "b": b, "loss": loss}
