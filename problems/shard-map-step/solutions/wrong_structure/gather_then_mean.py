"""Gathers the local gradients on every device and averages them there."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def loss_fn(w, b, x, y):
    return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1))


@jax.jit
def step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        loss, (gw, gb) = jax.value_and_grad(loss_fn, (0, 1))(w, b, x, y)
        loss, gw, gb = (jax.lax.all_gather(v, "data").mean(axis=0) for v in (loss, gw, gb))
        return w - lr * gw, b - lr * gb, loss

    specs = (P(), P(), P("data"), P("data"), P())
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)(w, b, x, y, lr)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
