"""Calls the step `train_step`, as the lesson does."""

import jax
import jax.numpy as jnp


@jax.jit
def train_step(w, x, y, lr):
    loss, gradient = jax.value_and_grad(lambda v: jnp.mean((x @ v - y) ** 2))(w)
    return {"w": w - lr * gradient, "loss": loss, "gradient": gradient}
