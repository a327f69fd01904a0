# mistake: summed-local-gradients
"""Cuts the batch by hand and adds the mean gradients."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def step(w, x, y, lr):
    xs, ys = x.reshape(4, -1, x.shape[1]), y.reshape(4, -1)
    losses, gradients = jax.vmap(jax.value_and_grad(loss_of), in_axes=(None, 0, 0))(w, xs, ys)
    loss, gradient = losses.mean(), gradients.sum(axis=0)
    return {"w": w - lr * gradient, "loss": loss, "gradient": gradient}


train = jax.jit(step, in_shardings=(whole, rows, rows, whole), out_shardings=whole)


def solve(w, x, y, lr):
    return train(w, x, y, lr)
