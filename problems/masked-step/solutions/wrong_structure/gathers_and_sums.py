"""Gathers sums and counts on every device and adds them up there."""

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

        parts = (*jax.value_and_grad(local)((w, b)), jnp.sum(mask))
        total, (gw, gb), count = jax.tree.map(lambda v: jax.lax.all_gather(v, "data").sum(0), parts)
        return w - lr * gw / count, b - lr * gb / count, total / count

    rows = P("data")
    specs = (P(), P(), rows, rows, rows, P())
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)(w, b, x, y, mask, lr)


def solve(w, b, x, y, mask, lr):
    w, b, loss = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": loss}
