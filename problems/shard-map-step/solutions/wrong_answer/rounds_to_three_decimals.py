# mistake: three-decimals
"""Tidies the answer up, three digits short of what the statement prints."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        v = jax.lax.pcast((w, b), "data", to="varying")
        out = jax.value_and_grad(lambda p: jnp.mean(jnp.sum((x @ p[0] + p[1] - y) ** 2, axis=1)))(v)
        loss, (gw, gb) = jax.lax.pmean(out, "data")
        return tuple(jnp.round(v, 3) for v in (w - lr * gw, b - lr * gb, loss))

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P())(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
