"""The all-reduce in its two halves: each device reduces an eighth of the gradient, then all gather the eighths."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def all_mean(tree):
    flat, unravel = ravel_pytree(tree)
    padded = jnp.pad(flat, (0, -flat.size % 8))
    part = jax.lax.psum_scatter(padded, "data", tiled=True) / 8
    return unravel(jax.lax.all_gather(part, "data", tiled=True)[: flat.size])


def body(w, b, x, y, lr):
    def loss_fn(w, b):
        return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1))

    loss, (gw, gb) = all_mean(jax.value_and_grad(loss_fn, (0, 1))(w, b))
    return w - lr * gw, b - lr * gb, loss


step = jax.jit(
    jax.shard_map(
        body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P(), check_vma=False
    )
)


def solve(w, b, x, y, lr):
    w, b, loss = step(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
