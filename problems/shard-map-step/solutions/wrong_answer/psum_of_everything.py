# mistake: summed-everything
"""psum where pmean is meant."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss_fn(params, x, y):
    return jnp.mean(jnp.sum((x @ params[0] + params[1] - y) ** 2, axis=1))


@jax.jit
def step(params, x, y, lr):
    def body(params, x, y, lr):
        result = jax.value_and_grad(loss_fn)(jax.lax.pcast(params, "data", to="varying"), x, y)
        loss, grads = jax.lax.psum(result, "data")
        return jax.tree.map(lambda p, g: p - lr * g, params, grads), loss

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P("data"), P("data"), P()), out_specs=P())(params, x, y, lr)


def solve(w, b, x, y, lr):
    (w, b), loss = step((w, b), x, y, lr)
    return {"w": w, "b": b, "loss": loss}
