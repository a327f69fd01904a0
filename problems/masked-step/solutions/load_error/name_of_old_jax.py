"""Imports a function that JAX no longer has."""

import jax
import jax.numpy as jnp
from jax.lax import pvary_everything
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def solve(w, b, x, y, mask, lr):
    def step(w, b, x, y, mask):
        w, b = pvary_everything((w, b), "data")
        return jax.lax.psum(jnp.sum(jnp.where(mask[:, None], x @ w + b - y, 0) ** 2), "data")

    rows = P("data")
    loss = jax.shard_map(step, mesh=mesh, in_specs=(P(), P(), rows, rows, rows), out_specs=P())(w, b, x, y, mask)
    return {"w": w, "b": b, "loss": loss}
