"""Adds up the gradient of one row after the other with scan, then over the devices."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


class Model:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def step(self, x, y, lr):
        def body(w, b, x, y):
            def add(total, row):
                features, target = row
                error = features @ w + b - target
                grads = jnp.outer(features, error), error, error @ error
                return jax.tree.map(jnp.add, total, grads), None

            start = jax.lax.pcast((jnp.zeros_like(w), jnp.zeros_like(b), jnp.float32(0)), "data", to="varying")
            total, _ = jax.lax.scan(add, start, (x, y))
            gw, gb, loss = (jax.lax.pmean(t / len(x), "data") for t in total)
            return w - 2 * lr * gw, b - 2 * lr * gb, loss

        mapped = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P())
        return jax.jit(mapped)(self.w, self.b, x, y)


def solve(w, b, x, y, lr):
    w, b, loss = Model(w, b).step(x, y, lr)
    return {"w": w, "b": b, "loss": loss}
