# mistake: weight-decay
"""Adds a little weight decay, as in training code."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        def loss_fn(w, b):
            return jax.lax.pmean(jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1)), "data")

        loss, (gw, gb) = jax.value_and_grad(loss_fn, (0, 1))(w, b)
        return w - lr * (gw + 0.01 * w), b - lr * gb, loss

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P())(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
