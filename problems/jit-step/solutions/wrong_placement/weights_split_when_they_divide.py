"""Shares the weights out whenever their number allows it."""

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
    x, y = jax.lax.with_sharding_constraint((x, y), rows)
    loss, gradient = jax.value_and_grad(loss_of)(w, x, y)
    place = jax.lax.with_sharding_constraint
    home = rows if w.shape[0] % 4 == 0 else whole
    return {"w": place(w - lr * gradient, home), "loss": place(loss, whole), "gradient": place(gradient, whole)}


def solve(w, x, y, lr):
    return step(w, x, y, lr)
