"""The mean is missing, so that the weights differ between the devices from the first step on."""

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
        def body(w, _):
            local = jax.lax.pcast(w, "data", to="varying")
            loss, gradient = jax.value_and_grad(loss_of)(local, x, y)
            w = w - lr * gradient
            return w, (w, jax.lax.pmean(loss, "data"))

        _, (weights, losses) = jax.lax.scan(body, w, length=steps)
        return {"weights": weights, "losses": losses}

    return run(w, x, y)
