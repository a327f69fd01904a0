# mistake: loss-of-first-shard
"""Each device returns its own loss, and the first is taken."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        v = jax.lax.pcast((w, b), "data", to="varying")
        loss, grads = jax.value_and_grad(lambda p: jnp.mean(jnp.sum((x @ p[0] + p[1] - y) ** 2, axis=1)))(v)
        gw, gb = jax.lax.pmean(grads, "data")
        return w - lr * gw, b - lr * gb, loss[None]

    specs = (P(), P(), P("data"), P("data"), P())
    out = (P(), P(), P("data"))
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=out)(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, losses = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": losses[0]}
