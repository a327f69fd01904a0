"""Returns local gradients as replicated; shard_map's check refuses that."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def solve(w, b, x, y, lr):
    def step(w, b, x, y):
        v = jax.lax.pcast((w, b), "data", to="varying")
        loss, (gw, gb) = jax.value_and_grad(lambda p: jnp.mean(jnp.sum((x @ p[0] + p[1] - y) ** 2, axis=1)))(v)
        return w - lr * gw, b - lr * gb, loss

    w, b, loss = jax.shard_map(step, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P())(w, b, x, y)
    return {"w": w, "b": b, "loss": loss}
