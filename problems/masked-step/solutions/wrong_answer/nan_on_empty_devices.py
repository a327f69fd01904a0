# mistake: nan-loss-from-empty-devices
"""Divides by the local count, which is 0 on a device without a valid row."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, mask, lr):
    def body(w, b, x, y, mask, lr):
        count = jnp.sum(mask)
        share = count / jax.lax.psum(count, "data")

        def local_mean(p):
            return jnp.sum(jnp.where(mask[:, None], x @ p[0] + p[1] - y, 0) ** 2) / count

        out = jax.value_and_grad(local_mean)(jax.lax.pcast((w, b), "data", to="varying"))
        loss, (gw, gb) = jax.tree.map(lambda v: jax.lax.psum(v * share, "data"), out)
        return w - lr * gw, b - lr * gb, loss

    rows = P("data")
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows, rows, P()), out_specs=P())(
        w, b, x, y, mask, lr
    )


def solve(w, b, x, y, mask, lr):
    w, b, loss = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": loss}
