# mistake: divided-by-all-rows
"""Masks the residuals and averages over all rows."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, mask, lr):
    def body(w, b, x, y, mask, lr):
        def loss_fn(p):
            r = jnp.where(mask[:, None], x @ p[0] + p[1] - y, 0)
            return jax.lax.pmean(jnp.mean(jnp.sum(r**2, axis=1)), "data")

        loss, (gw, gb) = jax.value_and_grad(loss_fn)((w, b))
        return w - lr * gw, b - lr * gb, loss

    rows = P("data")
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows, rows, P()), out_specs=P())(
        w, b, x, y, mask, lr
    )


def solve(w, b, x, y, mask, lr):
    w, b, loss = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": loss}
