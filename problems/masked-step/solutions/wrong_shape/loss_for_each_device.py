"""Returns the sum of each device instead of one loss."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, mask, lr):
    def body(w, b, x, y, mask, lr):
        def local(p):
            return jnp.sum(jnp.where(mask[:, None], x @ p[0] + p[1] - y, 0) ** 2)

        total, grads = jax.value_and_grad(local)(jax.lax.pcast((w, b), "data", to="varying"))
        (gw, gb), count = jax.lax.psum((grads, mask.sum()), "data")
        return w - lr * gw / count, b - lr * gb / count, (total / count)[None]

    rows = P("data")
    return jax.shard_map(
        body, mesh=mesh, in_specs=(P(), P(), rows, rows, rows, P()), out_specs=(P(), P(), rows)
    )(w, b, x, y, mask, lr)


def solve(w, b, x, y, mask, lr):
    w, b, losses = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": losses}
