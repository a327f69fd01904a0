"""The rate is a constant of the compiled step, which leaves the update out when it is zero."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


@partial(jax.jit, static_argnums=3, in_shardings=(whole, rows, rows), out_shardings=whole)
def step(w, x, y, lr):
    residual, pullback = jax.vjp(lambda v: x @ v - y, w)
    (gradient,) = pullback(2 * residual / residual.size)
    new = w - lr * gradient if lr else w
    return {"w": new, "loss": jnp.mean(residual**2), "gradient": gradient}


def solve(w, x, y, lr):
    return step(w, x, y, lr)
