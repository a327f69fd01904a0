# mistake: averaged-at-the-end
"""Each device trains on its own rows; the histories are averaged at the end."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def solve(w, x, y, lr, steps):
    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P())
    def run(w, x, y):
        w = jax.lax.pcast(w, "data", to="varying")

        def body(w, _):
            loss, gradient = jax.value_and_grad(loss_of)(w, x, y)
            w = w - lr * gradient
            return w, (w, loss)

        _, (weights, losses) = jax.lax.scan(body, w, length=steps)
        return jax.lax.pmean({"weights": weights, "losses": losses}, "data")

    return run(w, x, y)
