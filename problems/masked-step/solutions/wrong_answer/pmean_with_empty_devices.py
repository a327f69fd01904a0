# mistake: mean-of-all-shard-means
"""pmean of the local means, a count of 0 replaced by 1."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@jax.jit
def step(w, b, x, y, mask, lr):
    def body(w, b, x, y, mask, lr):
        def local_mean(p):
            r = jnp.where(mask[:, None], x @ p[0] + p[1] - y, 0)
            return jnp.sum(r**2) / jnp.maximum(mask.sum(), 1)

        loss, (gw, gb) = jax.lax.pmean(jax.value_and_grad(local_mean)((w, b)), "data")
        return w - lr * gw, b - lr * gb, loss

    rows = P("data")
    specs = (P(), P(), rows, rows, rows, P())
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)(w, b, x, y, mask, lr)


def solve(w, b, x, y, mask, lr):
    w, b, loss = step(w, b, x, y, mask, lr)
    return {"w": w, "b": b, "loss": loss}
