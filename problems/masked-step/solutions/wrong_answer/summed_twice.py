# mistake: gradient-eight-times
"""Autodiff has summed the gradient of the replicated weights, and psum sums it again."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, mask, lr):
    def body(w, b, x, y, mask, lr):
        def local_sum(p):
            return jnp.sum(jnp.where(mask[:, None], x @ p[0] + p[1] - y, 0) ** 2)

        total, grads = jax.value_and_grad(local_sum)((w, b))
        total, (gw, gb), count = jax.lax.psum((total, grads, mask.sum()), "data")
        return w - lr * gw / count, b - lr * gb / count, total / count

    rows = P("data")
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows, rows, P()), out_specs=P())(
        w, b, x, y, mask, lr
    )


def solve(w, b, x, y, mask, lr):
    w, b, loss = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": loss}
