import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

def loss_fn(w, b, x, y):
    return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1)

def body(w, b, x, y, lr):
    w_, b_ = jax.lax.pcast((w, b), "data", to="varying")
    loss, (gw, gb) = jax.value_and_grad(loss_fn, argnums=(0, 1))(w_, b_, x, y)
    gw, gb, loss = jax.lax.pmean((gw, gb, loss), "data")
    return w - lr * gw, b - lr * gb, loss

def solve(w, b, x, y, lr):
    f = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=(P(), P(), P()))
    w, b, loss = f(w, b, x, y, lr)
    return {"w": w, "b": b, "loss": loss}
