"""Finishes the step in NumPy and puts the weights back on one device."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def gradients(w, b, x, y):
    def body(w, b, x, y):
        v = jax.lax.pcast((w, b), "data", to="varying")
        out = jax.value_and_grad(lambda p: jnp.mean(jnp.sum((x @ p[0] + p[1] - y) ** 2, axis=1)))(v)
        return jax.lax.pmean(out, "data")

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P())(w, b, x, y)


def solve(w, b, x, y, lr):
    loss, (gw, gb) = jax.device_put(gradients(w, b, x, y), jax.devices()[0])
    return {"w": jnp.asarray(w) - lr * gw, "b": jnp.asarray(b) - lr * gb, "loss": loss}
