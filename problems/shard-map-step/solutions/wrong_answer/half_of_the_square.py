# mistake: half-squared-error
"""The loss of other textbooks, with a factor one half."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        loss, grads = jax.value_and_grad(lambda p: 0.5 * jnp.mean(jnp.sum((x @ p[0] + p[1] - y) ** 2, 1)))((w, b))
        loss, (gw, gb) = jax.lax.pmean((loss, grads), "data")
        return w - lr * gw, b - lr * gb, loss

    specs = (P(), P(), P("data"), P("data"), P())
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
