"""Gradients of single rows by vmap inside pmap, averaged on the device and over the devices."""

import jax
import jax.numpy as jnp


def row_loss(params, row, target):
    return jnp.mean((row @ params[0] + params[1] - target) ** 2)


def step(params, x, y, lr):
    rows = jax.vmap(jax.value_and_grad(row_loss), in_axes=(None, 0, 0))(params, x, y)
    loss, grads = jax.tree.map(lambda v: jax.lax.pmean(v.mean(axis=0), "batch"), rows)
    return [p - lr * g for p, g in zip(params, grads)], loss


mapped = jax.pmap(step, axis_name="batch", in_axes=(None, 0, 0, None))


def solve(w, b, x, y, lr):
    (w, b), loss = mapped([w, b], x.reshape(8, -1, *x.shape[1:]), y.reshape(8, -1, *y.shape[1:]), lr)
    return {"w": w, "b": b, "loss": loss}
