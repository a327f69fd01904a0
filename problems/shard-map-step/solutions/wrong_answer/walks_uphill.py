# mistake: gradient-ascent
"""Residual as target minus prediction, gradient by hand, sign forgotten."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        r = y - (x @ w + b)
        gw = jax.lax.pmean(2 * x.T @ r / len(x), "data")
        gb = jax.lax.pmean(2 * r.mean(axis=0), "data")
        return w - lr * gw, b - lr * gb, jax.lax.pmean(jnp.sum(r * r) / len(x), "data")

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P())(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
