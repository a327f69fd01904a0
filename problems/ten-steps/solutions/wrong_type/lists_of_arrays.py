"""Returns the history as Python lists."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def update(w, x, y, lr):
    loss, gradient = jax.value_and_grad(loss_of)(w, x, y)
    return w - lr * gradient, loss


step = jax.jit(update, in_shardings=(whole, rows, rows, whole), out_shardings=whole)


def solve(w, x, y, lr, steps):
    out = {"weights": [], "losses": []}
    for _ in range(steps):
        w, loss = step(w, x, y, lr)
        out["weights"].append(w)
        out["losses"].append(loss)
    return out
