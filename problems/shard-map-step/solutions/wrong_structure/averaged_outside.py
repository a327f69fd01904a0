"""Returns the stacked local gradients from shard_map and averages them outside of it."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole = NamedSharding(mesh, P())


@jax.jit
def local_gradients(w, b, x, y):
    def body(w, b, x, y):
        v = jax.lax.pcast((w, b), "data", to="varying")
        out = jax.value_and_grad(lambda p: jnp.mean(jnp.sum((x @ p[0] + p[1] - y) ** 2, axis=1)))(v)
        return jax.tree.map(lambda leaf: leaf[None], out)

    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P("data"))(w, b, x, y)


def solve(w, b, x, y, lr):
    losses, (gw, gb) = local_gradients(w, b, x, y)
    new_w, new_b = w - lr * gw.mean(axis=0), b - lr * gb.mean(axis=0)
    return {"w": jax.device_put(new_w, whole), "b": jax.device_put(new_b, whole), "loss": losses.mean()}
