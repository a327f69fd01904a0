import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def shard_loss(params, batch):
    (w, b), (x, y) = params, batch
    return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1))


def body(params, batch, lr):
    varying = jax.lax.pcast(params, "data", to="varying")
    loss, grads = jax.lax.pmean(jax.value_and_grad(shard_loss)(varying, batch), "data")
    w, b = jax.tree.map(lambda p, g: p - lr * g, params, grads)
    return w, b, loss


def solve(w, b, x, y, lr):
    return jax.jit(
        jax.shard_map(body, mesh=mesh, in_specs=(P(), P("data"), P()), out_specs=(P(), P(), P()))
    )((w, b), (x, y), lr)
