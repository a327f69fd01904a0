"""Trains on one device and leaves the history there."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="steps")
def run(w, x, y, lr, steps):
    def body(w, _):
        loss, gradient = jax.value_and_grad(lambda v: jnp.mean((x @ v - y) ** 2))(w)
        w = w - lr * gradient
        return w, {"weights": w, "losses": loss}

    return jax.lax.scan(body, w, length=steps)[1]


def solve(w, x, y, lr, steps):
    return run(w, x, y, lr, steps=steps)
