import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss_fn(params, x, y):
    w, b = params
    err = x @ w + b - y
    return jnp.mean(jnp.sum(err**2, axis=-1))


@jax.jit
@functools.partial(
    jax.shard_map,
    mesh=mesh,
    in_specs=(P(), P(), P("data"), P("data"), P()),
    out_specs=(P(), P(), P()),
)
def step(w, b, x, y, lr):
    local = jax.lax.pcast((w, b), "data", to="varying")
    loss, grads = jax.value_and_grad(loss_fn)(local, x, y)
    loss, (gw, gb) = jax.lax.pmean((loss, grads), "data")
    return w - lr * gw, b - lr * gb, loss


def solve(w, b, x, y, lr):
    new_w, new_b, loss = step(w, b, x, y, jnp.float32(lr))
    return {"w": new_w, "b": new_b, "loss": loss}
