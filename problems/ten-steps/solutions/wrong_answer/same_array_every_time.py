# mistake: last-row-repeated
"""Appends the one array that every update changes in place."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


value_and_grad = jax.jit(jax.value_and_grad(loss_of), in_shardings=(whole, rows, rows), out_shardings=whole)


def solve(w, x, y, lr, steps):
    current = np.array(w)
    weights, losses = [], []
    for _ in range(steps):
        loss, gradient = value_and_grad(current.copy(), x, y)
        current -= lr * np.asarray(gradient)
        weights.append(current)
        losses.append(float(loss))
    return jax.device_put({"weights": np.array(weights), "losses": np.array(losses, np.float32)}, whole)
