"""Differentiates the reduced loss: its gradient with respect to replicated parameters is global already."""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))


def step(w, b, x, y, lr):
    def global_loss(w, b):
        local = jnp.mean(jnp.sum(jnp.square(x @ w + b - y), axis=-1))
        return jax.lax.pmean(local, "data")

    loss, (gw, gb) = jax.value_and_grad(global_loss, (0, 1))(w, b)
    return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}


def solve(w, b, x, y, lr):
    specs = (P(), P(), P("data", None), P("data", None), P())
    return jax.jit(jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=P()))(w, b, x, y, jnp.float32(lr))
