# mistake: divided-by-eight
"""The parts add up to the mean already; pmean divides them by 8 once more."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@jax.jit
def step(w, b, x, y, mask, lr):
    def body(w, b, x, y, mask, lr):
        count = jax.lax.psum(mask.sum(), "data")
        r = jnp.where(mask[:, None], x @ w + b - y, 0)
        clean = jnp.where(mask[:, None], x, 0)
        parts = jnp.sum(r**2) / count, 2 * clean.T @ r / count, 2 * r.sum(0) / count
        loss, gw, gb = jax.lax.pmean(parts, "data")
        return w - lr * gw, b - lr * gb, loss

    rows = P("data")
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), rows, rows, rows, P()), out_specs=P())(
        w, b, x, y, mask, lr
    )


def solve(w, b, x, y, mask, lr):
    w, b, loss = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": loss}
