"""The gradient written out by hand: with r = xW + b - y it is 2/N x'r for W and 2/N sum(r) for b."""

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

AXIS = "data"


def solve(w, b, x, y, lr):
    mesh = Mesh(np.array(jax.devices()), (AXIS,))
    n = x.shape[0]

    def body(w, b, xs, ys):
        r = xs @ w + b - ys
        total = lax.psum({"w": xs.T @ r, "b": r.sum(axis=0), "loss": jnp.vdot(r, r)}, AXIS)
        return {
            "w": w - lr * 2 / n * total["w"],
            "b": b - lr * 2 / n * total["b"],
            "loss": total["loss"] / n,
        }

    rows, everywhere = P(AXIS), P()
    sharded = jax.shard_map(
        body, mesh=mesh, in_specs=(everywhere, everywhere, rows, rows), out_specs=everywhere, check_vma=False
    )
    return jax.jit(sharded)(w, b, x, y)
