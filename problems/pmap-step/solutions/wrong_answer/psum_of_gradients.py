# mistake: gradient-eight-times
"""Adds the gradients up over the devices and forgets to divide."""

import jax
import jax.numpy as jnp


def step(w, b, x, y, lr):
    loss, grads = jax.value_and_grad(lambda w, b: jnp.mean((x @ w + b - y) ** 2), (0, 1))(w, b)
    gw, gb = jax.lax.psum(grads, "batch")
    return w - lr * gw, b - lr * gb, jax.lax.pmean(loss, "batch")


mapped = jax.pmap(step, axis_name="batch", in_axes=(None, None, 0, 0, None))


def solve(w, b, x, y, lr):
    w, b, loss = mapped(w, b, x.reshape(8, -1, *x.shape[1:]), y.reshape(8, -1, *y.shape[1:]), lr)
    return {"w": w, "b": b, "loss": loss}
