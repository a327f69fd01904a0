"""The style of the hints: parameters made varying, local gradients, one pmean; nothing is jitted."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss_fn(w, b, x, y):
    return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1))


def solve(w, b, x, y, lr):
    def step(w, b, x, y):
        w_local, b_local = jax.lax.pcast((w, b), "data", to="varying")
        loss, grads = jax.value_and_grad(loss_fn, argnums=(0, 1))(w_local, b_local, x, y)
        loss, grads = jax.lax.pmean((loss, grads), "data")
        return w - lr * grads[0], b - lr * grads[1], loss

    mapped = jax.shard_map(step, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=(P(), P(), P()))
    new_w, new_b, loss = mapped(w, b, x, y)
    return {"w": new_w, "b": new_b, "loss": loss}
