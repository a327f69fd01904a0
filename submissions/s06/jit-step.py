import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
replicated = NamedSharding(mesh, P())


def loss_fn(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def solve(w, x, y, lr):
    # every device gets a copy of everything, so they surely agree
    w, x, y = jax.device_put((w, x, y), replicated)

    @jax.jit
    def step(w, x, y):
        loss, g = jax.value_and_grad(loss_fn)(w, x, y)
        return w - lr * g, loss, g

    new_w, loss, g = step(w, x, y)
    return {"w": new_w, "loss": loss, "gradient": g}
