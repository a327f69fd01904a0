# mistake: gradient-eight-times
"""Parameters stay equal on all devices, so autodiff sums their gradient; pmean of the sum is the sum."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        loss, grads = jax.value_and_grad(lambda w, b: jnp.mean(jnp.sum((x @ w + b - y) ** 2, 1)), (0, 1))(w, b)
        gw, gb = jax.lax.pmean(grads, "data")
        return w - lr * gw, b - lr * gb, jax.lax.pmean(loss, "data")

    specs = (P(), P(), P("data"), P("data"), P())
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P())(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
