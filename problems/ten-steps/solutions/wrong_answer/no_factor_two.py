# mistake: factor-two-missing
"""A closed form without the 2 of the square."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


@partial(jax.jit, static_argnums=4, in_shardings=(whole, rows, rows, whole), out_shardings=whole)
def run(w, x, y, lr, steps):
    def body(w, _):
        residual = x @ w - y
        w = w - lr * (residual @ x) / residual.size
        return w, (w, jnp.mean(residual**2))

    _, (weights, losses) = jax.lax.scan(body, w, length=steps)
    return {"weights": weights, "losses": losses}


def solve(w, x, y, lr, steps):
    return run(w, x, y, lr, steps)
