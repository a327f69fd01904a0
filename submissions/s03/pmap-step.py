import functools

import jax
import jax.numpy as jnp

DEVICES = 8


@functools.partial(jax.pmap, axis_name="data", in_axes=(None, None, 0, 0, None))
def replica(w, b, xs, ys, lr):
    r = xs @ w + b - ys
    gw = jax.lax.pmean(2 * xs.T @ r / r.size, "data")
    gb = jax.lax.pmean(2 * r.sum(axis=0) / r.size, "data")
    loss = jax.lax.pmean(jnp.mean(r * r), "data")
    return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}


def solve(w, b, x, y, lr):
    shard = lambda a: a.reshape(DEVICES, -1, a.shape[-1])
    return replica(w, b, shard(x), shard(y), lr)
