"""Each device takes its own step, and the devices average the weights: the same thing for one step."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("workers",), axis_types=(AxisType.Auto,))


def solve(w, b, x, y, lr):
    def work(w, b, x, y):
        w, b = jax.lax.pcast((w, b), "workers", to="varying")
        loss, pullback = jax.vjp(lambda w, b: ((x @ w + b - y) ** 2).sum(1).mean(), w, b)
        gw, gb = pullback(jnp.ones_like(loss))
        return jax.lax.pmean({"w": w - lr * gw, "b": b - lr * gb, "loss": loss}, "workers")

    rows = P("workers")
    return jax.shard_map(work, mesh=mesh, in_specs=(P(), P(), rows, rows), out_specs=P())(w, b, x, y)
