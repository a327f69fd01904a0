# mistake: padding-through-the-bias
"""Clears the padding of x and y, but a cleared row is still predicted as b."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, mask, lr):
    x, y = jnp.where(mask[:, None], x, 0), jnp.where(mask[:, None], y, 0)

    def body(w, b, x, y, mask, lr):
        def loss_fn(p):
            total = jax.lax.psum(jnp.sum((x @ p[0] + p[1] - y) ** 2), "data")
            return total / jax.lax.psum(jnp.sum(mask), "data")

        loss, (gw, gb) = jax.value_and_grad(loss_fn)((w, b))
        return w - lr * gw, b - lr * gb, loss

    rows = P("data")
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows, rows, P()), out_specs=P())(
        w, b, x, y, mask, lr
    )


def solve(w, b, x, y, mask, lr):
    w, b, loss = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": loss}
