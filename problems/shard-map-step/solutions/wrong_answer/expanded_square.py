"""Expands the square of the loss into three terms, which cancel when the targets are far from zero."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        p = x @ w + b
        loss = (jnp.sum(p * p) - 2 * jnp.sum(p * y) + jnp.sum(y * y)) / len(x)
        gw = jax.lax.pmean(2 * x.T @ (p - y) / len(x), "data")
        gb = jax.lax.pmean(2 * jnp.mean(p - y, axis=0), "data")
        return w - lr * gw, b - lr * gb, jax.lax.pmean(loss, "data")

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P())(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
