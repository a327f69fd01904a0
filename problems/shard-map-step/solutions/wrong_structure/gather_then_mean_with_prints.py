"""Gathers and averages, and prints what it was given: cannot be traced, so only the live run shows the gather."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def body(w, b, x, y, lr):
    r = x @ w + b - y
    local = jnp.sum(r**2) / len(x), 2 * x.T @ r / len(x), 2 * r.mean(axis=0)
    loss, gw, gb = (jnp.mean(jax.lax.all_gather(v, "data"), axis=0) for v in local)
    return w - lr * gw, b - lr * gb, loss


step = jax.jit(
    jax.shard_map(
        body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P(), check_vma=False
    )
)


def solve(w, b, x, y, lr):
    print("weights:", w.tolist(), "bias:", b.tolist())
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
