import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

MESH = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))


def local_loss(w, b, x, y):
    return jnp.mean(jnp.sum(jnp.square(x @ w + b - y), axis=1))


def train_step(w, b, x, y, lr):
    loss, grads = jax.value_and_grad(local_loss, argnums=(0, 1))(w, b, x, y)
    grads = jax.lax.pmean(grads, axis_name="data")
    loss = jax.lax.pmean(loss, axis_name="data")
    return w - lr * grads[0], b - lr * grads[1], loss


@jax.jit
def solve(w, b, x, y, lr):
    f = jax.shard_map(
        train_step,
        mesh=MESH,
        in_specs=(P(), P(), P("data"), P("data"), P()),
        out_specs=(P(), P(), P()),
    )
    w, b, loss = f(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
