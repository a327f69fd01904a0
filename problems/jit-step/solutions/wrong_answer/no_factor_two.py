# mistake: factor-two-missing
"""A closed form that forgets the 2 of the square."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


def step(w, x, y, lr):
    residual = x @ w - y
    loss, gradient = jnp.mean(residual**2), x.T @ residual / len(y)
    return {"w": w - lr * gradient, "loss": loss, "gradient": gradient}


train = jax.jit(step, in_shardings=(whole, rows, rows, whole), out_shardings=whole)


def solve(w, x, y, lr):
    return train(w, x, y, lr)
