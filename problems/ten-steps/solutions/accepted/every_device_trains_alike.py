"""No row is shared out: the four devices repeat the same work, which this exercise allows."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole = NamedSharding(mesh, P())


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@jax.jit
def step(w, x, y, lr):
    loss, gradient = jax.value_and_grad(loss_of)(w, x, y)
    return w - lr * gradient, loss


def solve(w, x, y, lr, steps):
    w, x, y = jax.device_put((w, x, y), whole)
    history = []
    for _ in range(steps):
        w, loss = step(w, x, y, lr)
        history.append((w, loss))
    weights, losses = zip(*history)
    return jax.device_put({"weights": jnp.array(weights), "losses": jnp.array(losses)}, whole)
