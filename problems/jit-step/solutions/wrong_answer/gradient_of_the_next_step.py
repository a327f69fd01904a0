# mistake: gradient-after-update
"""Returns the gradient that the next step would use."""

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
    loss = loss_of(w, x, y)
    w = w - lr * jax.grad(loss_of)(w, x, y)
    return {"w": w, "loss": loss, "gradient": jax.grad(loss_of)(w, x, y)}


train = jax.jit(step, in_shardings=(whole, rows, rows, whole), out_shardings=whole)


def solve(w, x, y, lr):
    return train(w, x, y, lr)
