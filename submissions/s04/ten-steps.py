import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

MESH = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))
ROWS = NamedSharding(MESH, P("data"))
ALL = NamedSharding(MESH, P())


def loss_fn(w, x, y):
    return jnp.mean(jnp.square(x @ w - y))


@jax.jit
def train_step(w, x, y, lr):
    w = w - lr * jax.grad(loss_fn)(w, x, y)
    return w, loss_fn(w, x, y)


def solve(w, x, y, lr, steps):
    x, y, w = jax.device_put(x, ROWS), jax.device_put(y, ROWS), jax.device_put(w, ALL)
    weights, losses = [], []
    for _ in range(steps):
        w, loss = train_step(w, x, y, lr)
        weights.append(w)
        losses.append(loss)
    return {"weights": jax.device_put(jnp.stack(weights), ALL), "losses": jax.device_put(jnp.stack(losses), ALL)}
