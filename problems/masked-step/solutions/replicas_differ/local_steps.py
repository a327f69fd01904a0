"""Divides by the global count, but the sums of the gradient stay local."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@jax.jit
def step(w, b, x, y, mask, lr):
    def body(w, b, x, y, mask, lr):
        def local(p):
            return jnp.sum(jnp.where(mask[:, None], x @ p[0] + p[1] - y, 0) ** 2)

        total, (gw, gb) = jax.value_and_grad(local)((w, b))
        total, count = jax.lax.psum((total, mask.sum()), "data")
        return w - lr * gw / count, b - lr * gb / count, total / count

    rows = P("data")
    specs = (P(), P(), rows, rows, rows, P())
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)(w, b, x, y, mask, lr)


def solve(w, b, x, y, mask, lr):
    w, b, loss = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": loss}
