"""Keeps the mask of the first call for each shape, and uses it ever after."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
masks = {}


@jax.jit
def step(w, b, x, y, mask, lr):
    def body(w, b, x, y, mask, lr):
        def loss_fn(p):
            total = jnp.sum(jnp.where(mask[:, None], x @ p[0] + p[1] - y, 0) ** 2)
            return jax.lax.psum(total, "data") / jax.lax.psum(mask.sum(), "data")

        loss, (gw, gb) = jax.value_and_grad(loss_fn)((w, b))
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}

    rows = P("data")
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows, rows, P()), out_specs=P())(
        w, b, x, y, mask, lr
    )


def solve(w, b, x, y, mask, lr):
    mask = masks.setdefault((x.shape, y.shape), mask)
    return step(w, b, x, y, mask, lr)
