"""Writes the global loss with psum in it and differentiates that."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@jax.jit
def step(params, x, y, mask, lr):
    def body(params, x, y, mask, lr):
        def loss_fn(params):
            per_row = jnp.sum((x @ params["w"] + params["b"] - y) ** 2, axis=1)
            return jax.lax.psum(jnp.sum(per_row, where=mask), "data") / jax.lax.psum(mask.sum(), "data")

        loss, grads = jax.value_and_grad(loss_fn)(params)
        return jax.tree.map(lambda p, g: p - lr * g, params, grads), loss

    specs = (P(), P("data"), P("data"), P("data"), P())
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P())(params, x, y, mask, lr)


def solve(w, b, x, y, mask, lr):
    # Padding is taken out before the step: its square could overflow.
    x, y = jnp.where(mask[:, None], x, 0), jnp.where(mask[:, None], y, 0)
    params, loss = step({"w": w, "b": b}, x, y, mask, lr)
    return {**params, "loss": loss}
