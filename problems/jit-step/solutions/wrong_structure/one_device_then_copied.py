"""Computes on one device and copies the results to the others."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@jax.jit
def step(w, x, y, lr):
    loss, gradient = jax.value_and_grad(loss_of)(w, x, y)
    return {"w": w - lr * gradient, "loss": loss, "gradient": gradient}


def solve(w, x, y, lr):
    return jax.device_put(step(w, x, y, lr), whole)
