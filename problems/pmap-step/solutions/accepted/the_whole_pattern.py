"""Copies the parameters, cuts the batch, maps the step: the pattern as it is usually written."""

import jax
import jax.numpy as jnp

DEVICES = jax.local_device_count()


def loss_fn(params, x, y):
    w, b = params
    return jnp.mean((x @ w + b - y) ** 2)


def train_step(params, x, y, lr):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    grads = jax.lax.pmean(grads, axis_name="batch")
    loss = jax.lax.pmean(loss, axis_name="batch")
    return jax.tree.map(lambda p, g: p - lr * g, params, grads), loss


p_train_step = jax.pmap(train_step, axis_name="batch")


def cut(array):
    return array.reshape(DEVICES, -1, *array.shape[1:])


def solve(w, b, x, y, lr):
    params = jax.tree.map(lambda p: jnp.stack([p] * DEVICES), (w, b))
    (w, b), loss = p_train_step(params, cut(x), cut(y), jnp.full(DEVICES, lr, jnp.float32))
    return {"w": w, "b": b, "loss": loss}
