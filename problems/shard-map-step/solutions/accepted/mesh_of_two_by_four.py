"""A mesh of 2 x 4 devices; the rows are split over both axes."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("host", "chip"), axis_types=(AxisType.Auto, AxisType.Auto))
BOTH = ("host", "chip")


def solve(w, b, x, y, lr):
    @jax.jit
    @jax.shard_map(mesh=mesh, in_specs=(P(), P(), P(BOTH), P(BOTH)), out_specs=P())
    def step(w, b, x, y):
        def loss(w, b):
            return jnp.einsum("nk->", (jnp.einsum("nd,dk->nk", x, w) + b - y) ** 2) / x.shape[0]

        value, grads = jax.value_and_grad(loss, argnums=(0, 1))(*jax.lax.pcast((w, b), BOTH, to="varying"))
        value, (gw, gb) = jax.lax.pmean((value, grads), BOTH)
        return w - lr * gw, b - lr * gb, value

    return dict(zip(("w", "b", "loss"), step(w, b, x, y)))
