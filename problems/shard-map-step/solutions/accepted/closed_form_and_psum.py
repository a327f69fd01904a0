"""No autodiff: the gradient by hand, sums over all devices divided by N."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(8), ("i",))


def solve(w, b, x, y, lr):
    n = x.shape[0]

    def body(w, b, x, y):
        r = x @ w + b - y
        total_w = lax.psum(x.T @ r, "i")
        total_b = lax.psum(jnp.sum(r, axis=0), "i")
        total = lax.psum(jnp.sum(r * r), "i")
        return w - lr * (2 / n) * total_w, b - lr * (2 / n) * total_b, total / n

    f = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("i"), P("i")), out_specs=P())
    w, b, loss = jax.jit(f)(w, b, x, y)
    return {"w": w, "b": b, "loss": loss}
