"""Looks at the values before it starts, which no tracer has: it runs live only."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))


def loss_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


@jax.jit
def step(w, x, y, lr):
    loss, gradient = jax.value_and_grad(loss_of)(w, x, y)
    return w - lr * gradient, loss, gradient


train = jax.jit(step, in_shardings=(whole, rows, rows, whole), out_shardings=(whole, whole, whole))


def solve(w, x, y, lr):
    for name, values in {"w": w, "x": x, "y": y}.items():
        if not np.all(np.isfinite(np.asarray(values))):
            raise ValueError(f"{name} holds a number that is not finite")
    print("rows:", len(y), "rate:", float(lr), "first weight:", float(w[0]))
    new, loss, gradient = train(w, x, y, lr)
    return {"w": new, "loss": loss, "gradient": gradient}
