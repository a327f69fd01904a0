"""Takes the local gradients out of pmap, averages them there and stacks eight copies on each device."""

import jax
import jax.numpy as jnp


def gradients(w, b, x, y):
    return jax.value_and_grad(lambda w, b: jnp.mean((x @ w + b - y) ** 2), (0, 1))(w, b)


mapped = jax.pmap(gradients, in_axes=(None, None, 0, 0))


def solve(w, b, x, y, lr):
    out = mapped(w, b, x.reshape(8, -1, *x.shape[1:]), y.reshape(8, -1, *y.shape[1:]))
    loss, (gw, gb) = jax.tree.map(lambda v: v.mean(axis=0), out)
    new = {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}
    return jax.tree.map(lambda v: jnp.broadcast_to(v, (8, *v.shape)), new)
