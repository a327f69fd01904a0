"""Gradients of single examples under vmap, and the mean of them in each step."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


def error_of(w, features, target):
    return (features @ w - target) ** 2


by_example = jax.vmap(jax.value_and_grad(error_of), in_axes=(None, 0, 0))


def trajectory(w, x, y, lr, steps):
    if steps == 0:
        return [], []
    errors, gradients = by_example(w, x, y)
    w = w - lr * gradients.mean(axis=0)
    weights, losses = trajectory(w, x, y, lr, steps - 1)
    return [w, *weights], [errors.mean(), *losses]


def train(w, x, y, lr, steps):
    weights, losses = trajectory(w, x, y, lr, steps)
    return {"weights": jnp.stack(weights), "losses": jnp.stack(losses)}


train = jax.jit(train, static_argnums=4, in_shardings=(whole, rows, rows, whole), out_shardings=whole)


def solve(w, x, y, lr, steps):
    return train(w, x, y, lr, steps)
