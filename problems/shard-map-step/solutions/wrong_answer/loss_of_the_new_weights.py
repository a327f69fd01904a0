# mistake: loss-after-step
"""Evaluates the loss once the weights have moved."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss_fn(w, b, x, y):
    return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        gw, gb = jax.grad(loss_fn, (0, 1))(*jax.lax.pcast((w, b), "data", to="varying"), x, y)
        w = w - lr * jax.lax.pmean(gw, "data")
        b = b - lr * jax.lax.pmean(gb, "data")
        return w, b, jax.lax.pmean(loss_fn(w, b, x, y), "data")

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P())(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
