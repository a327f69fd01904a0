"""Explicit mesh axes: placement is part of the type, and the product says where its result lives."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((4,), ("batch",), axis_types=(AxisType.Explicit,))


@jax.jit
def step(w, x, y, lr):
    residual = x @ w - y
    gradient = jnp.einsum("nd,n->d", x, residual, out_sharding=NamedSharding(mesh, P(None))) * (2 / y.size)
    return w - lr * gradient, jnp.mean(residual**2), gradient


def solve(w, x, y, lr):
    w = jax.device_put(w, NamedSharding(mesh, P(None)))
    x = jax.device_put(x, NamedSharding(mesh, P("batch", None)))
    y = jax.device_put(y, NamedSharding(mesh, P("batch")))
    new, loss, gradient = step(w, x, y, lr)
    return {"w": new, "loss": loss, "gradient": gradient}
