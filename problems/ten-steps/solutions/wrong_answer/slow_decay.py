# mistake: decaying-rate
"""A schedule in which the rate decays slowly."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@partial(jax.jit, static_argnums=4, in_shardings=(whole, rows, rows, whole), out_shardings=whole)
def run(w, x, y, lr, steps):
    def body(w, t):
        loss, gradient = jax.value_and_grad(loss_of)(w, x, y)
        w = w - lr / (1 + 0.1 * t) * gradient
        return w, (w, loss)

    _, (weights, losses) = jax.lax.scan(body, w, jnp.arange(steps, dtype=jnp.float32))
    return {"weights": weights, "losses": losses}


def solve(w, x, y, lr, steps):
    return run(w, x, y, lr, steps)
