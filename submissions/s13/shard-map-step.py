import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

# Compiling is slow, so the step is made only once for each shape.
_steps = {}


def make_step(lr):
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

    def loss_fn(w, b, x, y):
        return jnp.mean(jnp.sum((x @ w + b - y) ** 2, axis=1))

    def body(w, b, x, y):
        wv, bv = jax.lax.pcast((w, b), "data", to="varying")
        loss, (gw, gb) = jax.value_and_grad(loss_fn, argnums=(0, 1))(wv, bv, x, y)
        loss, gw, gb = jax.lax.pmean((loss, gw, gb), "data")
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}

    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=P()))


def solve(w, b, x, y, lr):
    key = (w.shape, x.shape)
    if key not in _steps:
        _steps[key] = make_step(lr)
    return _steps[key](w, b, x, y)
